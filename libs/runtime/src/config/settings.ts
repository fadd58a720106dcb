import { z } from 'zod';
import { Secret } from '../log/index.js';
import { authSchema } from './auth-schema.js';
import {
  backupSchema,
  corsSchema,
  filesSchema,
  httpsSchema,
  type HttpsSettings,
  httpSchema,
  limitsSchema,
  listSchema,
  logLevelSchema,
  logsSchema,
  deviceCallsSchema,
  metricsSchema,
  quotasSchema,
  retentionSchema,
  schedulerSchema,
  webhooksSchema,
  type ConfigFileKey,
} from './file-schema.js';
import { faultOfDatabaseAddress } from './database-address.js';

/** One value of a configuration: its sources and its rule. */
export interface Setting<T> {
  /** Environment variable. It overrides the file. A secret can also be given as a file, `<env>_FILE`. */
  readonly env?: `SVC_${string}`;
  /** Key in `config.yml`. */
  readonly file?: ConfigFileKey;
  /** For a mapping: variables that override single keys. */
  readonly variables?: Readonly<Record<string, `SVC_${string}`>>;
  readonly secret?: boolean;
  /** For a secret: whether a file that gives it may be replaced while the process runs. The value is a `FileSecret` then. */
  readonly replaceable?: boolean;
  /** A path. It is relative to the working folder in the environment, and to the folder of the file in the file. */
  readonly path?: boolean;
  /** Checks the raw value: text from the environment, any value from the file; undefined when it is not given. */
  readonly schema: z.ZodType<T>;
  /** Computes the default from the other settings of the same configuration. */
  readonly fallback?: (others: Readonly<Record<string, unknown>>) => T;
}

/** Declares a setting of one app beyond {@link settings}. */
export function setting<T>(declaration: Setting<T>): Setting<T> {
  return declaration;
}

/** The same setting without a default: undefined when it is not given. */
export function optional<T>({ fallback: _, ...declaration }: Setting<T>): Setting<T | undefined> {
  return { ...declaration, schema: declaration.schema.optional() };
}

/**
 * A whole number between two bounds, also as text in the environment.
 *
 * @param unit what it counts, for the message
 */
export function wholeNumber(least: number, most: number, unit: string): z.ZodType<number> {
  const message = `must be ${unit}, a whole number from ${least} to ${most}`;
  return z.preprocess(
    (value) => (typeof value === 'string' && /^-?\d{1,15}$/.test(value.trim()) ? Number(value) : value),
    z.number(message).int(message).min(least, message).max(most, message),
  );
}

const names = z.preprocess(
  (value) =>
    typeof value === 'string'
      ? value
          .split(',')
          .map((each) => each.trim())
          .filter(Boolean)
      : value,
  listSchema.optional(),
);

const asSecret = (text: string): Secret => new Secret(text);

/** @param note what else the error of a wrong address says */
const address = (schemes: string[], example: string, note = '') =>
  z
    .string(
      `is not set: the address, for example ${example}; \`svc start\` sets it for the processes it starts`,
    )
    .refine(
      (text) => text.split(',').every((each) => hasScheme(each, schemes)),
      `must look like ${example}${note}`,
    )
    .transform(asSecret);

function hasScheme(text: string, schemes: readonly string[]): boolean {
  return URL.canParse(text.trim()) && schemes.includes(new URL(text.trim()).protocol);
}

/** The connection of a database on another computer is encrypted and verified, unless the address says otherwise. */
const databaseAddress = z
  .string(
    'is not set: the address, for example postgresql://user@127.0.0.1:5432/lab; `svc start` sets it for the processes it starts',
  )
  .superRefine((text, context) => {
    const fault = faultOfDatabaseAddress(text);
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
  })
  .transform(asSecret);

/** A secret that need not be given. */
const optionalSecret = (env: `SVC_${string}`) =>
  setting({
    env,
    secret: true,
    schema: z.string().min(1, 'must not be empty').transform(asSecret).optional(),
  });

