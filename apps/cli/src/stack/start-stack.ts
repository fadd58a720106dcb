import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ServiceName } from '@lab/contracts';
import { bringUpToDate } from '@lab/persistence/administration';
import type { Secret } from '@lab/runtime';
import {
  FileSecret,
  isLoopback,
  processEnvironment,
  startChild,
  Supervision,
  type ConfigSources,
  type RunningChild,
  servedAt,
} from '@lab/runtime';
import { actKeyFiles } from './act-keys.js';
import { BrokerAccess, takesCredentials } from './broker-access.js';
import { keepHttpsCertificate } from './certificates.js';
import { stackConfig, type StackConfig } from './config.js';
import { backupLineIn, DataFolder } from './data-folder.js';
import type { StackEvent } from './events.js';
import { GuardLink } from './guard-link.js';
import { prepareBroker } from './nats-server.js';
import { claimablePort } from './ports.js';
import { prepareDatabase, type DatabaseAddresses } from './postgres.js';
import { endLeftovers, ProcessRegister } from './process-register.js';
import { serviceOutput, type ServiceOutput } from './service-output.js';
import { modulePath, serviceDeclarations, type ServiceDeclaration } from './services.js';

export interface StackOptions {
  /** Source of the configuration. `override` holds the flags of the command line. Default: the environment. */
  sources?: ConfigSources;
  onEvent?: (event: StackEvent) => void;
  /** Aborting it during the start stops everything that was started and rejects the promise. */
  signal?: AbortSignal;
  /** Names of hosts to which a debugger may attach. Default: none. */
  debugHosts?: readonly string[] | undefined;
  /** Programs to run in place of those of the product, by service. */
  modules?: Partial<Record<ServiceName, string>>;
}

export interface Stack {
  /** Address for clients, for example `http://127.0.0.1:8070`. */
  readonly url: string;
  readonly dataDir: string;
  /** From now on a part that ends by itself is not started again. */
  endRestarts(): void;
  /** Stops everything in order: gateway, agent and optimizer, orchestrator, database, broker. May be called again. */
  stop(): Promise<void>;
  /** Shortens a stop that has begun: kills the services. The servers still end in order. */
  hurry(): void;
}

const serviceStartMs = 60_000;
const backupModule = fileURLToPath(new URL('../backup/worker.js', import.meta.url));
const backupStopMs = 17_000;
const noBackupText =
  'The setting backup copies only the database that "svc start" runs itself; remove it, or SVC_DATABASE_URL (docs/guide/backup.md).';
/** Milliseconds before an ended process is started again; doubled each time it ends too soon. */
const restartMs = 100;
/** A process that ran for this long, in milliseconds, counts as able to run: the pause starts from its first value. */
const healthyMs = 10_000;

/**
 * Starts the whole service on this computer: a nats-server and a PostgreSQL unless addresses of others are configured,
 * then orchestrator, gateway, agent and optimizer. Resolves when all of them serve. From then on, each process that ends
 * is started again. If this process is killed, no process of the stack stays behind.
 *
 * @throws ConfigError, or Error in one sentence; everything that was started has stopped then
 */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const config = stackConfig.load(options.sources);
  options.signal?.throwIfAborted();
  const stack = new RunningStack(config, options, DataFolder.take(config.dataDir));
  const callOff = (): void => void stack.stop();
  options.signal?.addEventListener('abort', callOff, { once: true });
  try {
    await stack.start();
    options.signal?.throwIfAborted();
    return stack;
  } catch (error) {
    await stack.stop();
    throw error;
  } finally {
    options.signal?.removeEventListener('abort', callOff);
  }
}

/** Secrets with addresses of the database. Another version of the service wrote the last one. */
const databaseFiles = [
  'database-owner-url',
  'database-orchestrator-url',
  'database-gateway-url',
  'database-superuser-url',
  'database-url',
];

/** The backup stops after all services, whose last records it copies. */
const backupOrder = 4;
/** Servers stop last: PostgreSQL first, then nats-server. They are never killed. */
const firstServerOrder = 5;

/** A running part, and its position in the order of stopping. */
interface Part {
  supervision: Supervision;
  stopOrder: number;
}

class RunningStack implements Stack {
  readonly #parts: Part[] = [];
  readonly #outputs: ServiceOutput[] = [];
  readonly #env: Record<string, string | undefined>;
  readonly #register: ProcessRegister;
  #access: Promise<BrokerAccess> | undefined;
  #guard: GuardLink | undefined;
  #endRenewal: (() => Promise<void>) | undefined;
  #stopped: Promise<void> | undefined;
  #url = '';

