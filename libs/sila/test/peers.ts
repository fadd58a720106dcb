import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from '@lab/testkit';
import { withoutPython, withoutPythonVariable } from '@lab/testkit/python';
import { pythonEnvironment } from '../../../apps/cli/src/demo/python-environment.js';

/** SiLA servers in Python, made with the libraries that most servers are made with. */

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = fileURLToPath(new URL('./peers/', import.meta.url));

/** Python with the libraries of the peers; undefined: there is no Python, or nowhere to get them from. */
export const python = withoutPython() ? undefined : await environment();

async function environment(): Promise<string | undefined> {
  try {
    return await pythonEnvironment(
      join(folder, 'requirements.lock'),
      join(root, '.cache', 'python'),
      process.env['SVC_PYTHON'],
      () => undefined,
      AbortSignal.timeout(240_000),
    );
  } catch (error) {
    if (process.env[withoutPythonVariable] === '0') throw error;
    process.stderr.write(`The tests of SiLA DO NOT RUN: ${(error as Error).message}\n`);
    return undefined;
  }
}

export const libraries = ['sila2', 'unitelabs'] as const;
export type Library = (typeof libraries)[number];

interface PeerOptions {
  port?: number;
  uuid?: string;
  /** It makes a certificate for itself. */
  tls?: boolean;
  /** Files of a certificate that an authority has issued. */
  keys?: { key: string; certificate: string };
  discovery?: boolean;
  /** It has a LockController that protects the feature Bench. */
  lock?: boolean;
  /** It has a CancelController. */
  cancel?: boolean;
}

/** A running SiLA server with the feature Bench and a lock. */
export class Peer {
  private constructor(
    private readonly child: ChildProcess,
    readonly library: Library,
    readonly port: number,
    readonly uuid: string,
  ) {}

  static async start(library: Library, options: PeerOptions = {}): Promise<Peer> {
    const { port = await freePort(), uuid = randomUUID(), keys } = options;
    const switches = (['tls', 'discovery', 'lock', 'cancel'] as const).filter(
      (each) => options[each] === true,
    );
    const flags = [
      ...switches.map((each) => `--${each}`),
      ...(keys === undefined ? [] : ['--key', keys.key, '--certificate', keys.certificate]),
    ];
    const child = spawn(
      python ?? '',
      ['-W', 'ignore', '-X', 'utf8', `${library}_server.py`, String(port), uuid, ...flags],
      {
        cwd: folder,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
      },
    );
    let said = '';
    child.stderr?.on('data', (text: Buffer) => (said = `${said}${text.toString()}`.slice(-4_000)));
    const ended = once(child, 'exit');
    for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
      if (line === 'ready') return new Peer(child, library, port, uuid);
    }
    await ended;
    throw new Error(`the peer ${library} did not start: ${said}`);
  }

  get address(): { host: string; port: number } {
    return { host: '127.0.0.1', port: this.port };
  }

  /** Ends the process without a chance to say goodbye. */
  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }

  /** A server with the same address and identity, after the end of this one. */
  async restart(options: PeerOptions = {}): Promise<Peer> {
    await this.kill();
    return Peer.start(this.library, { port: this.port, uuid: this.uuid, ...options });
  }

  /** Stops the process in the middle of everything, or lets it go on. */
  freeze(isFrozen: boolean): void {
    this.child.kill(isFrozen ? 'SIGSTOP' : 'SIGCONT');
  }
}