const replaceableSecret = (env: `SVC_${string}`) => ({ ...optionalSecret(env), replaceable: true });

const httpAddress = z
  .string()
  .refine((text) => hasScheme(text, ['http:', 'https:']), 'must look like https://lab.example.org');

/** A mapping of the file; without one all its defaults hold. */
const section = <T>(file: ConfigFileKey, schema: z.ZodType<T>, fallback = {}) =>
  setting({ file, schema: z.preprocess((value) => value ?? fallback, schema) });

/**
 * The address at which a process on the same computer reaches a server.
 *
 * @param host on which it listens; a wildcard address is replaced by the loopback address
 * @param https the encryption, if the server is a gateway. A certificate of its own names the host
 */
export function servedAt(host = '127.0.0.1', port: number, https?: HttpsSettings): string {
  const isAny = host === '0.0.0.0' || host === '::';
  const here = isAny ? (https?.names[0] ?? '127.0.0.1') : host;
  return `${https?.certificate === undefined ? 'http' : 'https'}://${here.includes(':') ? `[${here}]` : here}:${port}`;
}

/** The settings that several processes share; each app composes its own configuration of them. */
export const settings = {
  /** TCP port of the gateway; 0 takes any free one. */
  httpPort: setting({
    env: 'SVC_HTTP_PORT',
    schema: z.preprocess((value) => value ?? 8070, wholeNumber(0, 65_535, 'a port')),
  }),
  httpHost: setting({ env: 'SVC_HTTP_HOST', schema: z.string().min(1).default('127.0.0.1') }),
  /** Address at which clients reach the gateway, without a slash at the end. */
  publicUrl: setting({
    env: 'SVC_PUBLIC_URL',
    schema: httpAddress.transform((text) => text.replace(/\/+$/, '')),
    fallback: ({ httpHost, httpPort, https }) =>
      servedAt(httpHost as string | undefined, Number(httpPort ?? 8070), https as HttpsSettings | undefined),
  }),
  /** Address of the service that commands use; undefined: the address where these settings would serve. */
  serviceUrl: setting({ env: 'SVC_URL', schema: httpAddress.optional() }),
  /** Address of the gateway at which the computer joined. */
  gatewayUrl: setting({ env: 'SVC_GATEWAY_URL', schema: httpAddress.optional() }),
  /** Access token of commands; undefined: none. */
  accessToken: optionalSecret('SVC_TOKEN'),
  /** Signed token of a pipeline, which GitLab gives its jobs; undefined: none. */
  idToken: optionalSecret('SVC_ID_TOKEN'),
  /** The data folder of the service. Absolute. */
  dataDir: setting({ env: 'SVC_DATA_DIR', path: true, schema: z.string().default('.svc') }),
  /** Folder of lab packages. Absolute. */
  userDir: setting({
    env: 'SVC_USER_DIR',
    file: 'user_dir',
    path: true,
    schema: z.string().default('lab-packages'),
  }),
  /** Folder of wheels for packages that were uploaded without them. Absolute; undefined: none. */
  wheelsDir: setting({ env: 'SVC_WHEELS', path: true, schema: z.string().min(1).optional() }),
  /** Address of the broker; may carry user and password. */
  natsUrl: setting({
    env: 'SVC_NATS_URL',
    secret: true,
    schema: address(
      ['nats:', 'tls:', 'wss:'],
      'nats://127.0.0.1:4222',
      ', tls://broker.lab.local:4222 or wss://lab-server:8443/agents/broker',
    ),
  }),
  /** Whether `nats://` may lead to another computer, without encryption. */
  natsPlain: setting({
    env: 'SVC_NATS_PLAIN',
    schema: z
      .enum(['allowed', 'refused'], 'must be allowed or refused')
      .default('refused')
      .transform((word) => word === 'allowed'),
  }),
  /** PEM certificates of the authorities that certify the servers of this service; undefined: those that Node knows. */
  tlsCa: replaceableSecret('SVC_TLS_CA'),
  /** HTTP proxy between an agent and the gateway. */
  httpsProxy: setting({
    env: 'SVC_HTTPS_PROXY',
    secret: true,
    schema: httpAddress.transform(asSecret).optional(),
  }),
  /** Text of the credentials file with which a process connects to the broker; undefined: the address has them. */
  natsCredentials: replaceableSecret('SVC_NATS_CREDENTIALS'),
  /** Private key of an orchestrator, as JSON: see `AuthorityKey` of `@lab/trust`. */
  authorityKey: replaceableSecret('SVC_AUTHORITY_KEY'),
  /** Key with which a gateway admits agents: see `agentIssuerKey` of `@lab/trust`. */
  agentIssuer: replaceableSecret('SVC_AGENT_ISSUER'),
  /** Public code key of the lab: only packages that it has signed run. Undefined: the signature of the service suffices. */
  codeKey: setting({
    env: 'SVC_CODE_KEY',
    schema: z
      .string()
      .trim()
      .regex(/^svc_code_[\w-]{43}$/, 'must be svc_code_ and 43 characters, as "svc pkg key new" prints it')
      .optional(),
  }),
  /** User of the operating system under whom an agent runs author code; undefined: the user of the agent. */
  codeUser: setting({
    env: 'SVC_CODE_USER',
    schema: z
      .string()
      .trim()
      .regex(/^[A-Za-z_][\w.-]{0,31}$/, 'must be the name of a user of this computer')
      .optional(),
  }),
  /** Addresses of the broker that agents get when they join; undefined: through the gateway. */
  agentBrokers: setting({
    env: 'SVC_AGENT_BROKERS',
    schema: address(['tls:', 'wss:'], 'wss://lab-server:8443/agents/broker').optional(),
  }),
  /** Folder of packages of the agent that a gateway offers. Absolute. */
  agentPackages: setting({
    env: 'SVC_AGENT_PACKAGES',
    path: true,
    schema: z.string().default('apps/agent/dist/packages'),
  }),
  /** All keys of the broker. An orchestrator needs them to revoke agents. */
  brokerKeys: replaceableSecret('SVC_BROKER_KEYS'),
  /** Private key with which gateways sign the acts of people, as JSON: see `AuthorityKey` of `@lab/trust`. */
  actKey: setting({
    env: 'SVC_ACT_KEY',
    secret: true,
    replaceable: true,
    schema: z
      .string('is not set: the private key that "svc start" keeps in secrets/act-key of the data folder')
      .min(1)
      .transform(asSecret),
  }),
  /** Public key with which orchestrators verify them, in base64url. */
  actPublicKey: setting({
    env: 'SVC_ACT_PUBLIC_KEY',
    // It is no secret. A secret may be given as a file.
    secret: true,
    replaceable: true,
    schema: z
      .string(
        'is not set: the public key that "svc start" keeps in secrets/act-public-key of the data folder',
      )
      .transform(asSecret),
  }),
  databaseUrl: setting({ env: 'SVC_DATABASE_URL', secret: true, schema: databaseAddress }),
  /** Address of the database for the role that owns its tables; undefined: `databaseUrl` may change them. */
  databaseOwnerUrl: setting({
    env: 'SVC_DATABASE_OWNER_URL',
    secret: true,
    schema: databaseAddress.optional(),
  }),
  /** Address of the database for the gateway that `svc start` starts; undefined: `databaseUrl`. */
  databaseGatewayUrl: setting({
    env: 'SVC_DATABASE_GATEWAY_URL',
    secret: true,
    schema: databaseAddress.optional(),
  }),
  /** Signs upload tickets. Gateway and orchestrator share it. */
  uploadSecret: setting({
    env: 'SVC_UPLOAD_SECRET',
    secret: true,
    replaceable: true,
    schema: z
      .string('is not set: any text of 32 characters or more, the same for gateway and orchestrator')
      .min(32, 'must have at least 32 characters')
      .transform(asSecret),
  }),
  /** Encrypts secrets in submissions. Gateway and optimizer workers share it. Undefined: such secrets are refused. */
  secretsKey: setting({
    env: 'SVC_SECRETS_KEY',
    secret: true,
    replaceable: true,
    schema: z.string().min(32, 'must have at least 32 characters').transform(asSecret).optional(),
  }),
  /** Secret of the service at the OpenID Connect issuer. Undefined: the service is a public client there. */
  oidcClientSecret: optionalSecret('SVC_OIDC_CLIENT_SECRET'),
  logLevel: setting({ env: 'SVC_LOG_LEVEL', file: 'log_level', schema: logLevelSchema.default('info') }),
  /** Name of the computer of an agent. */
  computer: setting({ env: 'SVC_COMPUTER', schema: z.string().min(1).default('svc_computer') }),
  /** Labs to load; undefined: all. */
  labs: setting({ env: 'SVC_LABS', file: 'labs', schema: names }),
  /** Protocols to load; undefined: all. */
  protocols: setting({ env: 'SVC_PROTOCOLS', file: 'protocols', schema: names }),
  /** The scheduling policy and its settings. */
  scheduler: setting({
    file: 'scheduler',
    variables: {
      type: 'SVC_SCHEDULER_TYPE',
      time_limit: 'SVC_SCHEDULER_TIME_LIMIT',
      workers: 'SVC_SCHEDULER_WORKERS',
      seed: 'SVC_SCHEDULER_SEED',
      resolution: 'SVC_SCHEDULER_RESOLUTION',
      frozen_window: 'SVC_SCHEDULER_FROZEN_WINDOW',
    },
    schema: z.preprocess((value) => value ?? { type: 'greedy' }, schedulerSchema),
  }),
  /** The way to the HTTP server. */
  http: setting({
    file: 'http',
    variables: { trusted_proxies: 'SVC_TRUSTED_PROXIES', allowed_hosts: 'SVC_ALLOWED_HOSTS' },
    schema: z.preprocess((value) => value ?? {}, httpSchema),
  }),
  /** Authentication of the REST interface. */
  auth: setting({
    file: 'auth',
    variables: { type: 'SVC_AUTH', off_anywhere: 'SVC_AUTH_OFF_ANYWHERE' },
    schema: z.preprocess((value) => value ?? {}, authSchema),
  }),
  /** Encryption of the REST interface. */
  https: setting({
    file: 'https',
    variables: { certificate: 'SVC_HTTPS_CERTIFICATE', key: 'SVC_HTTPS_KEY', names: 'SVC_HTTPS_NAMES' },
    schema: z.preprocess((value) => value ?? {}, httpsSchema),
  }),
  /** Storage of task files. */
  files: section('files', filesSchema, { store: 'disk' }),
  /** Access key and secret key of the bucket; undefined: files are stored on disk. */
  s3AccessKeyId: optionalSecret('SVC_S3_ACCESS_KEY_ID'),
  s3SecretAccessKey: optionalSecret('SVC_S3_SECRET_ACCESS_KEY'),
  /** Other origins whose pages may use the REST interface. */
  cors: section('cors', corsSchema),
  metrics: section('metrics', metricsSchema),
  deviceCalls: section('device_calls', deviceCallsSchema),
  logs: section('logs', logsSchema),
  /** Retention of work that has ended. */
  retention: section('retention', retentionSchema),
  /** Limits of what owners and laboratories store. */
  quotas: section('quotas', quotasSchema),
  /** Copies of everything that `svc start` stores; undefined: none are made. */
  backup: setting({ file: 'backup', schema: backupSchema.optional() }),
  /** Keys of the bucket of the backup. */
  backupS3AccessKeyId: optionalSecret('SVC_BACKUP_S3_ACCESS_KEY_ID'),
  backupS3SecretAccessKey: optionalSecret('SVC_BACKUP_S3_SECRET_ACCESS_KEY'),
  /** Allowed targets of webhooks. */
  webhooks: section('webhooks', webhooksSchema),
  limits: section('limits', limitsSchema),
};
