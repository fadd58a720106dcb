import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Python } from '@lab/hosting';
import { freePort } from '@lab/testkit';
import { withoutPython, withoutPythonVariable } from '@lab/testkit/python';
import { pythonEnvironment } from '../../apps/cli/src/demo/python-environment.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const cache = fileURLToPath(new URL('../../.cache/python/', import.meta.url));

/**
 * A Python with the packages of a lock beside this file; undefined, with one printed sentence, where there is none.
 *
 * @param minor of the oldest Python 3 that can run it
 */
export async function pythonFor(lock: string, what: string, minor = 10): Promise<string | undefined> {
  if (withoutPython()) return undefined;
  try {
    const found = await new Python(process.env['SVC_PYTHON']).find();
    if ('program' in found && spawnSync(found.program, ['-c', atLeast(minor)]).status !== 0)
      throw new Error(`${what} needs Python 3.${minor} or later, and ${found.program} is older`);
    return await pythonEnvironment(
      join(here, lock),
      cache,
      process.env['SVC_PYTHON'],
      () => undefined,
      AbortSignal.timeout(240_000),
    );
  } catch (error) {
    if (process.env[withoutPythonVariable] === '0') throw error;
    process.stderr.write(`The tests of ${what} DO NOT RUN: ${(error as Error).message}\n`);
    return undefined;
  }
}

const atLeast = (minor: number): string => `import sys; sys.exit(sys.version_info < (3, ${minor}))`;

export interface MadsciPeer {
  readonly url: string;
  readonly port: number;
  /** The moves that the arm has made, oldest first. */
  moves(): string[];
  /** Starts it again at the same address, with an empty memory. */
  restart(): Promise<void>;
  kill(): Promise<void>;
}

/**
 * A real node of MADSci.
 *
 * @param folder for its files
 * @param tls paths of its certificate and key; undefined: HTTP
 */
export async function startMadsciNode(
  python: string,
  folder: string,
  tls?: { certificate: string; key: string },
): Promise<MadsciPeer> {
  const port = await freePort();
  const url = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  const moves = join(folder, 'moves.txt');
  let node: ChildProcess | undefined;
  let said = '';
  const start = async (): Promise<void> => {
    node = spawn(python, [join(here, 'madsci_node.py')], {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        NODE_NAME: 'bench',
        NODE_URL: `${url}/`,
        MOVES: moves,
        // The tests ask more often than a lab does.
        NODE_RATE_LIMIT_REQUESTS: '1000000',
        NODE_RATE_LIMIT_SHORT_REQUESTS: '100000',
        ...(tls === undefined
          ? {}
          : {
              NODE_UVICORN_KWARGS: JSON.stringify({
                ssl_certfile: tls.certificate,
                ssl_keyfile: tls.key,
              }),
            }),
      },
    });
    node.stdout?.setEncoding('utf8').on('data', (text: string) => (said += text));
    node.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
    await ready(node, url, () => said);
  };
  const kill = async (): Promise<void> => {
    if (node === undefined || node.exitCode !== null || node.signalCode !== null) return;
    const ended = once(node, 'exit');
    node.kill('SIGKILL');
    await ended;
  };
  await start();
  return {
    url,
    port,
    moves: () => (existsSync(moves) ? readFileSync(moves, 'utf8').trim().split('\n') : []),
    kill,
    async restart() {
      await kill();
      await start();
    },
  };
}

/** Longest time for the imports of MADSci on a busy computer. */
const readyMs = 90_000;

async function ready(node: ChildProcess, url: string, said: () => string): Promise<void> {
  const late = Date.now() + readyMs;
  while (Date.now() < late) {
    if (node.exitCode !== null) throw new Error(`the node ended with ${node.exitCode}: ${said()}`);
    // A TLS node is asked only whether it accepts: its certificate is not trusted here.
    const answer = await fetch(`${url}/status`).then(
      async (response) => ((await response.json()) as { ready?: boolean }).ready === true,
      (error: unknown) =>
        url.startsWith('https') && /SELF_SIGNED|UNABLE_TO_VERIFY|certificate/.test(reason(error)),
    );
    if (answer) return;
    await pause(100);
  }
  throw new Error(`the node was not ready in time: ${said()}`);
}

function reason(error: unknown): string {
  const { cause } = error as { cause?: { code?: string; message?: string } };
  return `${cause?.code ?? ''} ${cause?.message ?? ''}`;
}
