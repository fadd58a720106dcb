import type { ChildProcess } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { processEnvironment } from '@lab/runtime';
import type { Computer } from './computer.js';
import { hasEnded, standsStill, startProgram, stopProgram } from './program.js';

const cache = fileURLToPath(new URL('../../../../.cache/bin', import.meta.url));
const readyMs = 10_000;
const stopMs = 3_000;

/** A real nats-server. It ends with this process. */
export interface NatsFixture {
  /** `nats://<address>:<port>`, with the login before the address; the same after a restart. */
  readonly url: string;
  /** Process id of the running server; 0 while stopped. */
  readonly pid: number;
  /** Stops the server and waits until it is gone. May be called again. */
  stop(): Promise<void>;
  /** Stops the server if it runs, and starts it on the same port; resolves when it serves. */
  restart(): Promise<void>;
  /** SIGSTOP: connections stay open. When this resolves, nothing answers any more. */
  pause(): Promise<void>;
  /** SIGCONT. */
  resume(): void;
}

export interface NatsOptions {
  /** Further command-line arguments of nats-server, for example `['--user', 'a', '--pass', 'b']`. */
  args?: readonly string[];
  /** `user:password` of every client. The processes of the service refuse a broker without one. Default: none. */
  login?: string;
  /** Where it runs, and listens on every address. Default: here, on 127.0.0.1 alone. */
  on?: Computer;
}

/**
 * Starts nats-server on a free port and waits until it serves. The binary is `SVC_NATS_SERVER_BIN`, else the one on PATH,
 * else the one in the cache of the repository.
 *
 * @throws Error with what the server printed, when it ends or does not serve in time; or with the places where there is no
 *   binary
 */
export async function startNats({ args = [], login, on }: NatsOptions = {}): Promise<NatsFixture> {
  const binary = natsServerBinary();
  const address = on === undefined ? '127.0.0.1' : '0.0.0.0';
  let port = '-1';
  const launch = (): Promise<ChildProcess> => {
    const [user = '', password = ''] = login?.split(':') ?? [];
    const identity = login === undefined ? [] : ['--user', user, '--pass', password];
    const words = [binary, '-a', address, '-p', port, ...identity, ...args];
    const [command = '', ...rest] = on === undefined ? words : on.enter(...words);
    return startProgram({
      ...{ name: 'nats-server', command, args: rest, readyMs, endSignal: 'SIGKILL' },
      onLine(line) {
        port = /Listening for client connections on \S+:(\d+)/.exec(line)?.[1] ?? port;
        return line.includes('Server is ready');
      },
    });
  };
  let child = await launch();
  const stop = (): Promise<void> => stopProgram(child, 'SIGTERM', stopMs);
  return {
    url: `nats://${login === undefined ? '' : `${login}@`}${on?.address ?? address}:${port}`,
    get pid() {
      return hasEnded(child) ? 0 : (child.pid ?? 0);
    },
    stop,
    async restart() {
      await stop();
      child = await launch();
    },
    async pause() {
      child.kill('SIGSTOP');
      await standsStill(child.pid ?? 0);
    },
    resume: () => void child.kill('SIGCONT'),
  };
}

function natsServerBinary(): string {
  const environment = processEnvironment();
  const given = environment.SVC_NATS_SERVER_BIN;
  if (given !== undefined && given !== '') {
    if (isExecutable(given)) return given;
    throw new Error(`SVC_NATS_SERVER_BIN is ${given}, which is not an executable file`);
  }
  const name = process.platform === 'win32' ? 'nats-server.exe' : 'nats-server';
  const folders = (environment.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const found = [...folders, cache].map((folder) => join(folder, name)).find(isExecutable);
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
