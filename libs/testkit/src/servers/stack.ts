import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { processEnvironment } from '@lab/runtime';
import { forEachLine, startProgram, stopProgram } from './program.js';

/** The real processes of the service, started as a user would, from outside. */

/** The built command line; the same path from the sources and from the build of this library. */
const cli = fileURLToPath(new URL('../../../../apps/cli/bin/svc.mjs', import.meta.url));

export interface StackOptions {
  /** Path of the command line. Default: that of this repository. */
  program?: string;
  /** Folder of packages. Default: the lab packages of the product. */
  userDir?: string;
  /** Keep what an earlier stack left; default: a fresh folder that is removed at the end. */
  dataDir?: string;
  env?: Record<string, string>;
  /** Further arguments of `svc start`. */
  args?: readonly string[];
  /**
   * How long to wait for `ready`, in milliseconds. Default: longer than `svc start` waits for a service, so that it says itself which
   * one is not ready.
   */
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
  /** As {@link beside}, with further environment variables. */
  besideWith(env: Readonly<Record<string, string>>, ...args: string[]): ChildProcess;
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

/** Lines of each log in an error. */
const shownLines = 5;

/** How often another port is tried after another process took the first one. */
const portTries = 3;

/**
 * Starts the whole service with `svc start` and waits until it serves.
 *
 * @throws Error with everything it printed and the end of each log, when it exits or is not ready in time
 */
export async function startServiceStack(options: StackOptions = {}): Promise<Stack> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'svc-stack-')));
  const own = {
    SVC_DATA_DIR: dataDir,
    ...(options.userDir === undefined ? {} : { SVC_USER_DIR: options.userDir }),
    ...options.env,
  };
  const { program = cli, readyMs = 75_000, args: flags = [] } = options;
  const { supervisor, printed, env, url } = await launch([program, 'start', ...flags], own, readyMs);
  const beside: ChildProcess[] = [];
  const startBeside = (more: Readonly<Record<string, string>>, args: readonly string[]): ChildProcess => {
    const child = spawn(process.execPath, [program, ...args], {
      env: { ...env, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    forEachLine(child, (line) => printed.push(line));
    beside.push(child);
    return child;
  };
  const stop = async (): Promise<number | null> => {
    await Promise.all(beside.map((child) => stopProgram(child)));
    await stopProgram(supervisor, 'SIGINT');
    return supervisor.exitCode;
  };
  return {
    url,
    dataDir,
    pid: supervisor.pid ?? 0,
    output: () => printed.join('\n'),
    stop,
    kill: () => stopProgram(supervisor, 'SIGKILL'),
    beside: (...args) => startBeside({}, args),
    besideWith: (more, ...args) => startBeside(more, args),
    async dispose() {
      await stop();
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function launch(args: readonly string[], own: Record<string, string>, readyMs: number) {
  for (let attempt = 1; ; attempt += 1) {
    const port = String(await freePort());
    const env: NodeJS.ProcessEnv = { ...processEnvironment(), SVC_HTTP_PORT: port, ...own };
    const printed: string[] = [];
    let url = '';
    try {
      const supervisor = await startProgram({
        ...{ name: 'the stack', command: process.execPath, args, env },
        ...{ readyMs, endSignal: 'SIGTERM' },
        onLine(line) {
          printed.push(line);
          url = /^ready (https?:\S+)/.exec(line)?.[1] ?? url;
          return url !== '';
        },
      });
      return { supervisor, printed, env, url };
    } catch (error) {
      const taken = printed.some(
        (line) => line.includes(port) && /EADDRINUSE|Port \d+ of \S+ is in use/.test(line),
      );
      if (taken && env['SVC_HTTP_PORT'] === port && attempt < portTries) continue;
      const said = error instanceof Error ? error.message : String(error);
      throw new Error([said, ...endsOfLogs(own['SVC_DATA_DIR'])].join('\n'), { cause: error });
    }
  }
}

/** The last lines of each log of a stack, which are gone with its folder. */
function endsOfLogs(dataDir: string | undefined): string[] {
  const folder = join(dataDir ?? '', 'logs');
  if (dataDir === undefined || !existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => [
    `-- ${name}`,
    ...readFileSync(join(folder, name), 'utf8').trimEnd().split('\n').slice(-shownLines),
  ]);
}
