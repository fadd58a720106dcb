import { execFile, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { ProcessRole } from '@lab/contracts';
import { actKeys, Computer } from '@lab/testkit';
import { until } from '../../shared/measure.js';
import { svc } from '../../shared/paths.js';
import type { Site } from '../ending.js';
import { Services } from '../services.js';
import { databaseProxyFile, etcdFile, gatewayProxyFile, patroniFile, type Addresses } from './files.js';
import {
  etcd,
  haproxy,
  librariesEnv,
  natsServer,
  notAsRoot,
  patroni,
  postgresPrograms,
  swift,
} from './programs.js';
import { DatabaseState } from './state.js';

const execute = promisify(execFile);

/** Computers of the servers. `front` has the proxy before the gateways and the bucket of files. */
const serverNames = [
  ...['front', 'gateway1', 'gateway2', 'orchestrator1', 'orchestrator2'],
  ...['nats1', 'nats2', 'nats3', 'db1', 'db2', 'db3'],
] as const;
export type ServerName = (typeof serverNames)[number];

const brokers = ['nats1', 'nats2', 'nats3'] as const;
const databases = ['db1', 'db2'] as const;
const orchestrators = ['orchestrator1', 'orchestrator2'] as const;
const gateways = ['gateway1', 'gateway2'] as const;
const bucket = 'laboratory-files';
const s3User = { key: 'test:tester', secret: 'a-secret-of-the-cluster' };
const ready = /"msg":"ready"/;
/** Milliseconds after which a service manager starts a process again. */
const restartMs = { service: () => 1_000, database: () => 5_000 };

/** Two of each service, three brokers, and a database with a standby: each on a computer of its own, with a cable. */
export class Cluster {
  /** The services of the laboratory. */
  readonly services: Services;
  /** The programs that are not ours. */
  readonly servers: Services;
  url = '';
  databaseUrl = '';
  #state: DatabaseState | undefined;
  readonly #computers = new Map<string, Computer>();
  /** When each orchestrator began to lead, by performance.now(). Absent: it does not lead, as far as it said. */
  readonly #leads = new Map<string, number>();
  #switch: Computer | undefined;
  #s3: ChildProcess | undefined;

  /** @param computers names of the computers with instruments */
  constructor(
    readonly folder: string,
    readonly computers: readonly string[],
  ) {
    this.services = new Services(folder);
    this.servers = new Services(folder);
  }

  get state(): DatabaseState {
    if (this.#state === undefined) throw new Error('the cluster has not been started');
    return this.#state;
  }

  /** The orchestrator that leads; undefined: none does. */
  get leader(): string | undefined {
    // One that is stopped has not said that it leads no more.
    const [latest] = [...this.#leads].sort(([, one], [, other]) => other - one);
    return latest?.[0];
  }

  /** Why the cluster would not survive the next fault; undefined: it would. */
  get lack(): string | undefined {
    const waiting = [...this.services.notReady, ...this.servers.notReady];
    if (waiting.length > 0) return `${waiting.join(', ')} not ready`;
    if (!this.state.isWhole)
      return `the database has no synchronous standby: ${JSON.stringify(this.state.members)}`;
    if (this.leader === undefined) return 'no orchestrator leads';
    return undefined;
  }

  computer(name: string): Computer {
    const found = this.#computers.get(name);
    if (found === undefined) throw new Error(`there is no computer ${name}`);
    return found;
  }

  /** Processes of the database and its supervisor on a node, but not of etcd. */
  databaseProcesses(node: string): number[] {
    return [...this.computer(node).processes()].flatMap(([pid, command]) =>
      /postgres|patroni/.test(command) && !command.includes('etcd') ? [pid] : [],
    );
  }

  /** @throws Error that says what does not start */
  async start(): Promise<void> {
    for (const name of ['logs', 'tmp', 'nothing', 's3'])
      await mkdir(join(this.folder, name), { recursive: true });
    this.#switch = await Computer.open();
    for (const name of [...serverNames, ...this.computers])
      this.#computers.set(name, await this.#switch.join());
    const passwords = Object.fromEntries(
      ['superuser', 'replication', 'rewind', 'lab_owner', 'lab_orchestrator', 'lab_gateway'].map((name) => [
        name,
        randomBytes(18).toString('base64url'),
      ]),
    );
    await this.#svc('broker', 'certificate', 'localhost', '--out', join(this.folder, 'certificates'));
    await this.#startDatabase(passwords);
    await Promise.all([this.#startBrokers(), this.#startFront()]);
    await this.#makeDatabase(passwords);
    await this.#startServices(passwords);
  }

  site(logs: string): Site {
    const { folder, computers, url, databaseUrl, services } = this;
    return {
      ...{ folder, computers, logs, url, databaseUrl, starts: services.starts },
      wholeSince: () => (this.lack === undefined ? services.wholeSince : undefined),
      stop: () => services.stop(),
      leftovers: () => services.leftovers(),
    };
  }

  async dispose(): Promise<void> {
    await this.services.stop();
    this.#state?.stop();
    await this.servers.stop();
    this.#s3?.kill('SIGKILL');
    await this.#switch?.close().catch((error: Error) => console.log(error.message));
  }

  #address(name: string): string {
    return this.computer(name).address;
  }

  get #addresses(): Addresses {
    return {
      db1: this.#address('db1'),
      db2: this.#address('db2'),
      db3: this.#address('db3'),
      gateway1: this.#address('gateway1'),
      gateway2: this.#address('gateway2'),
    };
  }

  /** Runs a command of the service as its administrator. @returns what it printed */
  async #svc(...args: string[]): Promise<string> {
    return (await this.#svcWith({}, ...args)).trimEnd();
  }

  async #svcWith(env: Record<string, string>, ...args: string[]): Promise<string> {
    const all = { PATH: process.env['PATH'], SVC_DATA_DIR: join(this.folder, 'admin'), ...env };
    return (await execute(process.execPath, [svc, ...args], { env: all })).stdout;
  }

  /** Starts a server on its computer. */
  #serve(
    name: string,
    on: string,
    program: readonly string[],
    env: Record<string, string> = {},
    ms = restartMs.service,
  ) {
    const command = this.computer(on).enter(...program);
    this.servers.add(name, { command, env: { ...librariesEnv(), ...env }, restartMs: ms });
  }

  async #startDatabase(passwords: Record<string, string>): Promise<void> {
    const nodes = ['db1', 'db2', 'db3'] as const;
    await Promise.all(
      nodes.map(async (node) => {
        const folder = join(this.folder, node);
        await mkdir(join(folder, 'data'), { recursive: true, mode: 0o700 });
        const place = { node, folder, addresses: this.#addresses };
        const names = [this.#address(node), 'localhost', '127.0.0.1'];
        await this.#svc('broker', 'certificate', ...names, '--peer', '--out', join(folder, 'certificates'));
        await writeFile(join(folder, 'etcd.yml'), etcdFile(place));
        await writeFile(join(folder, 'patroni.yml'), patroniFile(place, postgresPrograms));
      }),
    );
    for (const node of nodes)
      this.#serve(`etcd_${node}`, node, [etcd, '--config-file', join(this.folder, node, 'etcd.yml')]);
    const given = {
      PATRONI_SUPERUSER_PASSWORD: passwords['superuser'] ?? '',
      PATRONI_REPLICATION_PASSWORD: passwords['replication'] ?? '',
      PATRONI_REWIND_PASSWORD: passwords['rewind'] ?? '',
    };
    for (const node of databases)
      this.#serve(
        `patroni_${node}`,
        node,
        patroni(join(this.folder, node, 'patroni.yml')),
        given,
        restartMs.database,
      );
    this.#state = new DatabaseState(
      this.computer('front'),
      databases.map((node) => this.#address(node)),
    );
  }

  async #startBrokers(): Promise<void> {
    const routes = brokers.map((name) => `${this.#address(name)}:6222`).join(',');
    for (const name of brokers) {
      const folder = join(this.folder, name);
      await mkdir(folder, { recursive: true });
      await this.#svc('broker', 'certificate', this.#address(name), '--peer', '--out', folder);
      const settings = await this.#svc(
        ...['broker', 'config', '--listen', `${this.#address(name)}:4222`, '--tls', folder],
        ...['--accounts', join(folder, 'accounts'), '--cluster', 'lab', '--node', name],
        ...['--route', `${this.#address(name)}:6222`, '--routes', routes],
      );
      await writeFile(join(folder, 'nats.conf'), settings);
      this.#serve(name, name, [natsServer(), '-c', join(folder, 'nats.conf')]);
    }
  }

  /** The proxies before the gateways and the database, and the bucket. */
  async #startFront(): Promise<void> {
    const front = this.computer('front');
    const s3 = front.spawn(...first(swift(join(this.folder, 's3'), s3User.key, s3User.secret)), {
      env: { PATH: process.env['PATH'], ...librariesEnv() },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.#s3 = s3;
    if (s3.stdout === null) throw new Error('Swift has no output');
    const [port] = (await once(createInterface(s3.stdout), 'line')) as [string];
    const files = `\nlisten files\n    mode tcp\n    bind 0.0.0.0:9000\n    server swift 127.0.0.1:${port}\n`;
    await writeFile(join(this.folder, 'gateways.cfg'), gatewayProxyFile(this.#addresses) + files);
    const authority = join(this.folder, 'certificates', 'ca.pem');
    await writeFile(join(this.folder, 'database.cfg'), databaseProxyFile(this.#addresses, authority));
    this.#serve('proxy', 'front', [haproxy, '-db', '-f', join(this.folder, 'gateways.cfg')]);
    for (const name of ['front', ...gateways, ...orchestrators])
      this.#serve(`haproxy_${name}`, name, [haproxy, '-db', '-f', join(this.folder, 'database.cfg')]);
    const outside = await front.forward(9000);
    const client = new S3Client({
      ...{ endpoint: `http://127.0.0.1:${outside}`, region: 'us-east-1', forcePathStyle: true },
      credentials: { accessKeyId: s3User.key, secretAccessKey: s3User.secret },
    });
    await until(
      () =>
        client.send(new CreateBucketCommand({ Bucket: bucket })).then(
          () => true,
          () => false,
        ),
      (made) => made,
      20_000,
      200,
    );
    client.destroy();
    this.url = `http://127.0.0.1:${await front.forward(8443)}`;
  }

  /** Makes the database of the service with its roles and tables. */
  async #makeDatabase(passwords: Record<string, string>): Promise<void> {
    await until(
      () => this.state,
      ({ primary }) => primary !== undefined,
      90_000,
      200,
    ).catch(() => {
      throw new Error(`Patroni made no database: see logs/patroni_db1.log in ${this.folder}`);
    });
    const port = await this.computer('front').forward(5000);
    const authority = join(this.folder, 'certificates', 'ca.pem');
    const at = (role: string, database: string): string =>
      `postgresql://${role}:${passwords[role === 'postgres' ? 'superuser' : role]}@localhost:${port}/${database}` +
      `?sslmode=verify-full&sslrootcert=${authority}`;
    const psql = (database: string, ...statements: string[]) =>
      execute(
        join(postgresPrograms, 'psql'),
        [
          '-v',
          'ON_ERROR_STOP=1',
          '-q',
          ...statements.flatMap((each) => ['-c', each]),
          at('postgres', database),
        ],
        { env: { PATH: process.env['PATH'], ...librariesEnv() } },
      );
    await until(
      () =>
        psql('postgres', 'create database lab').then(
          () => true,
          () => false,
        ),
      (made) => made,
      60_000,
      500,
    );
    await psql('lab', await this.#svc('database', 'roles'));
    for (const role of ['lab_owner', 'lab_orchestrator', 'lab_gateway'])
      await psql('lab', `alter role ${role} password '${passwords[role]}'`);
    await this.#svcWith({ SVC_DATABASE_OWNER_URL: at('lab_owner', 'lab') }, 'database', 'migrate');
    this.databaseUrl = at('postgres', 'lab');
  }

  async #startServices(passwords: Record<string, string>): Promise<void> {
    const keysPath = join(this.folder, 'admin', 'secrets', 'broker-keys');
    const keys = await readFile(keysPath, 'utf8');
    const authority = join(this.folder, 'certificates', 'ca.pem');
    const config = join(this.folder, 'config.yml');
    await writeFile(
      config,
      `files:\n  store: s3\n  bucket: ${bucket}\n  endpoint: http://${this.#address('front')}:9000\n  path_style: true\n` +
        // The tasks take milliseconds, so every outage would be long for them, and a person would be asked.
        'limits:\n  long_task_after_s: 0\n',
    );
    const acts = actKeys();
    const shared = {
      TMPDIR: join(this.folder, 'tmp'),
      SVC_NATS_URL: brokers.map((name) => `tls://${this.#address(name)}:4222`).join(','),
      SVC_TLS_CA_FILE: authority,
    };
    const central = {
      ...shared,
      SVC_CONFIG: config,
      SVC_UPLOAD_SECRET: 'the secret of one hour of chaos, long enough',
      SVC_PUBLIC_URL: `http://${this.#address('front')}:8443`,
      SVC_USER_DIR: join(this.folder, 'packages'),
    };
    const database = (role: string): string =>
      `postgresql://${role}:${passwords[role]}@localhost:5000/lab?sslmode=verify-full&sslrootcert=${authority}`;
    for (const name of orchestrators)
      await this.#run(name, 'orchestrator', name, ['orchestrator'], {
        ...central,
        SVC_DATA_DIR: join(this.folder, name),
        SVC_DATABASE_URL: database('lab_orchestrator'),
        SVC_AUTHORITY_KEY: JSON.stringify((JSON.parse(keys) as { authority: object }).authority),
        SVC_BROKER_KEYS_FILE: keysPath,
        SVC_ACT_PUBLIC_KEY: acts.SVC_ACT_PUBLIC_KEY,
      });
    for (const name of gateways)
      await this.#run(name, 'gateway', name, ['gateway'], {
        ...central,
        SVC_DATA_DIR: join(this.folder, name),
        SVC_DATABASE_URL: database('lab_gateway'),
        SVC_ACT_KEY: acts.SVC_ACT_KEY,
        SVC_HTTP_HOST: '0.0.0.0',
        SVC_HTTP_PORT: '8070',
        SVC_AUTH_OFF_ANYWHERE: 'true',
        SVC_TRUSTED_PROXIES: this.#address('front'),
        SVC_S3_ACCESS_KEY_ID: s3User.key,
        SVC_S3_SECRET_ACCESS_KEY: s3User.secret,
      });
    for (const name of this.computers)
      await this.#run(`agent_${name}`, 'agent', name, ['agent', '--computer', name], {
        ...shared,
        SVC_DATA_DIR: join(this.folder, name),
        SVC_USER_DIR: join(this.folder, 'nothing'),
        SVC_TASK_POOL_SIZE: '1',
      });
  }

  /** Starts a service on the computer of that name, with its own credentials for the broker. */
  async #run(
    name: string,
    role: ProcessRole,
    on: string,
    args: string[],
    env: Record<string, string>,
  ): Promise<void> {
    await mkdir(join(this.folder, on), { recursive: true });
    const credentials = await this.#svc('broker', 'credentials', role, on);
    this.services.add(name, {
      command: this.computer(on).enter(process.execPath, svc, ...args),
      env: { ...env, SVC_NATS_CREDENTIALS: `${credentials}\n` },
      restartMs: restartMs.service,
      ready,
      onOutput: (text) => {
        for (const [, said] of text.matchAll(/"msg":"(leading|leads no more)"/g))
          if (said === 'leading') this.#leads.set(name, performance.now());
          else this.#leads.delete(name);
      },
      onEnd: () => this.#leads.delete(name),
    });
  }
}

const first = ([program = '', ...args]: string[]): [string, string[]] => [program, args];

/** PostgreSQL runs in a namespace of users. @throws Error when this machine allows none */
export async function demandNamespaces(): Promise<void> {
  const [program = '', ...args] = notAsRoot;
  await execute(program, [...args, 'true']);
}
