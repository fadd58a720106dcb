import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { logLevels } from '../log/index.js';
import { isNetwork } from '../outbound/index.js';
import { authSchema, knownAuthKeys } from './auth-schema.js';
import { count, mapping, name, span, whole } from './schema-parts.js';

/** The content of `config.yml`. One schema for every process, so that each of them finds a wrong key. */

export const listSchema = z.array(name, 'must be a list of names');

export const logLevelSchema = z.enum(logLevels, `must be one of ${logLevels.join(', ')}`);

const greedySchema = z.strictObject({ type: z.literal('greedy') });

const cpsatSchema = z.strictObject({
  type: z.literal('cpsat'),
  /** Seconds of search for a better plan after each change of the work. */
  time_limit: span(0.1, 600, 5),
  /** Processes that prove or bound plans beside the search; 0: none. */
  workers: count(0, 8, 1),
  /** Seed of the search: the same work gives the same plans. */
  seed: count(0, 2_147_483_647, 1),
  /** The shortest time, in seconds, that a plan distinguishes. */
  resolution: span(0.001, 60, 0.1),
  /** Seconds; tasks that start within this window keep their place. */
  frozen_window: span(0, 3_600, 30),
});

/** The policy that decides what starts, and the settings of `cpsat`. */
export const schedulerSchema = z.discriminatedUnion('type', [greedySchema, cpsatSchema], {
  error: (issue) =>
    issue.code === 'invalid_union'
      ? 'must be greedy or cpsat'
      : 'must be a mapping with the key type, which is greedy or cpsat',
});

export type SchedulerSettings = z.infer<typeof schedulerSchema>;

export const limitsSchema = mapping({
  /** Task runs that may be queued before submissions are refused with `backlog_full`. */
  max_queued: count(1, 1_000_000, 10_000),
  /** Task runs of one owner that may be queued. Work without an owner has no such limit. */
  max_queued_per_owner: count(1, 1_000_000, 2_000),
  /** Largest body of a request, in bytes. */
  max_body_bytes: count(1_024, 1_048_576, 1_048_576),
  /** Days for which events are stored. */
  events_kept_days: count(1, 3_650, 7),
  /** Streams of events that one gateway serves at once. */
  event_clients: count(1, 2_000, 200),
  /** Seconds for which a request waits for a leading orchestrator; 0: no wait. */
  failover_wait_s: count(0, 60, 8),
  /** Requests of one client per second that change something; undefined: default of the gateway. */
  changes_per_s: whole(1, 100_000).optional(),
  /** Requests of one client per second that read. */
  reads_per_s: whole(1, 100_000).optional(),
  /** Requests per second from one address, with any tokens. */
  requests_per_s: whole(1, 100_000).optional(),
  /** Concurrent requests of one client. */
  requests_at_once: whole(1, 10_000).optional(),
  /** Wrong tokens per minute from one address. */
  wrong_tokens_per_min: count(1, 100_000, 30),
  /** Streams of events of one person; undefined: default of the gateway. */
  event_clients_per_person: whole(1, 2_000).optional(),
  /** A person is asked about a task that runs for this many times its longest attempt so far. */
  long_task_factor: count(2, 1_000, 5),
  /** The same for a task without earlier attempts, in seconds; 0: nobody is asked about any long task. */
  long_task_after_s: count(0, 31_536_000, 3_600),
  /** Warm task processes each agent keeps ready. */
  task_pool_size: count(0, 64, 2),
  /** Most task processes of one agent at once. */
  task_pool_max: count(1, 256, 16),
});

/** A list, which variables give with commas between its items. */
const listed = <T>(items: z.ZodType<T[]>) =>
  z.preprocess(
    (value) =>
      typeof value === 'string'
        ? value
            .split(',')
            .map((each) => each.trim())
            .filter(Boolean)
        : value,
    items,
  );

const isHostName = (text: string): boolean => /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i.test(text);

/** The way to the HTTP server. */
export const httpSchema = mapping({
  /** Addresses and networks of proxies whose `X-Forwarded-For` is believed. */
  trusted_proxies: listed(
    z.array(
      z
        .string('must be an address or a network')
        .refine(isNetwork, 'must be an address or a network, such as 10.1.2.3 or 10.1.0.0/16')
        .refine((text) => !text.endsWith('/0'), 'trusts everybody: name the proxies alone'),
      'must be a list of addresses and networks',
    ),
  ).default([]),
  /** Names of the service, besides those that it knows itself. */
  allowed_hosts: listed(
    z.array(
      z
        .string('must be a host name')
        .refine(isHostName, 'must be a host name without port and pattern, such as lab-server.example.org'),
      'must be a list of host names',
    ),
  ).default([]),
});

