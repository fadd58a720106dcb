import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessRole } from '@lab/contracts';
import { startPostgres, type RunningPostgres } from '@lab/persistence/embedded';
import { actKeys, freePort, Link, startSecuredNats, type SecuredNats } from '@lab/testkit';
import type { Chance } from '@lab/testkit/faults';
import { svc } from '../shared/paths.js';
import { readUnlessGone, runningProcesses, signal } from '../shared/processes.js';
import type { Target } from './faults.js';

interface Service {
  /** Its program and the arguments. */
  command: string[];
  env: Record<string, string>;
  /** Undefined between the end of a process and its restart. */
  child: ChildProcess | undefined;
  exited: Promise<void>;
  restart: NodeJS.Timeout | undefined;
  /** When it was ready, by performance.now(). */
  readyAt: number | undefined;
}

/** The servers that every service needs. */
interface Servers {
  nats: SecuredNats;
  postgres: RunningPostgres;
}

interface Layout {
  computers: string[];
  orchestrators: number;
  previous: { main: string; computers: readonly string[] };
}

/** The real processes of the service. Each has its own links and is started again when it ends. */
export class Plant implements Target {
  /** The link to the broker by the name of the service, `db:<name>` to the database, `http` to the gateway. */
  readonly links = new Map<string, Link>();
  /** When each service was started, in milliseconds since 1970. */
  readonly starts: { name: string; at: number }[] = [];
  readonly smallDisks: string[] = [];
  postgresServes = true;
  url = '';
  #servers: Servers | undefined;
  readonly #services = new Map<string, Service>();
  readonly #mounts: string[] = [];
  #stopping = false;

  /** @param chance decides how long an ended process is away */
  constructor(
    readonly folder: string,
    private readonly chance: Chance,
  ) {}

  get databaseUrl(): string {
    return this.#running.postgres.url;
  }

