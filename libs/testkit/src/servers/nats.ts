import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { processEnvironment } from '@lab/runtime';

/** A real nats-server for tests: on 127.0.0.1, on a free port, gone with the test process. */

const repository = fileURLToPath(new URL('../../../../', import.meta.url));

export interface NatsOptions {
  /** Further command-line arguments of nats-server, for example `['--user', 'a', '--pass', 'b']`. */
  args?: readonly string[];
  /** How long to wait until it serves, in milliseconds. Default 10 000. */
  readyMs?: number;
}

export interface NatsFixture {
  /** `nats://127.0.0.1:<port>`, the same after a restart. */
  readonly url: string;
  /** Process id of the running server; 0 while stopped. */
  readonly pid: number;
  /** Stops the server and waits until it is gone. May be called again. */
  stop(): Promise<void>;
  /** Stops the server if it runs, and starts it on the same port; resolves when it serves. */
  restart(): Promise<void>;
  /** SIGSTOP: connections stay open and nothing answers. */
  pause(): void;
  /** SIGCONT. */
  resume(): void;
}

/**
 * Starts nats-server and waits until it serves. The binary is `SVC_NATS_SERVER_BIN`, else the one on PATH, else the
 * one in the cache of the repository.
 *
 * @throws Error with what the server printed, when it ends or does not serve in time; or saying where a binary was
 *   looked for
 */
export async function startNats(options: NatsOptions = {}): Promise<NatsFixture> {
  const binary = natsServerBinary();
  let running = await launch(binary, -1, options);
  const port = running.port;
  return {
    url: `nats://127.0.0.1:${port}`,
    get pid() {
      return hasEnded(running.child) ? 0 : (running.child.pid ?? 0);
    },
    stop: () => end(running.child),
    async restart() {
      await end(running.child);
      running = await launch(binary, port, options);
    },
    pause: () => void running.child.kill('SIGSTOP'),
    resume: () => void running.child.kill('SIGCONT'),
  };
}

interface Running {
  child: ChildProcess;
  port: number;
}

/** What still runs when this process exits is killed then; one listener for all of them. */
const alive = new Set<ChildProcess>();
function killAll(): void {
  for (const child of alive) child.kill('SIGKILL');
}

function launch(binary: string, port: number, options: NatsOptions): Promise<Running> {
  const child = spawn(binary, ['-a', '127.0.0.1', '-p', String(port), ...(options.args ?? [])], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (alive.size === 0) process.on('exit', killAll);
  alive.add(child);
  const readyMs = options.readyMs ?? 10_000;
  return new Promise((resolve, reject) => {
    const printed: string[] = [];
    let bound = port;
    const timer = setTimeout(() => fail(`nats-server did not serve within ${readyMs} ms`), readyMs);
    const fail = (why: string): void => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      reject(new Error([why, ...printed].join('\n')));
    };
    child.once('error', (error) => {
      forget(child);
      fail(`cannot run ${binary}: ${error.message}`);
    });
    child.once('exit', (code, signal) => {
      forget(child);
      fail(`nats-server ended with ${signal ?? code} before it served`);
    });
    createInterface({ input: child.stderr }).on('line', (line) => {
      printed.push(line);
      if (printed.length > 50) printed.shift();
      const listening = /Listening for client connections on \S+:(\d+)/.exec(line)?.[1];
      if (listening !== undefined) bound = Number(listening);
      if (!line.includes('Server is ready')) return;
      clearTimeout(timer);
      resolve({ child, port: bound });
    });
  });
}

function forget(child: ChildProcess): void {
  alive.delete(child);
  if (alive.size === 0) process.off('exit', killAll);
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  await new Promise<void>((resolve) => {
    const hurry = setTimeout(() => child.kill('SIGKILL'), 3_000);
    child.once('exit', () => {
      clearTimeout(hurry);
      resolve();
    });
    // A paused server could not act on SIGTERM.
    child.kill('SIGCONT');
    child.kill('SIGTERM');
  });
}

/**
 * Where nats-server is.
 *
 * @throws Error naming every place that was looked at
 */
export function natsServerBinary(): string {
  const environment = processEnvironment();
  const given = environment.SVC_NATS_SERVER_BIN;
  if (given !== undefined && given !== '') {
    if (isExecutable(given)) return given;
    throw new Error(`SVC_NATS_SERVER_BIN is ${given}, which is not an executable file`);
  }
  const name = process.platform === 'win32' ? 'nats-server.exe' : 'nats-server';
  const folders = (environment.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const found = [...folders, join(repository, '.cache', 'bin')]
    .map((folder) => join(folder, name))
    .find(isExecutable);
  if (found !== undefined) return found;
  throw new Error(
    'no nats-server: SVC_NATS_SERVER_BIN is not set, it is not on PATH and not in .cache/bin; run node tools/bootstrap.mjs',
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Absent, unreadable or not executable: all mean that this place has none.
    return false;
  }
}