export const originsSchema = z.array(
  z
    .string('must be an origin')
    .refine(
      (text) => /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text,
      'must be an exact origin, such as https://dashboard.example.org, without path or pattern',
    ),
  'must be a list of origins',
);

const httpsMapping = mapping({
  /** `own`: the service certifies itself. Otherwise the path of a PEM file with the chain; undefined: plain HTTP. */
  certificate: name.optional(),
  /** Path of a PEM file with the private key. */
  key: name.optional(),
  /** Host names and addresses in a certificate of its own. Variables give them with commas between them. */
  names: z
    .preprocess(
      (value) => (typeof value === 'string' ? value.split(',').map((each) => each.trim()) : value),
      listSchema,
    )
    .default([]),
});

/** Encryption of the REST interface. */
export const httpsSchema = httpsMapping
  .refine(
    ({ certificate, key }) => (certificate === undefined || certificate === 'own') === (key === undefined),
    {
      path: ['key'],
      message: 'is the private key of the certificate: give both as files, or neither with certificate: own',
    },
  )
  .refine(({ certificate, names }) => names.length === 0 || certificate === 'own', {
    path: ['names'],
    message: 'has an effect only with certificate: own',
  })
  .refine(({ certificate, names }) => names.length > 0 || certificate !== 'own', {
    path: ['names'],
    message: 'must list the names and addresses at which other computers reach this one, such as lab-server',
  });

export type HttpsSettings = z.infer<typeof httpsSchema>;

/** Other sites whose pages may use the REST interface. */
export const corsSchema = mapping({ origins: originsSchema.default([]) });

/** Retention of log lines of tasks and devices: most days, and most lines. */
export const logsSchema = mapping({
  keep_days: count(1, 3_650, 14),
  max_lines: count(1_000, 100_000_000, 1_000_000),
});

/** Retention of work that has ended. */
export const retentionSchema = mapping({
  /** Days after its end when work is archived; undefined: never. */
  archive_after_days: whole(1, 36_500).optional(),
  /** Days after its archiving when work is deleted; undefined: never. */
  delete_after_days: whole(1, 36_500).optional(),
  /** Days after its end when the files of work are deleted; undefined: never. */
  delete_files_after_days: whole(1, 36_500).optional(),
  /** Days after they were stored when loose files of instruments are deleted; undefined: never. */
  delete_loose_files_after_days: whole(1, 36_500).optional(),
  /** Hours from the request to delete work to the beginning of the deletion. */
  undo_hours: count(0, 8_760, 24),
  /** Newest uploaded versions of each package that stay, besides those that something needs. */
  keep_package_versions: count(1, 100_000, 50),
});

/** No limit, whatever the default is. */
const noLimit = 'none';

/** A limit of what is stored, or `none`. Undefined: that of the default. */
const limit = (number: z.ZodType<number>, message: string) =>
  z.union([z.literal(noLimit), number], message).optional();

/** Limits of one owner or laboratory. */
const quotaMapping = mapping({
  /** Greatest number of stored task runs. */
  records: limit(
    z.number().int().min(1).max(1_000_000_000),
    'must be a whole number from 1 to 1000000000, or none',
  ),
  /** Greatest size of the stored files, in GB of 10⁹ bytes. */
  files_gb: limit(z.number().positive().max(1_000_000), 'must be a number of GB up to 1000000, or none'),
});

const quotaTable = z.record(name, quotaMapping, 'must be a mapping of names and default').default({});

/** Limits of what owners and laboratories store, by name. `default` holds for every name that leaves a limit out. */
export const quotasSchema = mapping({ owners: quotaTable, labs: quotaTable });

export type QuotaSettings = z.infer<typeof quotasSchema>;

export const metricsSchema = mapping({
  /** Whether `/metrics` needs no token. */
  open: z.boolean('must be true or false').default(false),
});

/** Calls of devices by people, past the scheduler. */
export const deviceCallsSchema = mapping({
  /** Whether a call may act on a device that a task has: only with a reason, or without one. */
  while_held: z.enum(['reason', 'allowed'], 'must be reason or allowed').default('reason'),
});

/** Allowed targets of webhooks. */
export const webhooksSchema = mapping({
  /** Names, addresses and networks that webhooks may reach although they are not on the public internet. */
  allow: z
    .array(
      z
        .string('must be a name, an address or a network')
        .refine(
          (text) => isNetwork(text) || isHostName(text),
          'must be a name, an address or a network, such as receiver.lab.local, 10.1.2.3 or 10.1.0.0/16',
        ),
      'must be a list of names, addresses and networks',
    )
    .default([]),
  /** Whether webhooks may use plain HTTP. */
  http: z.boolean('must be true or false').default(false),
  /** Ports that webhooks may use. */
  ports: z.array(whole(1, 65_535), 'must be a list of ports').default([80, 443, 8_080, 8_443]),
});