  get names(): string[] {
    return [...this.#services.keys()];
  }

  /**
   * @param previous main file of the previous release of the agent, and the computers on which it runs
   */
  async start({ computers, orchestrators, previous }: Layout): Promise<void> {
    for (const name of ['logs', 'tmp', 'nothing']) await mkdir(join(this.folder, name), { recursive: true });
    const [nats, postgres] = await Promise.all([startSecuredNats(), this.#launchPostgres()]);
    this.#servers = { nats, postgres };
    const httpPort = await freePort();
    const http = await this.#link('http', httpPort);
    const shared = {
      SVC_UPLOAD_SECRET: 'the secret of one hour of chaos, long enough',
      ...actKeys(),
      SVC_HTTP_PORT: String(httpPort),
      SVC_PUBLIC_URL: `http://127.0.0.1:${http.port}`,
      SVC_USER_DIR: join(this.folder, 'packages'),
      SVC_DATA_DIR: join(this.folder, 'central'),
    };
    for (let number = 1; number <= orchestrators; number += 1)
      await this.#add(`orchestrator_${number}`, ['orchestrator'], shared, true);
    await this.#add('gateway', ['gateway'], shared, true);
    await this.#add('optimizer', ['optimizer'], shared, false);
    for (const computer of computers) {
      const dataDir = join(this.folder, computer);
      await mkdir(dataDir, { recursive: true });
      const own = {
        SVC_DATA_DIR: dataDir,
        SVC_USER_DIR: join(this.folder, 'nothing'),
        SVC_TASK_POOL_SIZE: '1',
      };
      const args = ['agent', '--computer', computer];
      const command = previous.computers.includes(computer)
        ? [previous.main, ...args.slice(1)]
        : [svc, ...args];
      await this.#add(`agent_${computer}`, args, own, false, command);
    }
    this.url = `http://127.0.0.1:${httpPort}`;
  }

  /** Gives an agent a small disk of its own that can be filled, if this machine allows it. */
  giveSmallDisk(computer: string, megabytes: number): void {
    const path = join(this.folder, computer);
    try {
      execFileSync('mkdir', ['-p', path]);
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path], { stdio: 'ignore' });
    } catch {
      // The machine does not allow it. The run prints that it has no such fault.
      return;
    }
    this.#mounts.push(path);
    this.smallDisks.push(computer);
  }

  /** Leaves no byte free for `ms` milliseconds. */
  async fillDisk(computer: string, ms: number): Promise<void> {
    const path = join(this.folder, computer);
    const filler = join(path, 'filler');
    const { bavail, bsize } = await statfs(path);
    try {
      await writeFile(filler, Buffer.alloc(Number(bavail) * Number(bsize) + 65_536));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
    await delay(ms);
    await rm(filler, { force: true });
  }

  /** Process id of a service; undefined until it is started again. */
  pidOf(name: string): number | undefined {
    return this.#services.get(name)?.child?.pid;
  }

  get natsPid(): number | undefined {
    return this.#running.nats.pid || undefined;
  }

  /** When the last started process was ready, by performance.now(); undefined: a process is not ready yet. */
  get wholeSince(): number | undefined {
    const moments = [...this.#services.values()].map(({ readyAt }) => readyAt);
    return moments.includes(undefined) ? undefined : Math.max(...(moments as number[]));
  }

  /** Children of an agent whose command line names the host: `device-host` or `task-host`. */
  childrenOf(name: string, host: string): { pid: number }[] {
    const parent = this.pidOf(name);
    if (parent === undefined) return [];
    return runningProcesses().filter((each) => each.parent === parent && each.command.includes(host));
  }

  async crashNats(downMs: number): Promise<void> {
    signal(this.natsPid, 'SIGKILL');
    await delay(downMs);
    await this.#running.nats.restart();
  }

  async crashPostgres(downMs: number): Promise<void> {
    this.postgresServes = false;
    const { port } = this.#running.postgres;
    await this.#running.postgres.kill();
    await delay(downMs);
    this.#running.postgres = await this.#launchPostgres(port);
    this.postgresServes = true;
  }

  /**
   * Processes whose environment names the folder of this plant: every service and its descendants. A process that is about
   * to end gets one second.
   */
  async leftovers(): Promise<{ pid: number; command: string }[]> {
    const found = () =>
      runningProcesses().filter(({ pid }) => readUnlessGone(`/proc/${pid}/environ`)?.includes(this.folder));
    if (found().length > 0) await delay(1_000);
    return found().map(({ pid, command }) => ({ pid, command: command.slice(0, 120) }));
  }

  /** Ends all services in order. @returns the names of those that had to be killed */
  async stop(): Promise<string[]> {
    this.#stopping = true;
    const late: string[] = [];
    await Promise.all(
      [...this.#services].map(async ([name, { restart, child, exited }]) => {
        clearTimeout(restart);
        if (child === undefined) return;
        signal(child.pid, 'SIGCONT');
        child.kill('SIGTERM');
        if (await Promise.race([exited.then(() => true), delay(60_000, false)])) return;
        late.push(name);
        child.kill('SIGKILL');
        await exited;
      }),
    );
    return late;
  }

  /** Ends everything: services, links, servers and disks. */
  async dispose(): Promise<void> {
    await this.stop();
    for (const link of this.links.values()) link.close();
    await Promise.all([this.#servers?.nats.stop(), this.#servers?.postgres.stop()]);
    for (const path of this.#mounts) execFileSync('umount', ['-l', path]);
  }

  get #running(): Servers {
    if (this.#servers === undefined) throw new Error('the plant has not been started');
    return this.#servers;
  }

  #launchPostgres(port?: number): Promise<RunningPostgres> {
    const dataDir = join(this.folder, 'postgres', 'data');
    return startPostgres({ dataDir, ...(port === undefined ? {} : { port }) });
  }

  async #link(name: string, target: number): Promise<Link> {
    const link = await Link.open(target);
    this.links.set(name, link);
    return link;
  }

  /** The credentials of a service by its command, and the key of the authority for an orchestrator. */
  async #identity([role = '', , computer = role]: string[]): Promise<Record<string, string>> {
    const { keys, credentials } = this.#running.nats;
    const given: Record<string, string> = {
      SVC_NATS_CREDENTIALS: await credentials(role as ProcessRole, computer),
    };
    if (role === 'orchestrator') given['SVC_AUTHORITY_KEY'] = JSON.stringify(keys.authority);
    return given;
  }

  async #add(
    name: string,
    args: string[],
    env: Record<string, string>,
    needsDatabase: boolean,
    command = [svc, ...args],
  ): Promise<void> {
    const broker = await this.#link(name, Number(new URL(this.#running.nats.url).port));
    const own: Record<string, string> = {
      TMPDIR: join(this.folder, 'tmp'),
      SVC_NATS_URL: `nats://127.0.0.1:${broker.port}`,
      ...(await this.#identity(args)),
    };
    if (needsDatabase) {
      const address = new URL(this.#running.postgres.url);
      const database = await this.#link(`db:${name}`, Number(address.port));
      address.port = String(database.port);
      own['SVC_DATABASE_URL'] = address.href;
    }
    const service: Service = {
      command,
      env: { ...env, ...own },
      child: undefined,
      exited: Promise.resolve(),
      restart: undefined,
      readyAt: undefined,
    };
    this.#services.set(name, service);
    this.#launch(name, service);
  }

  #launch(name: string, service: Service): void {
    this.starts.push({ name, at: Date.now() });
    const child = spawn(process.execPath, service.command, {
      cwd: this.folder,
      env: { PATH: process.env['PATH'], ...service.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const log = createWriteStream(join(this.folder, 'logs', `${name}.log`), { flags: 'a' });
    log.write(`== started as process ${child.pid} at ${new Date().toISOString()}\n`);
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    service.child = child;
    service.readyAt = undefined;
    child.stdout.on('data', (text) => {
      if (service.readyAt === undefined && String(text).includes('"msg":"ready"'))
        service.readyAt = performance.now();
    });
    service.exited = new Promise((resolve) => {
      child.once('exit', (code, signalName) => {
        log.write(`== ended with ${signalName ?? code} at ${new Date().toISOString()}\n`);
        service.child = undefined;
        // A service manager restarts it as well.
        if (!this.#stopping)
          service.restart = setTimeout(() => this.#launch(name, service), this.chance.between(100, 1_500));
        resolve();
      });
    });
    // Output can arrive after the exit of the process; none arrives after `close`.
    child.once('close', () => log.end());
  }
}
