import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@lab/testkit';

/** Where `tools/mosquitto.mjs` puts it if the system has none. */
const unpacked = fileURLToPath(new URL('../../../../.cache/mosquitto/usr', import.meta.url));
const libraries = `${unpacked}/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`;
const own = {
  ...process.env,
  LD_LIBRARY_PATH: [libraries, process.env['LD_LIBRARY_PATH']].filter(Boolean).join(':'),
};

interface Programs {
  broker: string;
  passwords: string;
  env: NodeJS.ProcessEnv;
}

/** The programs of mosquitto; undefined: they are not here. */
export const mosquitto: Programs | undefined = [
  { broker: 'mosquitto', passwords: 'mosquitto_passwd', env: process.env },
  { broker: '/usr/sbin/mosquitto', passwords: 'mosquitto_passwd', env: process.env },
  { broker: `${unpacked}/sbin/mosquitto`, passwords: `${unpacked}/bin/mosquitto_passwd`, env: own },
].find(({ broker, env }) => {
  const { error, stdout } = spawnSync(broker, ['-h'], { env, encoding: 'utf8' });
  return error === undefined && stdout.includes('mosquitto version');
});

export interface BrokerOptions {
  tls?: { cert: string; key: string };
  /** Passwords by user; nobody else is admitted. */
  users?: Record<string, string>;
  /** Lines of the access list. */
  acl?: string[];
  lines?: string[];
}

function programs(): Programs {
  if (mosquitto === undefined) throw new Error('mosquitto is not installed');
  return mosquitto;
}

/** A mosquitto of its own. */
export class Broker {
  #child: ChildProcess | null = null;
  output = '';

  private constructor(
    readonly port: number,
    private readonly folder: string,
  ) {}

  static async start(options: BrokerOptions = {}): Promise<Broker> {
    const folder = mkdtempSync(join(tmpdir(), 'lab-mosquitto-'));
    const port = await freePort();
    const write = (name: string, text: string): string => {
      const path = join(folder, name);
      writeFileSync(path, text);
      chmodSync(path, 0o600);
      return path;
    };
    const { tls, users, acl, lines = [] } = options;
    const config = [
      `listener ${port} 127.0.0.1`,
      'persistence false',
      `user ${userInfo().username}`,
      ...lines,
    ];
    if (tls) config.push(`certfile ${write('cert.pem', tls.cert)}`, `keyfile ${write('key.pem', tls.key)}`);
    if (users === undefined) config.push('allow_anonymous true');
    else {
      const path = write(
        'passwords',
        Object.entries(users)
          .map(([user, word]) => `${user}:${word}\n`)
          .join(''),
      );
      const made = spawnSync(programs().passwords, ['-U', path], { env: programs().env });
      if (made.status !== 0) throw new Error(`mosquitto_passwd: ${made.stderr.toString()}`);
      config.push('allow_anonymous false', `password_file ${path}`);
    }
    if (acl) config.push(`acl_file ${write('acl', `${acl.join('\n')}\n`)}`);
    write('mosquitto.conf', `${config.join('\n')}\n`);
    const broker = new Broker(port, folder);
    await broker.up();
    return broker;
  }

  async up(): Promise<void> {
    const child = spawn(programs().broker, ['-c', join(this.folder, 'mosquitto.conf'), '-v'], {
      env: programs().env,
    });
    child.stdout.on('data', (text: Buffer) => (this.output += text.toString()));
    child.stderr.on('data', (text: Buffer) => (this.output += text.toString()));
    this.#child = child;
    for (let tries = 0; tries < 200; tries += 1) {
      if (await answers(this.port)) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`mosquitto does not listen: ${this.output}`);
  }

  /** Ends as when the power fails. */
  async down(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }

  async stop(): Promise<void> {
    await this.down();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
