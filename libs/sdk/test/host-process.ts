import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { join } from 'node:path';
import type { Language } from './languages.js';

/** A real folder that is removed when `dispose` is called. */
export function temporaryFolder(): { path: string; dispose(): void } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'lab-sdk-')));
  return { path, dispose: () => rmSync(path, { recursive: true, force: true }) };
}

export type Message = { type: string; [key: string]: unknown };

/** A started host with all its messages, checked against the schema. */
export class HostProcess {
  readonly received: Message[] = [];
  readonly exit: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';
  private readonly toHost: Writable;
  private readonly watchers = new Set<() => void>();
  private ended = false;

  /** @param command the program and its arguments */
  private constructor(
    [program, ...args]: [string, ...string[]],
    private readonly schema: { parse(value: unknown): unknown },
  ) {
    this.child = spawn(program, args, {
      stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
    });
    this.child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
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

  static async start(
    language: Language,
    host: 'device-host' | 'task-host',
    schema: { parse(value: unknown): unknown },
    { given = [], nodeOptions = [] }: { given?: string[]; nodeOptions?: string[] } = {},
  ): Promise<HostProcess> {
    return new HostProcess([...(await language.start(host, nodeOptions)), ...given], schema);
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
