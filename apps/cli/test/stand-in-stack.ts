import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isStillRunning, type ProcessIdentity } from '@lab/runtime';

const program = fileURLToPath(new URL('./fixtures/start-stand-ins.mjs', import.meta.url));

export interface Listed extends ProcessIdentity {
  name: string;
}

/** `svc start` with stand-in services, seen from outside. */
export class StandInStack {
  readonly out: string[] = [];
  readonly err: string[] = [];
  readonly exited: Promise<number | null>;
  readonly #child: ChildProcess;
  #wake: (() => void)[] = [];

  constructor(
    readonly dataDir: string,
    env: Record<string, string>,
    /** Whether a shell runs it, as in a script of npm. */
    { inShell = false } = {},
  ) {
    // A shell that has more to do afterwards does not become the program.
    const [command, args] = inShell
      ? ['sh', ['-c', '"$0" "$1"; true', process.execPath, program]]
      : [process.execPath, [program]];
    this.#child = spawn(command, args, {
      env: {
        ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'))),
        SVC_DATA_DIR: dataDir,
        SVC_HTTP_PORT: '0',
        ...env,
      },
      cwd: dataDir,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.exited = new Promise((resolve) => this.#child.once('close', (code) => resolve(code)));
    for (const [stream, into] of [
      [this.#child.stdout, this.out],
      [this.#child.stderr, this.err],
    ] as const) {
      if (stream === null) throw new Error('no pipe');
      createInterface({ input: stream }).on('line', (line) => {
        into.push(line);
        for (const wake of this.#wake.splice(0)) wake();
      });
    }
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Waits until a line of the output matches. */
  async line(pattern: RegExp): Promise<string> {
    let ended = false;
    const end = this.exited.then(() => {
      ended = true;
    });
    for (;;) {
      const found = [...this.out, ...this.err].find((line) => pattern.test(line));
      if (found !== undefined) return found;
      if (ended) throw new Error(`ended before ${pattern}:\n${[...this.out, ...this.err].join('\n')}`);
      await Promise.race([new Promise<void>((resolve) => this.#wake.push(resolve)), end]);
    }
  }

  /** The address at which it serves. */
  async ready(): Promise<string> {
    return (await this.line(/^ready /)).slice('ready '.length);
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** The processes of the stack, as it lists them for its successor. */
  processes(): Listed[] {
    return JSON.parse(readFileSync(join(this.dataDir, 'run', 'processes.json'), 'utf8')) as Listed[];
  }

  process(name: string): Listed {
    const found = this.processes().find((each) => each.name === name);
    if (found === undefined) throw new Error(`no process ${name}`);
    return found;
  }
}

/** The processes that still run after the time limit. */
export async function survivors(processes: readonly Listed[], withinMs: number): Promise<string[]> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const left = processes.filter(isStillRunning).map(({ name }) => name);
    if (left.length === 0 || Date.now() >= deadline) return left;
    await delay(25);
  }
}

/** Asks until the answer satisfies. A refused connection counts as no answer. */
export async function eventually<T>(
  ask: () => Promise<T> | T,
  satisfies: (answer: T) => boolean,
): Promise<T> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    let last: unknown;
    try {
      const answer = await ask();
      if (satisfies(answer)) return answer;
      last = answer;
    } catch (error) {
      last = error;
    }
    if (Date.now() >= deadline) throw new Error('waited in vain', { cause: last });
    await delay(25);
  }
}

/** Listens on a port of 127.0.0.1 that the stack might need. */
export async function occupiedPort(): Promise<{ port: number; free(): Promise<void> }> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    async free() {
      server.close();
      await once(server, 'close');
    },
  };
}