  constructor(
    private readonly config: StackConfig,
    private readonly options: StackOptions,
    private readonly data: DataFolder,
  ) {
    const { env = processEnvironment(), override = {} } = options.sources ?? {};
    // Settings without a flag keep their value from the environment.
    const said = Object.entries(override).filter(([, value]) => value !== undefined);
    this.#env = { ...env, ...Object.fromEntries(said) };
    const warn = (text: string): void => this.#tell({ type: 'warning', service: 'svc', text });
    this.#register = new ProcessRegister(data.processesPath, (all) => this.#guard?.watch(all), warn);
  }

  get url(): string {
    return this.#url;
  }

  get dataDir(): string {
    return this.data.path;
  }

  async start(): Promise<void> {
    const { config, data } = this;
    if ((this.options.debugHosts ?? []).length > 0 && !isLoopback(config.httpHost))
      throw new Error(
        `--debug-host is for development on one computer, and other computers reach this service (SVC_HTTP_HOST is ${config.httpHost}); start without it`,
      );
    await endLeftovers(data.processesPath, ({ name, pid }) =>
      this.#tell({ type: 'progress', text: `ending what a killed stack left: ${name} (process ${pid})` }),
    );
    const httpPort = await claimablePort(
      config.httpHost,
      config.httpPort,
      'stop that program, or choose another port with SVC_HTTP_PORT',
    );
    this.#url = config.publicUrl ?? servedAt(config.httpHost, httpPort, config.https);
    this.#endRenewal = await keepHttpsCertificate(data.path, config.https);
    this.#guard = new GuardLink(data, (text) => this.#tell({ type: 'warning', service: 'svc', text }));

    const kept = (name: string, configured: Secret | undefined): string => {
      const copy = data.writeSecret(name, configured ?? data.keptSecret(name));
      // The file of the configuration may be rotated while the stack runs.
      return configured instanceof FileSecret ? configured.path : copy;
    };
    const actKeys = actKeyFiles(data, config.actKey);
    const given = {
      broker: this.#broker().then((url) => ({ SVC_NATS_URL_FILE: data.writeSecret('nats-url', url) })),
      ...this.#databases(),
      uploadSecret: Promise.resolve({ SVC_UPLOAD_SECRET_FILE: kept('upload-secret', config.uploadSecret) }),
      actKey: Promise.resolve({ SVC_ACT_KEY_FILE: actKeys.actKey }),
      actPublicKey: Promise.resolve({ SVC_ACT_PUBLIC_KEY_FILE: actKeys.actPublicKey }),
      secretsKey: Promise.resolve({ SVC_SECRETS_KEY_FILE: kept('secrets-key', config.secretsKey) }),
      bucketKeys: Promise.resolve({
        ...(config.s3AccessKeyId === undefined
          ? {}
          : { SVC_S3_ACCESS_KEY_ID_FILE: data.writeSecret('s3-access-key-id', config.s3AccessKeyId) }),
        ...(config.s3SecretAccessKey === undefined
          ? {}
          : {
              SVC_S3_SECRET_ACCESS_KEY_FILE: data.writeSecret(
                's3-secret-access-key',
                config.s3SecretAccessKey,
              ),
            }),
      }),
      clientSecret: Promise.resolve(
        config.oidcClientSecret === undefined
          ? {}
          : {
              SVC_OIDC_CLIENT_SECRET_FILE: data.writeSecret('oidc-client-secret', config.oidcClientSecret),
            },
      ),
    };
    await Promise.all([
      given.broker,
      given.orchestratorDatabase,
      given.gatewayDatabase,
      ...serviceDeclarations.flatMap((declaration) =>
        this.#labels(declaration).map(async (label) => {
          const secrets = await Promise.all([
            this.#credentials(declaration.name, label),
            ...declaration.needs.map((need) => given[need]),
          ]);
          await this.#startService(
            declaration,
            label,
            httpPort,
            Object.assign({}, ...secrets) as Record<string, string>,
          );
        }),
      ),
    ]);
  }

  endRestarts(): void {
    for (const { supervision } of this.#parts) supervision.endRestarts();
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  hurry(): void {
    const services = this.#parts.filter(({ stopOrder }) => stopOrder < firstServerOrder);
    for (const { supervision } of services) supervision.hurry();
  }

  async #stop(): Promise<void> {
    // The parts stop one after the other. Those that end early, because they were signalled too, must stay down.
    this.endRestarts();
    const failures: unknown[] = [];
    const orders = [1, 2, 3, backupOrder, firstServerOrder, firstServerOrder + 1];
    for (const order of orders) {
      // The list is read again each time: a part can still be added while a start is aborted.
      const parts = this.#parts.filter((part) => part.stopOrder === order);
      for (const end of await Promise.allSettled(parts.map(({ supervision }) => supervision.stop()))) {
        if (end.status === 'rejected') failures.push(end.reason);
      }
    }
    for (const name of ['nats-url', ...databaseFiles]) this.data.forget(name);
    await this.#endRenewal?.();
    this.#register.clear();
    await this.#guard?.close();
    for (const output of this.#outputs) output.close();
    this.data.release();
    if (failures.length > 0) throw new AggregateError(failures, 'A part of the stack failed to stop.');
  }

  async #broker(): Promise<Secret> {
    if (this.config.natsUrl !== undefined) return this.config.natsUrl;
    const output = this.#output('nats-server');
    const broker = await prepareBroker(this.data, await this.#brokerAccess(), this.#env, {
      onLine: (line, stream) => output.line(line, stream),
      onSpawn: (pid) => this.#register.add('nats-server', 'server', pid),
    });
    await this.#keep('nats-server', firstServerOrder + 1, (signal) => broker.launch(signal));
    return broker.url;
  }

  /** Made only when it is needed: a broker with a password needs no keys. */
  #brokerAccess(): Promise<BrokerAccess> {
    return (this.#access ??= BrokerAccess.kept(this.data.path));
  }

  /** Each process has a key of its own. */
  async #credentials(role: ServiceName, label: string): Promise<Record<string, string>> {
    if (!takesCredentials(this.config.natsUrl)) return {};
    const name = role === 'agent' ? this.config.computer : label;
    const access = await this.#brokerAccess();
    return {
      SVC_NATS_CREDENTIALS_FILE: await access.credentials(role, name),
      ...(role === 'orchestrator'
        ? { SVC_AUTHORITY_KEY_FILE: access.authorityKey(), SVC_BROKER_KEYS_FILE: access.keysPath }
        : {}),
      ...(role === 'gateway' ? { SVC_AGENT_ISSUER_FILE: await access.agentIssuer() } : {}),
    };
  }

  /** Each service gets the address with its own role. The owner of the tables is no service. */
  #databases(): Record<'orchestratorDatabase' | 'gatewayDatabase', Promise<Record<string, string>>> {
    const { data } = this;
    data.forget('database-url');
    const files = this.#database().then(({ owner, orchestrator, gateway }) => {
      data.writeSecret('database-owner-url', owner);
      return {
        orchestrator: data.writeSecret('database-orchestrator-url', orchestrator),
        gateway: data.writeSecret('database-gateway-url', gateway),
      };
    });
    return {
      orchestratorDatabase: files.then(({ orchestrator }) => ({ SVC_DATABASE_URL_FILE: orchestrator })),
      gatewayDatabase: files.then(({ gateway }) => ({ SVC_DATABASE_URL_FILE: gateway })),
    };
  }

  async #database(): Promise<DatabaseAddresses> {
    const { databaseUrl, databaseOwnerUrl, databaseGatewayUrl } = this.config;
    if (databaseUrl !== undefined) {
      if (this.config.backup !== undefined) throw new Error(noBackupText);
      if (databaseOwnerUrl !== undefined) await bringUpToDate(databaseOwnerUrl.reveal());
      return {
        owner: databaseOwnerUrl ?? databaseUrl,
        orchestrator: databaseUrl,
        gateway: databaseGatewayUrl ?? databaseUrl,
      };
    }
    const output = this.#output('postgres');
    const { backup } = this.config;
    if (backup === undefined) rmSync(backupLineIn(this.data.path), { force: true });
    const database = prepareDatabase(this.data, backup !== undefined, (line) => {
      output.line(line, 'stdout');
      if (line === 'creating the database') this.#tell({ type: 'progress', text: line });
    });
    await this.#keep('postgres', firstServerOrder, async () => {
      const server = await database.launch();
      this.#register.add('postgres', 'server', server.pid);
      return server;
    });
    if (database.addresses === undefined) throw new Error('The database was started without an address.');
    if (backup !== undefined) await this.#startBackup(database.addresses.superuser);
    return database.addresses;
  }

  async #startBackup(superuser: Secret): Promise<void> {
    const output = this.#output('backup');
    const { backupS3AccessKeyId: id, backupS3SecretAccessKey: key } = this.config;
    const write = (name: string, secret: Secret): string => this.data.writeSecret(name, secret);
    const secrets = {
      SVC_BACKUP_DATABASE_URL_FILE: write('database-superuser-url', superuser),
      ...(id === undefined ? {} : { SVC_BACKUP_S3_ACCESS_KEY_ID_FILE: write('backup-s3-access-key-id', id) }),
      ...(key === undefined
        ? {}
        : { SVC_BACKUP_S3_SECRET_ACCESS_KEY_FILE: write('backup-s3-secret-access-key', key) }),
    };
    const env = this.#serviceEnvironment(this.config.httpPort, secrets);
    await this.#keep('backup', backupOrder, (signal) =>
      startChild(
        {
          ...{ name: 'backup', command: { module: backupModule }, env, ready: 'message' },
          ...{ startTimeoutMs: serviceStartMs, stopTimeoutMs: backupStopMs },
          onLine: (line, stream) => output.line(line, stream),
          onSpawn: (pid) => this.#register.add('backup', 'service', pid),
        },
        signal,
      ),
    );
  }

  /** Names of the processes of a service: `orchestrator`, `orchestrator-2` and so on. */
  #labels({ name }: ServiceDeclaration): string[] {
    const count = name === 'orchestrator' ? this.config.orchestrators : 1;
    return Array.from({ length: count }, (_, index) => (index === 0 ? name : `${name}-${index + 1}`));
  }

  async #startService(
    { name, stopOrder, stopMs, nurseryMb }: ServiceDeclaration,
    label: string,
    httpPort: number,
    secrets: Record<string, string>,
  ): Promise<void> {
    const output = this.#output(label);
    const module = this.options.modules?.[name] ?? modulePath(name);
    const env = this.#serviceEnvironment(httpPort, secrets);
    let serves = false;
    await this.#keep(label, stopOrder, async (signal) => {
      const child = await startChild(
        {
          name: label,
          command: { module, args: this.#debuggerArguments(name) },
          ...(nurseryMb === undefined ? {} : { nurseryMb }),
          env,
          ready: 'message',
          startTimeoutMs: serviceStartMs,
          stopTimeoutMs: stopMs,
          // The error of the start reports the reason of a failed first start, once.
          onLine: (line, stream) => output.line(line, serves ? stream : 'stdout'),
          onSpawn: (pid) => this.#register.add(label, 'service', pid),
        },
        signal,
      );
      serves = true;
      return child;
    });
  }

  /** A name may be that of a device or task type, or that of a protocol. So the agent and the optimizer both get all names. */
  #debuggerArguments(name: ServiceName): string[] {
    const { debugHosts = [] } = this.options;
    return name === 'agent' || name === 'optimizer' ? debugHosts.map((host) => `--debug-host=${host}`) : [];
  }

  /** A service receives addresses and secrets as files of mode 0600, never in its environment. */
  #serviceEnvironment(httpPort: number, secrets: Record<string, string>): Record<string, string | undefined> {
    const env = { ...this.#env };
    const secretNames = [
      'SVC_NATS_URL',
      'SVC_NATS_CREDENTIALS',
      'SVC_AUTHORITY_KEY',
      'SVC_AGENT_ISSUER',
      'SVC_BROKER_KEYS',
      'SVC_ACT_KEY',
      'SVC_ACT_PUBLIC_KEY',
      'SVC_DATABASE_URL',
      'SVC_DATABASE_OWNER_URL',
      'SVC_DATABASE_GATEWAY_URL',
      'SVC_UPLOAD_SECRET',
      'SVC_SECRETS_KEY',
      'SVC_S3_ACCESS_KEY_ID',
      'SVC_S3_SECRET_ACCESS_KEY',
      'SVC_BACKUP_S3_ACCESS_KEY_ID',
      'SVC_BACKUP_S3_SECRET_ACCESS_KEY',
      'SVC_OIDC_CLIENT_SECRET',
    ];
    for (const name of secretNames) {
      delete env[name];
      delete env[`${name}_FILE`];
    }
    return {
      ...env,
      SVC_HTTP_PORT: String(httpPort),
      SVC_DATA_DIR: this.data.path,
      SVC_USER_DIR: this.config.userDir,
      SVC_COMPUTER: this.config.computer,
      ...secrets,
    };
  }

  async #keep(
    name: string,
    stopOrder: number,
    launch: (signal: AbortSignal) => Promise<RunningChild>,
  ): Promise<void> {
    if (this.#stopped !== undefined) throw new Error('The stack is being stopped.');
    const supervision = new Supervision({
      name,
      launch: async (signal) => {
        const child = await launch(signal);
        void child.exited.then(() => this.#register.remove(child.pid));
        return child;
      },
      onEvent: (event) => this.#tell({ type: 'service', event }),
      shortestMs: restartMs,
      healthyMs,
    });
    this.#parts.push({ supervision, stopOrder });
    await supervision.start();
  }

  #output(service: string): ServiceOutput {
    const output = serviceOutput(this.data.logPath(service), (text) =>
      this.#tell({ type: 'warning', service, text }),
    );
    this.#outputs.push(output);
    return output;
  }

  #tell(event: StackEvent): void {
    this.options.onEvent?.(event);
  }
}
