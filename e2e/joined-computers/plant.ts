import { execFile, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { rootCertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Computer, startProgram, stopProgram } from '@lab/testkit';
import { Api } from '../api.js';

/** The service on one computer, and instrument PCs that join it with the package of the agent. */

const execute = promisify(execFile);
const svc = fileURLToPath(new URL('../../apps/cli/bin/svc.mjs', import.meta.url));
const tool = fileURLToPath(new URL('../../tools/run.mjs', import.meta.url));
const fixtures = fileURLToPath(new URL('../fixtures', import.meta.url));
export const lab = 'two_computers';
const port = 8443;

export interface Said {
  code: number;
  out: string;
  err: string;
}

/** An instrument PC. It has no Node, no npm and no way out of the network of the test. */
export class Pc {
  #agent: ChildProcess | undefined;

  constructor(
    readonly name: string,
    readonly computer: Computer,
    private readonly plant: Plant,
  ) {}

  get data(): string {
    return join(this.plant.folder, this.name);
  }

  /** Runs `svc-agent` of the package with an empty environment. */
  async say(...args: string[]): Promise<Said> {
    const [command = '', ...rest] = this.computer.enter(
      'env',
      '-i',
      join(this.plant.agentFolder, 'svc-agent'),
      ...args,
    );
    return new Promise((resolve) => {
      execFile(command, rest, (error, out, err) =>
        resolve({ code: error === null ? 0 : Number(error.code), out, err }),
      );
    });
  }

  /** Does what the line of an invitation says, but for the service of the operating system. */
  join(line: string, ...more: string[]): Promise<Said> {
    const [, ...args] = line.trim().split(' ');
    return this.say(...args, '--no-service', '--data', this.data, ...more);
  }

  async start(): Promise<void> {
    const program = join(this.plant.agentFolder, 'svc-agent');
    const [command = '', ...args] = this.computer.enter('env', '-i', program, 'run', '--data', this.data);
    this.#agent = await startProgram({
      ...{ name: `the agent of ${this.name}`, command, args, readyMs: 60_000, endSignal: 'SIGTERM' },
      onLine: (line) => {
        this.plant.printed.push(`${this.name}: ${line}`);
        return line.includes('"msg":"ready"');
      },
    });
  }

  /** Ends the agent and all its devices and tasks at once. */
  async crash(): Promise<void> {
    await this.computer.crash();
    this.#agent = undefined;
  }

  async stop(): Promise<void> {
    if (this.#agent !== undefined) await stopProgram(this.#agent, 'SIGTERM');
    this.#agent = undefined;
  }
}

export class Plant {
  readonly printed: string[] = [];
  readonly pcs: Pc[] = [];
  #service: ChildProcess | undefined;
  #endCapture: (() => Promise<void>) | undefined;
  #api: Api | undefined;

  private constructor(
    readonly folder: string,
    readonly central: Computer,
    /** Folder of the unpacked package of the agent. */
    readonly agentFolder: string,
  ) {}

