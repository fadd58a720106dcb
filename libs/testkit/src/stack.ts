import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { processEnvironment } from '@lab/runtime';

/** The real processes of the service, started as a user would, from outside. */

/** The built command line; the same path from the sources and from the build of this library. */
const cli = fileURLToPath(new URL('../../../apps/cli/bin/svc.mjs', import.meta.url));

export interface StackOptions {
  /** Folder of packages. Default: the lab packages of the product. */
  userDir?: string;
  /** Keep what an earlier stack left; default: a fresh folder that is removed at the end. */
  dataDir?: string;
  env?: Record<string, string>;
  /** How long to wait for `ready`, in milliseconds. */
  readyMs?: number;
}

export interface Stack {
  readonly url: string;
  readonly dataDir: string;
  readonly pid: number;
  /** Everything the supervisor printed so far. */
  readonly output: () => string;
  /** Ctrl-C; resolves with the exit code once everything has stopped. */
  stop(): Promise<number | null>;
  /** SIGKILL to the supervisor alone. */
  kill(): Promise<void>;
  /** Starts `svc <arguments>` beside the stack, with its environment; stopped with it. */
  beside(...args: string[]): ChildProcess;
  /** Stops whatever still runs and removes the data folder unless it was given. */
  dispose(): Promise<void>;
}

/** A TCP port that was free on 127.0.0.1 a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}

/**
 * Starts the whole service with `svc start` and waits until it serves.
 *
 * @throws Error with everything it printed, when it exits or is not ready in time
 */
export async function startServiceStack(options: StackOptions = {}): Promise<Stack> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'svc-stack-')));
  const port = await freePort();
  const env = {
    ...processEnvironment(),
    SVC_DATA_DIR: dataDir,
    SVC_HTTP_PORT: String(port),
    ...(options.userDir === undefined ? {} : { SVC_USER_DIR: options.userDir }),
    ...options.env,
  };
  const printed: string[] = [];
  const beside: ChildProcess[] = [];
  const supervisor = spawn(process.execPath, [cli, 'start'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = new Promise<number | null>((resolve) => supervisor.once('exit', (code) => resolve(code)));
  // A stack must not outlive whoever asked for it, also when that ends by an error nobody caught.
  const endWithUs = (): void => void supervisor.kill('SIGTERM');
  process.once('exit', endWithUs);
  supervisor.once('exit', () => process.off('exit', endWithUs));
  const url = await readyLine(supervisor, printed, options.readyMs ?? 60_000);

  const stop = async (): Promise<number | null> => {
    await Promise.all(beside.map((child) => stopChild(child)));
    if (supervisor.exitCode === null && supervisor.signalCode === null) supervisor.kill('SIGINT');
    return exited;
  };
  return {
    url,
    dataDir,
    pid: supervisor.pid ?? 0,
    output: () => printed.join('\n'),
    stop,
    async kill() {
      supervisor.kill('SIGKILL');
      await exited;
    },
    beside(...args) {
      const child = spawn(process.execPath, [cli, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
      collect(child, printed);
      beside.push(child);
      return child;
    },
    async dispose() {
      await stop();
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

function collect(child: ChildProcess, into: string[], onLine?: (line: string) => void): void {
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on('line', (line) => {
      into.push(line);
      onLine?.(line);
    });
  }
}

function readyLine(supervisor: ChildProcess, printed: string[], timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => {
      clearTimeout(timer);
      supervisor.kill('SIGTERM');
      reject(new Error(`${why}\n${printed.join('\n')}`));
    };
    const timer = setTimeout(() => fail(`the stack was not ready within ${timeoutMs} ms`), timeoutMs);
    const onExit = (code: number | null): void => fail(`the stack exited with ${code} before it was ready`);
    supervisor.once('exit', onExit);
    collect(supervisor, printed, (line) => {
      const match = /^ready (http:\S+)/.exec(line);
      if (match?.[1] === undefined) return;
      clearTimeout(timer);
      supervisor.off('exit', onExit);
      resolve(match[1]);
    });
  });
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}
