import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChildProcess } from 'node:child_process';
import { freePort, startNats, startProgram, stopProgram, type NatsFixture } from '@lab/testkit';
import { testPostgres, type TestPostgres } from '@lab/testkit/testing';
import { handOut } from '../../apps/cli/src/keys/index.js';
import { BrokerAccess } from '../../apps/cli/src/stack/broker-access.js';
import { OwnAuthority } from '../../apps/cli/src/stack/own-authority.js';
import { svc as said, type Said } from '../../e2e/svc.js';
import { labPackages, root } from '../../tools/shared/paths.js';

/** A gateway that can be stopped, killed and started again. */
export class Gateway {
  #child: ChildProcess | undefined;

  constructor(
    readonly port: number,
    private readonly env: Readonly<Record<string, string>>,
    private readonly printed: string[],
  ) {}

  async start(): Promise<void> {
    this.#child = await startService(
      'gateway',
      { ...this.env, SVC_HTTP_PORT: String(this.port) },
      this.printed,
    );
  }

  /** @param signal SIGTERM: it answers the requests that it has; SIGKILL: it does not */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (this.#child !== undefined) await stopProgram(this.#child, signal, 30_000);
    this.#child = undefined;
  }
}

/** Starts the program of a service, and waits until it is ready. */
function startService(name: string, env: Record<string, string>, printed: string[]): Promise<ChildProcess> {
  return startProgram({
    ...{ name, command: process.execPath, readyMs: 90_000, endSignal: 'SIGKILL' },
    args: [join(root, 'apps', name, 'dist', 'bundle', 'main.js')],
    env: { PATH: process.env['PATH'], ...env },
    onLine(line) {
      printed.push(`${name}: ${line}`);
      return line.includes('"msg":"ready"');
    },
  });
}

/**
 * Two gateways with HTTPS, an orchestrator and the agent of `svc_computer`, each with the secrets that `svc keys hand-out` writes
 * for it, on a real broker with TLS and a real database. What a proxy shows and trusts is certified by the same authority.
 */
export class Site {
  readonly printed: string[] = [];
  readonly gateways: Gateway[] = [];
  /** Port of the proxy, which the address of the service contains. */
  port = 0;
  token = '';
  readonly #others: ChildProcess[] = [];
  #nats: NatsFixture | undefined;
  #postgres: TestPostgres | undefined;

  private constructor(readonly folder: string) {}

  static async open(): Promise<Site> {
    const site = new Site(mkdtempSync(join(tmpdir(), 'svc-site-')));
    try {
      await site.#open();
      return site;
    } catch (error) {
      await site.close();
      throw error;
    }
  }

  /** Address of the service, at the proxy. */
  get url(): string {
    return `https://localhost:${this.port}`;
  }

  /** Certificate of the authority, as PEM. */
  get authority(): string {
    return readFileSync(this.path('proxy', 'ca.pem'), 'utf8');
  }

  path(...parts: string[]): string {
    return join(this.folder, ...parts);
  }

  /** Runs `svc` as an administrator, through the proxy. */
  svc(...args: string[]): Promise<Said> {
    const env = { SVC_URL: this.url, SVC_TOKEN: this.token, SVC_TLS_CA_FILE: this.path('proxy', 'ca.pem') };
    return said({ ...env, SVC_DATA_DIR: this.path('keys') }, ...args);
  }

  async close(): Promise<void> {
    await Promise.all(this.gateways.map((each) => each.end('SIGTERM')));
    await Promise.all(this.#others.map((each) => stopProgram(each, 'SIGTERM', 30_000)));
    await Promise.all([this.#nats?.stop(), this.#postgres?.stop()]);
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #open(): Promise<void> {
    const keys = this.path('keys');
    // An agent that comes through the gateway knows the broker by the name of the service.
    await this.#certify(keys, 'broker', '127.0.0.1', 'localhost');
    await this.#certify(keys, 'proxy', 'localhost');
    await this.#certify(keys, 'https', 'svc-gateway', '127.0.0.1');
    await handOut(keys, this.folder, 'svc_computer');
    const access = await BrokerAccess.kept(keys);
    const settings = await access.ownServer({
      listen: '127.0.0.1:4222',
      accounts: this.path('accounts'),
      certificates: this.path('broker'),
    });
    writeFileSync(this.path('nats.conf'), settings);
    const [nats, postgres, ...ports] = await Promise.all([
      startNats({ args: ['-c', this.path('nats.conf')] }),
      testPostgres(),
      ...[freePort(), freePort(), freePort()],
    ]);
    this.#nats = nats;
    this.#postgres = postgres;
    this.port = ports[0] ?? 0;
    const { url: database } = await postgres.freshDatabase();
    const env = (name: string): Record<string, string> => ({
      SVC_NATS_URL: nats.url.replace('nats:', 'tls:'),
      SVC_NATS_CREDENTIALS_FILE: this.path(name, 'nats-credentials'),
      SVC_TLS_CA_FILE: this.path(name, 'ca.pem'),
      SVC_DATA_DIR: this.path('data', name),
      SVC_PUBLIC_URL: this.url,
    });
    const secret = (variable: string, name: string, file: string) => ({
      [`SVC_${variable}_FILE`]: this.path(name, file),
    });
    const gateway = {
      ...env('gateway'),
      ...secret('AGENT_ISSUER', 'gateway', 'agent-issuer'),
      ...secret('ACT_KEY', 'gateway', 'act-key'),
      ...secret('UPLOAD_SECRET', 'gateway', 'upload-secret'),
      ...secret('SECRETS_KEY', 'gateway', 'secrets-key'),
      SVC_DATABASE_URL: database,
      SVC_AUTH: 'tokens',
      SVC_TRUSTED_PROXIES: '127.0.0.1',
      SVC_HTTPS_CERTIFICATE: this.path('https', 'certificate.pem'),
      SVC_HTTPS_KEY: this.path('https', 'key.pem'),
    };
    this.gateways.push(...ports.slice(1).map((port) => new Gateway(port, gateway, this.printed)));
    const orchestrator = {
      ...env('orchestrator'),
      ...secret('AUTHORITY_KEY', 'orchestrator', 'authority-key'),
      ...secret('BROKER_KEYS', 'orchestrator', 'broker-keys'),
      ...secret('ACT_PUBLIC_KEY', 'orchestrator', 'act-public-key'),
      ...secret('UPLOAD_SECRET', 'orchestrator', 'upload-secret'),
      SVC_DATABASE_URL: database,
      SVC_USER_DIR: labPackages,
      SVC_LABS: 'multiplication_lab',
    };
    const start = async (name: string, its: Record<string, string>): Promise<void> => {
      this.#others.push(await startService(name, its, this.printed));
    };
    await Promise.all([
      start('orchestrator', orchestrator),
      start('agent', env('agent')),
      ...this.gateways.map((each) => each.start()),
    ]);
    const made = await said(
      { SVC_DATABASE_URL: database, SVC_DATA_DIR: keys },
      ...['token', 'create', 'root', '--role', 'admin', '--local'],
    );
    if (made.code !== 0) throw new Error(made.err);
    this.token = made.out.trim();
  }

  async #certify(keys: string, name: string, ...names: [string, ...string[]]): Promise<void> {
    const authority = await OwnAuthority.kept(keys);
    const { certificate, key } = await authority.certify(names);
    mkdirSync(this.path(name), { recursive: true });
    writeFileSync(this.path(name, 'certificate.pem'), certificate);
    writeFileSync(this.path(name, 'key.pem'), key, { mode: 0o600 });
    writeFileSync(this.path(name, 'ca.pem'), authority.trusted);
  }
}