  /** Makes and unpacks the package, and starts the service. */
  static async open(...pcs: string[]): Promise<Plant> {
    const central = await Computer.open();
    const folder = await mkdtemp(join(tmpdir(), 'svc-joined-'));
    try {
      const plant = new Plant(folder, central, await unpacked(folder));
      await layOut(folder);
      for (const name of pcs) plant.pcs.push(new Pc(name, await central.join(), plant));
      plant.#endCapture = await central.capture(plant.captured);
      await plant.#serve();
      return plant;
    } catch (error) {
      await central.close().catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** The file with every packet between the computers. */
  get captured(): string {
    return join(this.folder, 'packets');
  }

  /** The folder of the packages that the service offers. */
  get offered(): string {
    return join(this.folder, 'offered');
  }

  /** Puts a package of the agent under another version into the folder of the service. */
  async offer(version: string): Promise<void> {
    await execute(process.execPath, [
      ...[tool, 'package/package', '--out', this.offered, '--own-node', '--version', version],
    ]);
  }

  /** Puts a package into the folder of the service whose agent crashes when it starts. */
  async offerBroken(version: string): Promise<void> {
    const folder = join(this.folder, 'broken');
    const draft = join(folder, 'archives');
    await execute(process.execPath, [
      ...[tool, 'package/package', '--out', draft, '--own-node', '--version', version],
    ]);
    const archive = await archiveIn(draft);
    await execute('tar', ['-xzf', join(draft, archive), '-C', folder]);
    const name = archive.replace(/\.tar\.gz$/, '');
    const program = 'app/dist/bundle/svc-agent.js';
    const text = "throw new Error('this version is broken');\n";
    await writeFile(join(folder, name, program), text);
    const path = join(folder, name, 'manifest.json');
    const manifest = JSON.parse(await readFile(path, 'utf8')) as { files: Record<string, string> };
    manifest.files[program] = createHash('sha256').update(text).digest('hex');
    await writeFile(path, JSON.stringify(manifest));
    await execute('tar', ['-czf', join(this.offered, archive), '-C', folder, name]);
  }

  get url(): string {
    return `https://${this.central.address}:${port}`;
  }

  get api(): Api {
    if (this.#api === undefined) throw new Error('the service does not run');
    return this.#api;
  }

  readonly #env = (): Record<string, string> => ({
    PATH: process.env['PATH'] ?? '',
    SVC_DATA_DIR: join(this.folder, 'central'),
    SVC_USER_DIR: join(this.folder, 'packages'),
    SVC_LABS: lab,
    SVC_AUTH: 'tokens',
    SVC_HTTP_HOST: '0.0.0.0',
    SVC_HTTP_PORT: String(port),
    SVC_HTTPS_CERTIFICATE: 'own',
    SVC_HTTPS_NAMES: this.central.address,
    SVC_AGENT_PACKAGES: this.offered,
  });

  async #serve(): Promise<void> {
    const [command = '', ...args] = this.central.enter(process.execPath, svc, 'start');
    this.#service = await startProgram({
      ...{ name: 'the service', command, args, env: this.#env(), readyMs: 90_000, endSignal: 'SIGTERM' },
      onLine: (line) => {
        this.printed.push(line);
        return line.startsWith('ready ');
      },
    });
    const { out: token } = await this.say('token', 'create', 'root', '--role', 'admin', '--local');
    await writeFile(join(this.folder, 'token'), token.trim());
    const authority = await readFile(join(this.folder, 'central', 'ca.pem'), 'utf8');
    const { Agent, fetch } = await import('undici');
    const dispatcher = new Agent({ connect: { ca: [...rootCertificates, authority] } });
    const send = ((url: string, options: object) =>
      fetch(url, { ...options, dispatcher })) as typeof globalThis.fetch;
    this.#api = new Api(`https://127.0.0.1:${await this.central.forward(port)}`, token.trim(), send);
  }

  /** Runs `svc` on the computer of the service, as an administrator does. */
  async say(...args: string[]): Promise<Said> {
    const token = await readFile(join(this.folder, 'token'), 'utf8').catch(() => '');
    const env = { ...this.#env(), ...(token === '' ? {} : { SVC_TOKEN: token }) };
    const [command = '', ...rest] = this.central.enter(process.execPath, svc, ...args);
    return new Promise((resolve) => {
      execFile(command, rest, { env }, (error, out, err) =>
        resolve({ code: error === null ? 0 : Number(error.code), out, err }),
      );
    });
  }

  /** @returns the line for the computer */
  async invite(name: string, ...more: string[]): Promise<string> {
    const { out, err } = await this.say('agent', 'invite', name, ...more);
    const line = out.split('\n').find((each) => each.startsWith('svc-agent join '));
    if (line === undefined) throw new Error(`no invitation: ${out}${err}`);
    return line;
  }

  /** How many moves of an arm to a place began, over all processes of its device. */
  async moves(arm: string, to: string): Promise<number> {
    const trace = await readFile(join(this.folder, arm), 'utf8').catch(() => '');
    return trace.split('\n').filter((line) => line === to).length;
  }

  /** Ends the capture. @returns everything that went over the cables, as one-byte characters */
  async packets(): Promise<string> {
    await this.#endCapture?.();
    this.#endCapture = undefined;
    return readFile(this.captured, 'latin1');
  }

  measured(what: string, sinceMs: number): number {
    const seconds = (performance.now() - sinceMs) / 1_000;
    process.stderr.write(`${what}: ${seconds.toFixed(1)} s\n`);
    return seconds;
  }

  async close(): Promise<void> {
    await Promise.all(this.pcs.map((pc) => pc.stop()));
    if (this.#service !== undefined) await stopProgram(this.#service, 'SIGINT');
    await this.#endCapture?.();
    await this.central.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** The package for this computer, with the Node that runs this. @returns the folder with the launcher */
async function unpacked(folder: string): Promise<string> {
  const archives = join(folder, 'archives');
  await mkdir(archives);
  await execute(process.execPath, [tool, 'package/package', '--out', archives, '--own-node']);
  const archive = await archiveIn(archives);
  await mkdir(join(folder, 'agent'));
  await execute('tar', ['-xzf', join(archives, archive), '-C', join(folder, 'agent')]);
  const [name = ''] = await readdir(join(folder, 'agent'));
  return join(folder, 'agent', name);
}

/** @returns the name of the one archive in a folder. SBOM and provenance lie beside it. */
async function archiveIn(folder: string): Promise<string> {
  const [archive] = (await readdir(folder)).filter((name) => name.endsWith('.tar.gz'));
  if (archive === undefined) throw new Error(`${folder} has no archive`);
  return archive;
}

/** Writes the package of the laboratory, with each arm on an instrument PC. */
async function layOut(folder: string): Promise<void> {
  const target = join(folder, 'packages', lab);
  await cp(join(fixtures, lab), target, { recursive: true });
  const file = join(target, 'laboratories', lab, 'lab.yml');
  const text = await readFile(file, 'utf8');
  const moved = text
    .replace('computer: svc_computer', 'computer: bench_b')
    .replace('computers:\n', 'computers:\n  bench_b: { desc: In this room, ip: 10.77.0.9 }\n')
    .replace(/^ {2}(\w+_arm):$/gm, `$&\n    init_parameters: { trace: ${folder}/$1 }`);
  await writeFile(file, moved);
}
