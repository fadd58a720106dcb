import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const require = createRequire(import.meta.url);
const fixtures = fileURLToPath(new URL('../fixtures/sdk_lab/', import.meta.url));
const sdk = fileURLToPath(new URL('../src/index.ts', import.meta.url));

/** A real folder that is removed when `dispose` is called. */
export function temporaryFolder(): { path: string; dispose(): void } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'lab-sdk-')));
  return { path, dispose: () => rmSync(path, { recursive: true, force: true }) };
}

export interface Module {
  hash: string;
  package: string;
  source: string;
}

/** Bundles a file of the fixture package as the service bundles packages. */
export async function bundle(source: string, folder: string): Promise<{ module: Module; path: string }> {
  const result = await build({
    entryPoints: [join(fixtures, source)],
    absWorkingDir: fixtures,
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'inline',
    sourceRoot: 'package:///sdk_lab/',
    outdir: fixtures,
    alias: { '@lab/sdk': sdk },
  });
  const text = result.outputFiles[0]?.text ?? '';
  const hash = createHash('sha256').update(text).digest('hex');
  const path = join(folder, `${hash}.mjs`);
  writeFileSync(path, text);
  return { module: { hash, package: 'sdk_lab', source }, path };
}

export type Message = { type: string; [key: string]: unknown };

/** A started host with all its messages, checked against the schema. */
export class HostProcess {
  readonly received: Message[] = [];
  readonly exit: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly child: ChildProcess;
  stderr = '';
  private readonly toHost: Writable;
  private readonly watchers = new Set<() => void>();
  private ended = false;

  constructor(
    host: 'device-host' | 'task-host',
    private readonly schema: { parse(value: unknown): unknown },
    hostArguments: string[] = [],
    nodeOptions: string[] = [],
  ) {
    const program = require.resolve(`@lab/sdk/${host}`);
    this.child = spawn(process.execPath, [...nodeOptions, program, ...hostArguments], {
      stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
    });
    this.child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.toHost = this.child.stdio[3] as Writable;
    // After the end of the process, what it had not read.
    this.toHost.on('error', () => undefined);
    createInterface({ input: this.child.stdio[4] as Readable }).on('line', (line) => {
      this.received.push(this.schema.parse(JSON.parse(line)) as Message);
      for (const watcher of this.watchers) watcher();
    });
    this.exit = new Promise((resolve) => {
      this.child.once('exit', (code, signal) => {
        this.ended = true;
        resolve({ code, signal });
        for (const watcher of this.watchers) watcher();
      });
    });
  }

  send(message: Message): void {
    this.toHost.write(`${JSON.stringify(message)}\n`);
  }

  /** Ends the channel, as when the agent is gone. */
  leave(): void {
    for (const pipe of this.child.stdio.slice(3)) pipe?.destroy();
  }

  /** The next message that matches, also an earlier one. Each message is returned once. */
  async next(type: string, fits: (message: Message) => boolean = () => true): Promise<Message> {
    for (;;) {
      const index = this.received.findIndex((message) => message.type === type && fits(message));
      if (index >= 0) return this.received.splice(index, 1)[0] as Message;
      if (this.ended) {
        throw new Error(`the host ended without ${type}: ${JSON.stringify(this.received)} ${this.stderr}`);
      }
      await new Promise<void>((resolve) => {
        const watcher = (): void => {
          this.watchers.delete(watcher);
          resolve();
        };
        this.watchers.add(watcher);
      });
    }
  }

  logs(): { level: unknown; text: unknown }[] {
    return this.received
      .filter((message) => message.type === 'log')
      .map(({ level, text }) => ({ level, text }));
  }

  async kill(): Promise<void> {
    if (!this.ended) this.child.kill('SIGKILL');
    await this.exit;
  }
}
