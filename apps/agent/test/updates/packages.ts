import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { makeKeys } from '@lab/trust';
import { AgentIssuer, agentIssuerKey } from '@lab/trust/agent-issuer';
import { agentCredentials, makeAgentKey } from '@lab/trust/agent-key';
import type { OfferedPackage, SignedOffer } from '@lab/trust/offer';
import { pack, type Headers } from 'tar-stream';
import { ZipFile } from 'yazl';

export const platform = 'linux-x64';

/** A file of a package in the making. */
export interface Part {
  path: string;
  content?: string;
  /** Of tar; default: a file. */
  type?: Headers['type'];
  mode?: number;
}

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

/**
 * The parts of a right package, below its folder, with the manifest.
 *
 * @param program text of its launcher
 */
export function partsOfPackage(version: string, program = '#!/bin/sh\n', more: object = {}): Part[] {
  const files = { 'svc-agent': program, 'svc-agent.cmd': 'rem\r\n', 'app/package.json': '{}' };
  const manifest = {
    ...{ version, platform, protocol: 1, node: '24.0.0' },
    files: Object.fromEntries(Object.entries(files).map(([path, content]) => [path, sha256(content)])),
    ...more,
  };
  const all = { ...files, 'manifest.json': JSON.stringify(manifest) };
  return Object.entries(all).map(([path, content]) => ({
    ...{ path: `svc-agent-${version}-${platform}/${path}`, content },
    mode: path === 'svc-agent' ? 0o755 : 0o644,
  }));
}

export async function tarGzOf(parts: readonly Part[]): Promise<Buffer> {
  const archive = pack();
  for (const { path: name, content = '', type = 'file', mode = 0o644 } of parts) {
    const linkname = type === 'file' || type === 'directory' ? undefined : '/etc/passwd';
    const header = { name, type, mode, ...(linkname === undefined ? {} : { linkname }) };
    await new Promise<void>((resolve, reject) => {
      const text = linkname === undefined ? content : '';
      archive.entry(header as never, text, (error) => (error ? reject(error) : resolve()));
    });
  }
  archive.finalize();
  return gzipSync(await bytesOf(archive));
}

export async function zipOf(parts: readonly Part[]): Promise<Buffer> {
  const archive = new ZipFile();
  for (const { path, content = '', mode = 0o644 } of parts) {
    if (path.endsWith('/')) archive.addEmptyDirectory(path.slice(0, -1));
    else archive.addBuffer(Buffer.from(content), path, { mode: mode > 0o777 ? mode : mode | 0o100_000 });
  }
  archive.end();
  return bytesOf(archive.outputStream);
}

async function bytesOf(stream: NodeJS.ReadableStream): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

/** A service that offers packages over HTTP. */
export class PackageService {
  readonly keys = makeKeys();
  readonly issuer = new AgentIssuer(agentIssuerKey(this.keys));
  readonly archives = new Map<string, Buffer>();
  /** Answers requests for a package in another way. */
  instead: ((response: ServerResponse, archive: Buffer) => void) | undefined;
  /** Answers requests for the offer in another way. */
  offered: (() => object) | undefined;
  readonly asked: string[] = [];
  readonly #offers: OfferedPackage[] = [];

  private constructor(private readonly server: Server) {}

  static async open(): Promise<PackageService> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const service = new PackageService(server);
    server.on('request', ({ url = '' }, response) => service.#answer(url, response));
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** @param more fields of the offer that are wrong */
  async offer(version: string, program?: string, more: Partial<OfferedPackage> = {}): Promise<void> {
    const archive = await tarGzOf(partsOfPackage(version, program));
    const name = `svc-agent-${version}-${platform}.tar.gz`;
    this.archives.set(name, archive);
    const right = { name, version, platform, size: archive.length, sha256: sha256(archive) };
    this.#offers.push({ ...right, ...more });
  }

  signed(now = Date.now()): SignedOffer {
    return this.issuer.offer(this.#offers, now);
  }

  /** Credentials of an agent that joined this service. */
  async credentials(): Promise<string> {
    const key = makeAgentKey();
    const statement = await this.issuer.statement(key.publicKey, 'bench_b', Date.now() + 3_600_000);
    return agentCredentials(key, statement, this.issuer.authority);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  #answer(url: string, response: ServerResponse): void {
    this.asked.push(url);
    if (url === '/agents/packages') {
      response.end(JSON.stringify(this.offered?.() ?? this.signed()));
      return;
    }
    const archive = this.archives.get(url.slice('/agents/packages/'.length));
    if (archive === undefined) response.writeHead(404).end('{"detail":"There is no such package."}');
    else if (this.instead === undefined) response.end(archive);
    else this.instead(response, archive);
  }
}
