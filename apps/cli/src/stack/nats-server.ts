import { accessSync, constants } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Secret, startChild, type ChildOptions, type RunningChild } from '@lab/runtime';
import type { BrokerAccess } from './broker-access.js';
import { type DataFolder } from './data-folder.js';
import { readIfThere, writePrivately } from './private-files.js';
import { freePort } from './ports.js';

const program = process.platform === 'win32' ? 'nats-server.exe' : 'nats-server';
const projectCache = fileURLToPath(new URL('../../../../.cache/bin/', import.meta.url));

/** A nats-server of this stack. Its address stays the same when it restarts. */
export interface Broker {
  readonly url: Secret;
  launch(signal: AbortSignal): Promise<RunningChild>;
}

/**
 * Finds the program and writes its configuration. It uses the port of the earlier stack of this data folder if that port
 * is free, so that agents outside of the stack find the server after a restart.
 *
 * @throws Error in one sentence when the program does not exist
 */
export async function prepareBroker(
  data: DataFolder,
  access: BrokerAccess,
  env: Readonly<Record<string, string | undefined>>,
  observe: Pick<ChildOptions, 'onLine' | 'onSpawn'>,
): Promise<Broker> {
  const binary = findNatsServer(env);
  const portPath = join(data.nats, 'port');
  const port = await freePort(Number(readIfThere(portPath) ?? 0) || 0);
  writePrivately(portPath, String(port));
  const configPath = join(data.nats, 'server.conf');
  writePrivately(configPath, serverConfig(port, await access.serverSettings()));
  return {
    url: new Secret(`nats://127.0.0.1:${port}`),
    launch: (signal) =>
      startChild(
        {
          name: 'nats-server',
          command: { program: binary, args: ['-c', configPath] },
          env: { PATH: env.PATH },
          ready: (over) => brokerGreets(port, over),
          startTimeoutMs: 10_000,
          stopTimeoutMs: 5_000,
          ...observe,
        },
        signal,
      ),
  };
}

/** Uses only keys that version 2.9.10 knows. A submission has at most 1 MiB, so a message has at most twice that. */
function serverConfig(port: number, identity: readonly string[]): string {
  return [
    `listen: "127.0.0.1:${port}"`,
    'server_name: "svc"',
    ...identity,
    'ping_interval: "5s"',
    'ping_max: 2',
    'write_deadline: "2s"',
    'max_payload: 2097152',
    'max_pending: 16777216',
    'max_connections: 1024',
    'max_subscriptions: 65536',
    'max_control_line: 4096',
    '',
  ].join('\n');
}

/** @throws Error in one sentence when the program does not exist */
export function findNatsServer(env: Readonly<Record<string, string | undefined>>): string {
  const named = env.SVC_NATS_SERVER_BIN;
  if (named !== undefined && named !== '') {
    if (isProgram(named)) return named;
    throw new Error(`SVC_NATS_SERVER_BIN names ${named}, which is not a program.`);
  }
  const folders = [...(env.PATH ?? '').split(delimiter).filter(Boolean), projectCache];
  const found = folders.map((folder) => join(folder, program)).find(isProgram);
  if (found !== undefined) return found;
  throw new Error(
    'There is no nats-server; put the program on the PATH (in a clone of the product, "node tools/bootstrap.mjs" fetches it), name it with SVC_NATS_SERVER_BIN, or set SVC_NATS_URL to one that runs.',
  );
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/** Resolves when a nats-server answers on the port. Tries until the signal is aborted. */
async function brokerGreets(port: number, signal: AbortSignal): Promise<Record<string, unknown>> {
  for (;;) {
    signal.throwIfAborted();
    if (await greets(port)) return { port };
    await delay(10, undefined, { signal });
  }
}

function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: 1_000 });
    const end = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('data', (chunk) => end(chunk.toString('latin1').startsWith('INFO ')));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
    socket.once('close', () => end(false));
  });
}