export type WebhookSettings = z.infer<typeof webhooksSchema>;

const diskSchema = z.strictObject({ store: z.literal('disk') });

/** How a bucket is reached. */
const bucketFields = {
  /** Address of the server; undefined: AWS, for the region. */
  endpoint: z
    .string('must be an address')
    .refine(
      (text) => /^https?:/.test(text) && URL.canParse(text) && new URL(text).username === '',
      'must look like https://s3.example.org, without keys',
    )
    .optional(),
  region: name.default('us-east-1'),
  /** Whether addresses name the bucket in the path, and not in the host name. */
  path_style: z.boolean('must be true or false').default(false),
};

const s3Schema = z.strictObject({ store: z.literal('s3'), bucket: name, ...bucketFields });

/** Copies of everything that `svc start` stores, beside it. */
export const backupSchema = z.strictObject(
  {
    /** A folder, best on another disk; or a bucket, `s3://<bucket>`, which holds nothing else. */
    to: z
      .string('must be a folder or a bucket')
      .refine(
        (text) => isAbsolute(text) || /^s3:\/\/[^/]+$/.test(text),
        'must be a path that begins at the root, such as /mnt/backup/lab, or a bucket, such as s3://lab-backup',
      ),
    ...bucketFields,
    /** For whom it is encrypted. */
    recipient: z
      .string('must be a recipient')
      .regex(/^age1[a-z0-9]{58}$/, 'must be age1 and 58 characters, as "svc backup key" prints it'),
    /** Hours between whole copies. */
    every_hours: count(1, 720, 24),
    /** Days for which every moment can be restored. */
    keep_days: count(1, 3_660, 14),
  },
  'must be a mapping with to and recipient',
);

export type BackupSettings = z.infer<typeof backupSchema>;

/** Storage of task files: the data folder, or a bucket. */
export const filesSchema = z.discriminatedUnion('store', [diskSchema, s3Schema], {
  error: (issue) =>
    issue.code === 'invalid_union'
      ? 'must be disk or s3'
      : 'must be a mapping with the key store, which is disk or s3',
});

export const configFileSchema = z.strictObject(
  {
    user_dir: z.string('must be a path').min(1, 'must not be empty').optional(),
    labs: listSchema.optional(),
    protocols: listSchema.optional(),
    scheduler: schedulerSchema.optional(),
    limits: limitsSchema.optional(),
    auth: authSchema.optional(),
    files: filesSchema.optional(),
    https: httpsSchema.optional(),
    cors: corsSchema.optional(),
    http: httpSchema.optional(),
    metrics: metricsSchema.optional(),
    device_calls: deviceCallsSchema.optional(),
    logs: logsSchema.optional(),
    retention: retentionSchema.optional(),
    quotas: quotasSchema.optional(),
    backup: backupSchema.optional(),
    webhooks: webhooksSchema.optional(),
    log_level: logLevelSchema.optional(),
  },
  'must be a mapping of settings',
);

export type ConfigFileKey = keyof z.infer<typeof configFileSchema>;

/** The mappings whose keys do not depend on their content. */
const plainMappings = {
  limits: limitsSchema,
  https: httpsMapping,
  logs: logsSchema,
  retention: retentionSchema,
  backup: backupSchema,
  metrics: metricsSchema,
  webhooks: webhooksSchema,
  cors: corsSchema,
  http: httpSchema,
};
type PlainKey = keyof typeof plainMappings;

/** Keys of the mapping at a path of this file; empty when none are known. */
export function knownKeys(
  path: readonly PropertyKey[],
  content: Readonly<Record<string, unknown>>,
): string[] {
  if (path.length === 0) return Object.keys(configFileSchema.shape);
  if (path[0] === 'quotas') return Object.keys((path.length === 1 ? quotasSchema : quotaMapping).shape);
  if (Object.hasOwn(plainMappings, path[0] as string))
    return Object.keys(plainMappings[path[0] as PlainKey].shape);
  if (path[0] === 'auth') return knownAuthKeys(path.slice(1));
  if (path[0] === 'files') {
    const { store } = (content.files ?? {}) as { store?: unknown };
    return Object.keys((store === 'disk' ? diskSchema : s3Schema).shape);
  }
  const { type } = (content.scheduler ?? {}) as { type?: unknown };
  return path[0] === 'scheduler' ? Object.keys((type === 'greedy' ? greedySchema : cpsatSchema).shape) : [];
}
