import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessRole } from '@lab/contracts';
import { startPostgres, type RunningPostgres } from '@lab/persistence/embedded';
import { actKeys, freePort, Link, startSecuredNats, type SecuredNats } from '@lab/testkit';
import type { Chance } from '@lab/testkit/faults';
import { svc } from '../shared/paths.js';
import { signal } from '../shared/processes.js';
import type { Site } from './ending.js';
import type { Target } from './faults.js';
import type { Release } from './releases.js';
import { Services } from './services.js';

/** The servers that every service needs. */
interface Servers {
  nats: SecuredNats;
  postgres: RunningPostgres;
}

interface Layout {
  computers: string[];
  orchestrators: number;
  previous: Previous;
}

/** The previous release, and where it runs. */
export interface Previous extends Release {
  computers: readonly string[];
  /** The names of these orchestrators are the first ones. */
  orchestrators: number;
}

/** The real processes of the service. Each has its own links and is started again when it ends. */
export class Plant implements Target {
  /** The link to the broker by the name of the service, `db:<name>` to the database, `http` to the gateway. */
  readonly links = new Map<string, Link>();
  readonly smallDisks: string[] = [];
  postgresServes = true;
  url = '';
  #servers: Servers | undefined;
  readonly #services: Services;
  readonly #mounts: string[] = [];
  #leader: string | undefined;

  /** @param chance decides how long an ended process is away */
  constructor(
    readonly folder: string,
    private readonly chance: Chance,
  ) {
    this.#services = new Services(folder);
  }

  get databaseUrl(): string {
    return this.#running.postgres.url;
  }

  get names(): string[] {
    return this.#services.names;
  }

  /** The orchestrator that was the last to say that it leads. */
  get leader(): string | undefined {
    return this.#leader;
  }

  get starts(): Services['starts'] {
    return this.#services.starts;
  }

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
    for (let number = 1; number <= orchestrators; number += 1) {
      const command = number <= previous.orchestrators ? [previous.orchestrator] : undefined;
      await this.#add(`orchestrator_${number}`, ['orchestrator'], shared, true, command);
    }
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
        ? [previous.agent, ...args.slice(1)]
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
    return this.#services.pidOf(name);
  }

  get natsPid(): number | undefined {
    return this.#running.nats.pid || undefined;
  }

  childrenOf(name: string, host: string): { pid: number }[] {
    return this.#services.childrenOf(name, host);
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

  /** @param logs folder of the logs of the instruments */
  site(computers: readonly string[], logs: string): Site {
    const { folder, url, databaseUrl, starts } = this;
    return {
      ...{ computers, logs, folder, url, databaseUrl, starts },
      wholeSince: () => this.#services.wholeSince,
      stop: () => this.#services.stop(),
      leftovers: () => this.#services.leftovers(),
    };
  }

  /** Ends the orchestrator that leads as an update does. It starts again. @returns its name; undefined: nobody was told */
  changeLeader(): string | undefined {
    const name = this.#leader;
    return name !== undefined && signal(this.pidOf(name), 'SIGTERM') ? name : undefined;
  }

  /** What a service has written. */
  logOf(name: string): string {
    return readFileSync(join(this.folder, 'logs', `${name}.log`), 'utf8');
  }

  /** Ends everything: services, links, servers and disks. */
  async dispose(): Promise<void> {
    await this.#services.stop();
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
    this.#services.add(name, {
      command: [process.execPath, ...command],
      env: { ...env, ...own },
      restartMs: () => this.chance.between(100, 1_500),
      ready: /"msg":"ready"/,
      onOutput: (text) => {
        if (text.includes('"msg":"leading"')) this.#leader = name;
      },
    });
  }
}
