import { execFile, type ChildProcess } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Computer, startNats, startProgram, stopProgram, type Disk, type NatsFixture } from '@lab/testkit';
import { Api, eventually } from '../api.js';

/** The service on one computer and an agent on another. Each computer has a network and a small disk of its own. */

const svc = fileURLToPath(new URL('../../apps/cli/bin/svc.mjs', import.meta.url));
const fixtures = fileURLToPath(new URL('../fixtures', import.meta.url));
export const lab = 'two_computers';

/** Enough for the database and the ledger of an agent, in MiB. */
const centralDisk = 256;
/** Enough for the ledger of an agent and the code of its devices, in MiB. */
const benchDisk = 96;
const port = 8070;
const here = `http://127.0.0.1:${port}`;

const sqlSource = `
import { readFileSync } from 'node:fs';
import pg from ${JSON.stringify(import.meta.resolve('pg'))};
const [folder, statement] = process.argv.slice(1);
const read = (name) => readFileSync(folder + '/' + name, 'utf8').trim();
const address = new URL(read('database-owner-url'));
address.username = 'lab';
address.password = read('postgres-password');
const client = new pg.Client(address.href);
client.on('error', () => process.exit(1));
await client.connect();
await client.query(statement);
await client.end();
`;

export interface Said {
  code: number;
  out: string;
  err: string;
}

/** What `svc broker` prints on the computer of the service. */
async function brokerSays(on: Computer, folder: string, ...args: string[]): Promise<string> {
  const env = { PATH: process.env['PATH'], SVC_DATA_DIR: join(folder, 'central') };
  const [command = '', ...rest] = on.enter(process.execPath, svc, 'broker', ...args);
  return (await promisify(execFile)(command, rest, { env })).stdout;
}

/** A nats-server of the lab's own, which accepts the processes of the service alone. */
async function startBroker(on: Computer, folder: string): Promise<NatsFixture> {
  const config = join(folder, 'nats.conf');
  const listen = ['--listen', `${on.address}:4222`, '--accounts', join(folder, 'accounts')];
  await writeFile(config, await brokerSays(on, folder, 'config', ...listen));
  return startNats({ on, args: ['-c', config] });
}

export class Plant {
  readonly api: Api;
  /** Everything that the processes of the service and of the agent printed. */
  readonly printed: string[] = [];

  private constructor(
    readonly folder: string,
    readonly central: Computer,
    readonly bench: Computer,
    readonly centralDisk: Disk,
    readonly benchDisk: Disk,
    readonly nats: NatsFixture,
    outside: number,
  ) {
    this.api = new Api(`http://127.0.0.1:${outside}`);
  }

  readonly #processes: ChildProcess[] = [];

  static async open(): Promise<Plant> {
    const central = await Computer.open();
    const folder = await mkdtemp(join(tmpdir(), 'svc-computers-'));
    try {
      const bench = await central.join();
      await Promise.all(['central', 'bench'].map((name) => mkdir(join(folder, name))));
      const disks = await Promise.all([
        central.mountDisk(join(folder, 'central'), centralDisk),
        bench.mountDisk(join(folder, 'bench'), benchDisk),
      ]);
      await layOut(folder);
      const nats = await startBroker(central, folder);
      const plant = new Plant(folder, central, bench, ...disks, nats, await central.forward(port));
      await plant.#start();
      return plant;
    } catch (error) {
      await central.close().catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  async #start(): Promise<void> {
    const { central, bench, folder, nats } = this;
    const service = {
      SVC_NATS_URL: nats.url,
      SVC_NATS_PLAIN: 'allowed',
      SVC_DATA_DIR: join(folder, 'central'),
      SVC_USER_DIR: join(folder, 'packages'),
      SVC_LABS: lab,
      SVC_HTTP_HOST: '0.0.0.0',
      SVC_HTTP_PORT: String(port),
      SVC_AUTH_OFF_ANYWHERE: 'true',
      SVC_PUBLIC_URL: `http://${central.address}:${port}`,
    };
    const agent = {
      SVC_NATS_URL: nats.url,
      SVC_NATS_PLAIN: 'allowed',
      SVC_NATS_CREDENTIALS: await brokerSays(central, folder, 'credentials', 'agent', 'bench_c'),
      SVC_DATA_DIR: join(folder, 'bench'),
    };
    await this.#launch('the stack', central, ['start'], service, /^ready /);
    await this.#launch('the agent', bench, ['agent', '--computer', 'bench_c'], agent, /"msg":"ready"/);
    await this.idle();
  }

  async #launch(name: string, on: Computer, args: string[], env: Record<string, string>, ready: RegExp) {
    const [command = '', ...rest] = on.enter(process.execPath, svc, ...args);
    const child = await startProgram({
      ...{ name, command, args: rest, env: { PATH: process.env['PATH'], ...env } },
      ...{ readyMs: 60_000, endSignal: 'SIGTERM' },
      onLine: (line) => {
        this.printed.push(line);
        return ready.test(line);
      },
    });
    this.#processes.push(child);
  }

