import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
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
const cli = fileURLToPath(new URL('../../../../apps/cli/bin/svc.mjs', import.meta.url));

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

/** Ports that no system gives to a connection or a listener that asks for any. */
const fixedPorts = { first: 20_000, count: 10_000 };

/**
 * A TCP port of 127.0.0.1 that was free a moment ago, drawn from those that are taken only by who asks for them by
 * number: between this look and the start of a server no connection is given it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = fixedPorts.first + randomInt(fixedPorts.count);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  server.listen({ port, host: '127.0.0.1', exclusive: true });
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
}

/**
 * Starts the whole service with `svc start` and waits until it serves.
 *
 * @throws Error with everything it printed, when it exits or is not ready in time
 */
export async function startServiceStack(options: StackOptions = {}): Promise<Stack> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'svc-stack-')));
  const own = {
    SVC_DATA_DIR: dataDir,
    ...(options.userDir === undefined ? {} : { SVC_USER_DIR: options.userDir }),
    ...options.env,
  };
  const beside: ChildProcess[] = [];
  const { supervisor, exited, printed, env, url } = await launch(own, options.readyMs ?? 60_000);

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

interface Launched {
  supervisor: ChildProcess;
  exited: Promise<number | null>;
  printed: string[];
  env: Record<string, string | undefined>;
  url: string;
}

/** How often another port is tried when somebody else took the first in the moment between the look and the start. */
const portTries = 3;

async function launch(own: Record<string, string>, readyMs: number): Promise<Launched> {
  for (let attempt = 1; ; attempt += 1) {
    const port = String(await freePort());
    const env: Record<string, string | undefined> = {
      ...processEnvironment(),
      SVC_HTTP_PORT: port,
      ...own,
    };
    const printed: string[] = [];
    const supervisor = spawn(process.execPath, [cli, 'start'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const exited = new Promise<number | null>((resolve) => supervisor.once('exit', (code) => resolve(code)));
    // A stack must not outlive whoever asked for it, also when that ends by an error nobody caught.
    const endWithUs = (): void => void supervisor.kill('SIGTERM');
    process.once('exit', endWithUs);
    supervisor.once('exit', () => process.off('exit', endWithUs));
    try {
      return { supervisor, exited, printed, env, url: await readyLine(supervisor, printed, readyMs) };
    } catch (error) {
      const taken = env['SVC_HTTP_PORT'] === port && printed.some((line) => isPortInUse(line, port));
      if (!taken || attempt === portTries) throw error;
      await exited;
    }
  }
}

function isPortInUse(line: string, port: string): boolean {
  return line.includes(port) && /EADDRINUSE|Port \d+ of \S+ is in use/.test(line);
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
