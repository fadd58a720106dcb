import { execFileSync, spawn } from 'node:child_process';
import { createWriteStream, readdirSync, readFileSync } from 'node:fs';
import { mkdir, statfs, writeFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '@lab/persistence/embedded';
import { freePort, startNats } from '@lab/testkit';
import { Link } from './link.ts';

const svc = fileURLToPath(new URL('../../apps/cli/bin/svc.mjs', import.meta.url));

/** The real processes of the service, every one behind links of its own, each started again when it ends. */
export class Plant {
  /** Name to its link to the broker, `db:<name>` to one to the database, `http` to the gateway. */
  links = new Map();
  #folder;
  #nats;
  /** False between two lives. */
  postgresServes = true;
  #postgres;
  #services = new Map();
  #mounts = [];
  /** When which service was started, in milliseconds since 1970. */
  starts = [];
  /** Computers whose agent has a small disk of its own, which can be filled. */
  smallDisks = [];
  #stopping = false;
  #chance;

  /** @param chance says how long a process that ended is away */
  constructor(folder, chance) {
    this.#folder = folder;
    this.#chance = chance;
  }

  get folder() {
    return this.#folder;
  }

  get databaseUrl() {
    return this.#postgres.url;
  }

  get names() {
    return [...this.#services.keys()];
  }

  async start({ computers, orchestrators }) {
    for (const name of ['logs', 'tmp', 'nothing']) await mkdir(join(this.#folder, name), { recursive: true });
    [this.#nats, this.#postgres] = await Promise.all([startNats(), this.#launchPostgres()]);
    const httpPort = await freePort();
    const natsPort = Number(new URL(this.#nats.url).port);
    const http = await this.#link('http', httpPort);
    const shared = {
      SVC_UPLOAD_SECRET: 'the secret of one hour of chaos, long enough',
      SVC_HTTP_PORT: String(httpPort),
      SVC_PUBLIC_URL: `http://127.0.0.1:${http.port}`,
      SVC_USER_DIR: join(this.#folder, 'packages'),
      SVC_DATA_DIR: join(this.#folder, 'central'),
    };
    for (let number = 1; number <= orchestrators; number += 1)
      await this.#add(`orchestrator_${number}`, ['orchestrator'], shared, natsPort, true);
    await this.#add('gateway', ['gateway'], shared, natsPort, true);
    await this.#add('optimizer', ['optimizer'], shared, natsPort, false);
    for (const computer of computers) {
      const dataDir = join(this.#folder, computer);
      await mkdir(dataDir, { recursive: true });
      await this.#add(
        `agent_${computer}`,
        ['agent', '--computer', computer],
        { SVC_DATA_DIR: dataDir, SVC_USER_DIR: join(this.#folder, 'nothing'), SVC_TASK_POOL_SIZE: '1' },
        natsPort,
        false,
      );
    }
    this.url = `http://127.0.0.1:${httpPort}`;
  }

  /** A small disk of its own for an agent, so that it can be filled, if this machine allows it. */
  giveSmallDisk(computer, megabytes) {
    const path = join(this.#folder, computer);
    try {
      execFileSync('mkdir', ['-p', path]);
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path], { stdio: 'ignore' });
    } catch {
      // Not allowed here: the run says that it had no such fault.
      return;
    }
    this.#mounts.push(path);
    this.smallDisks.push(computer);
  }

  /** Leaves no byte free for `ms`. */
  async fillDisk(computer, ms) {
    const path = join(this.#folder, computer);
    const filler = join(path, 'filler');
    const { bavail, bsize } = await statfs(path);
    try {
      await writeFile(filler, Buffer.alloc(Number(bavail) * Number(bsize) + 65_536));
    } catch (error) {
      if (error.code !== 'ENOSPC') throw error;
    }
    await delay(ms);
    await rm(filler, { force: true });
  }

  /** Process id of a service; undefined between two lives. */
  pidOf(name) {
    return this.#services.get(name)?.child?.pid;
  }

  /** Undefined between two lives. */
  get natsPid() {
    return this.#nats.pid || undefined;
  }

  /** When the last process that was started began to serve, by performance.now(); undefined: one does not serve yet. */
  get wholeSince() {
    const moments = [...this.#services.values()].map(({ readyAt }) => readyAt);
    return moments.includes(undefined) ? undefined : Math.max(...moments);
  }

  /** Children of an agent whose command names the host: `device-host` or `task-host`. */
  childrenOf(name, host) {
    const parent = this.pidOf(name);
    if (parent === undefined) return [];
    return processes().filter((each) => each.parent === parent && each.command.includes(host));
  }

  async crashNats(downMs) {
    if (this.natsPid !== undefined) signal(this.natsPid, 'SIGKILL');
    await delay(downMs);
    await this.#nats.restart();
  }

  async crashPostgres(downMs) {
    this.postgresServes = false;
    const { port } = this.#postgres;
    await this.#postgres.kill();
    await delay(downMs);
    this.#postgres = await this.#launchPostgres(port);
    this.postgresServes = true;
  }

  /**
   * Processes that have the folder of this plant in their environment: every service and what it started. Those that are
   * just about to end are given a second.
   */
  async leftovers() {
    const found = () => processes().filter((each) => each.environment.includes(this.#folder));
    if (found().length > 0) await delay(1_000);
    return found().map(({ pid, command }) => ({ pid, command: command.slice(0, 120) }));
  }

  /** Ends everything in order; resolves with what had to be killed. */
  async stop() {
    this.#stopping = true;
    const late = [];
    await Promise.all(
      [...this.#services].map(async ([name, service]) => {
        clearTimeout(service.again);
        const { child } = service;
        if (child === undefined) return;
        signal(child.pid, 'SIGCONT');
        child.kill('SIGTERM');
        const gone = await Promise.race([service.exited.then(() => true), delay(60_000, false)]);
        if (gone) return;
        late.push(name);
        child.kill('SIGKILL');
        await service.exited;
      }),
    );
    return late;
  }

  /** The servers and links too. */
  async dispose() {
    await this.stop();
    for (const link of this.links.values()) await link.close();
    await Promise.all([this.#nats?.stop(), this.#postgres?.stop()]);
    for (const path of this.#mounts) execFileSync('umount', ['-l', path]);
  }

  #launchPostgres(port) {
    return startPostgres({
      dataDir: join(this.#folder, 'postgres', 'data'),
      ...(port === undefined ? {} : { port }),
    });
  }

  async #link(name, target) {
    const link = await Link.open(target);
    this.links.set(name, link);
    return link;
  }

  async #add(name, args, env, natsPort, needsDatabase) {
    const broker = await this.#link(name, natsPort);
    const own = { SVC_NATS_URL: `nats://127.0.0.1:${broker.port}` };
    if (needsDatabase) {
      const database = new URL(this.#postgres.url);
      const wire = await this.#link(`db:${name}`, Number(database.port));
      database.port = String(wire.port);
      own.SVC_DATABASE_URL = database.href;
    }
    const service = {
      args,
      env: { ...env, ...own, TMPDIR: join(this.#folder, 'tmp') },
      child: undefined,
      exited: undefined,
      again: undefined,
      readyAt: undefined,
    };
    this.#services.set(name, service);
    this.#launch(name, service);
  }

  #launch(name, service) {
    this.starts.push({ name, at: Date.now() });
    const child = spawn(process.execPath, [svc, ...service.args], {
      cwd: this.#folder,
      env: { PATH: process.env.PATH, ...service.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const log = createWriteStream(join(this.#folder, 'logs', `${name}.log`), { flags: 'a' });
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
        log.end(`== ended with ${signalName ?? code} at ${new Date().toISOString()}\n`);
        service.child = undefined;
        // As a service manager would.
        if (!this.#stopping)
          service.again = setTimeout(() => this.#launch(name, service), this.#chance.between(100, 1_500));
        resolve();
      });
    });
  }
}

/** @returns whether there was such a process */
export function signal(pid, name) {
  // 0 and negative numbers mean groups of processes, this one's too.
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, name);
    return true;
  } catch (error) {
    if (error.code === 'ESRCH') return false;
    throw error;
  }
}

/** All processes of this machine that can be looked at. Linux only. */
function processes() {
  const all = [];
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (state === 'Z') continue;
      const command = readFileSync(`/proc/${entry}/cmdline`, 'utf8').split('\0').join(' ');
      const environment = readFileSync(`/proc/${entry}/environ`, 'utf8');
      all.push({ pid: Number(entry), parent: Number(parent), command, environment });
    } catch (error) {
      if (!['ENOENT', 'ESRCH', 'EACCES'].includes(error.code)) throw error;
    }
  }
  return all;
}