  /** Waits until both arms can be used. */
  async idle(): Promise<void> {
    await eventually(
      () => this.api.devices().catch(() => []),
      (devices) => devices.length === 2 && devices.every(({ state }) => state === 'idle'),
    );
  }

  /** Runs `svc` on the computer of the service, as an operator does. */
  say(...args: string[]): Promise<Said> {
    const [command = '', ...rest] = this.central.enter(process.execPath, svc, ...args, '--url', here);
    return new Promise((resolve) => {
      execFile(command, rest, (error, out, err) =>
        resolve({ code: error === null ? 0 : Number(error.code), out, err }),
      );
    });
  }

  /** How many moves of an arm to a place began, over all processes of its device. */
  async moves(arm: string, to: string): Promise<number> {
    const trace = await readFile(join(this.folder, arm), 'utf8').catch(() => '');
    return trace.split('\n').filter((line) => line === to).length;
  }

  /** The processes on the computer of the service whose command lines have this part. */
  pids(command: string): number[] {
    return [...this.central.processes()].flatMap(([pid, line]) => (line.includes(command) ? [pid] : []));
  }

  /** The first of these processes. */
  pidOf(command: string): number {
    const [found] = this.pids(command);
    if (found === undefined) throw new Error(`no process has ${command} in its command line`);
    return found;
  }

  /** Whether the process of the service computer exists. */
  runs(pid: number): boolean {
    return this.central.processes().has(pid);
  }

  /** Sends a statement to the database, as its superuser. */
  async sql(statement: string): Promise<void> {
    const secrets = join(this.folder, 'central', 'secrets');
    await this.central.run(process.execPath, '--input-type=module', '-e', sqlSource, secrets, statement);
  }

  /** Answers every open question, and waits until both arms can be used. */
  async settle(): Promise<void> {
    for (const { id, actions } of await this.api.attention())
      if (actions.includes('idle')) await this.api.resolve(id, { action: 'idle', by: 'ada' });
    await this.idle();
  }

  /** Prints a duration, so that a run says what the machine needed. */
  measured(what: string, ms: number): void {
    process.stderr.write(`${what}: ${(ms / 1_000).toFixed(1)} s\n`);
  }

  async close(): Promise<void> {
    for (const child of this.#processes.reverse()) await stopProgram(child, 'SIGINT');
    await this.nats.stop();
    await this.central.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Writes the package of the laboratory. The traces of the arms are on the disk of this machine. */
async function layOut(folder: string): Promise<void> {
  const target = join(folder, 'packages', lab);
  await cp(join(fixtures, lab), target, { recursive: true });
  const file = join(target, 'laboratories', lab, 'lab.yml');
  const text = await readFile(file, 'utf8');
  const traced = text.replace(/^ {2}(\w+_arm):$/gm, `$&\n    init_parameters: { trace: ${folder}/$1 }`);
  await writeFile(file, traced);
}
