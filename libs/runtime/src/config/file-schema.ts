import { z } from 'zod';
import { logLevels } from '../log.js';
import { isNetwork } from '../outbound/addresses.js';

/** What `config.yml` may hold. One schema for every process, so that a wrong key is found by whichever reads it. */

const name = z.string('must be a name').min(1, 'must not be empty');

export const listSchema = z.array(name, 'must be a list of names');

export const logLevelSchema = z.enum(logLevels, `must be one of ${logLevels.join(', ')}`);

/** A number of seconds, fractions allowed. */
const span = (least: number, most: number, fallback: number) =>
  z
    .number(`must be a number of seconds from ${least} to ${most}`)
    .min(least, `must be at least ${least} seconds`)
    .max(most, `must be at most ${most} seconds`)
    .default(fallback);

const whole = (least: number, most: number) =>
  z
    .number(`must be a whole number from ${least} to ${most}`)
    .int(`must be a whole number from ${least} to ${most}`)
    .min(least, `must be at least ${least}`)
    .max(most, `must be at most ${most}`);

const count = (least: number, most: number, fallback: number) => whole(least, most).default(fallback);

const greedySchema = z.strictObject({ type: z.literal('greedy') });

const cpsatSchema = z.strictObject({
  type: z.literal('cpsat'),
  /** How long it looks for a better plan after each change of what is to be planned. */
  time_limit: span(0.1, 600, 5),
  /** Processes that prove plans best or bound them, beside the search; 0: none. */
  workers: count(0, 8, 1),
  /** Of the search: the same plans for the same work. */
  seed: count(0, 2_147_483_647, 1),
  /** The shortest time that a plan tells apart. */
  resolution: span(0.001, 60, 0.1),
  /** What is planned to start within it keeps its place. */
  frozen_window: span(0, 3_600, 30),
});

/** Which policy decides what starts, and the settings that only `cpsat` has. */
export const schedulerSchema = z.discriminatedUnion('type', [greedySchema, cpsatSchema], {
  error: (issue) =>
    issue.code === 'invalid_union'
      ? 'must be greedy or cpsat'
      : 'must be a mapping with the key type, which is greedy or cpsat',
});

export type SchedulerSettings = z.infer<typeof schedulerSchema>;

export const limitsSchema = z.strictObject(
  {
    /** Task runs that may wait at once before submissions are refused with `backlog_full`. */
    max_queued: count(1, 1_000_000, 10_000),
    /** The same of one owner; work without an owner has no limit of its own. */
    max_queued_per_owner: count(1, 1_000_000, 2_000),
    /** Largest body of a request, in bytes. */
    max_body_bytes: count(1_024, 1_048_576, 1_048_576),
    /** How many days events are kept. */
    events_kept_days: count(1, 3_650, 7),
    /** Streams of events that one gateway serves at once. */
    event_clients: count(1, 2_000, 200),
    /** How long a request waits for an orchestrator that leads, in seconds; 0: not at all. */
    failover_wait_s: count(0, 60, 8),
    /** Requests that change something, a second, by one client; undefined: see the gateway. */
    changes_per_s: whole(1, 100_000).optional(),
    /** The same of requests that read. */
    reads_per_s: whole(1, 100_000).optional(),
    /** The same of all requests from one address, whatever tokens they bring. */
    requests_per_s: whole(1, 100_000).optional(),
    /** Requests of one client under way at once. */
    requests_at_once: whole(1, 10_000).optional(),
    /** Warm task processes each agent keeps ready. */
    task_pool_size: count(0, 64, 2),
    /** Most task processes of one agent at once. */
    task_pool_max: count(1, 256, 16),
  },
  'must be a mapping',
);

export const originsSchema = z.array(
  z
    .string('must be an origin')
    .refine(
      (text) => /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text,
      'must be an exact origin, such as https://dashboard.example.org, without path or pattern',
    ),
  'must be a list of origins',
);

/** Which pages of other sites may use the interface. */
export const corsSchema = z.strictObject({ origins: originsSchema.default([]) }, 'must be a mapping');

/** How long lines that tasks and devices wrote are kept: for so many days, and no more than so many. */
export const logsSchema = z.strictObject(
  { keep_days: count(1, 3_650, 14), max_lines: count(1_000, 100_000_000, 1_000_000) },
  'must be a mapping',
);

/** What becomes of work that has been over for long. */
export const retentionSchema = z.strictObject(
  {
    /** Days after its end from which on it is archived; undefined: never. */
    archive_after_days: whole(1, 36_500).optional(),
  },
  'must be a mapping',
);

export const metricsSchema = z.strictObject(
  {
    /** Whether `/metrics` can be read without a token. */
    open: z.boolean('must be true or false').default(false),
  },
  'must be a mapping',
);

const isHostName = (text: string): boolean => /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i.test(text);

/** Where webhooks may go. */
export const webhooksSchema = z.strictObject(
  {
    /** Names, addresses and networks that are reached although they are not on the public internet. */
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
    /** Whether they may go without TLS. */
    http: z.boolean('must be true or false').default(false),
    /** Ports that they may go to. */
    ports: z.array(whole(1, 65_535), 'must be a list of ports').default([80, 443, 8_080, 8_443]),
  },
  'must be a mapping',
);

export type WebhookSettings = z.infer<typeof webhooksSchema>;

/** An address whose answers can be believed: over TLS, or from this computer. */
const trustedAddress = z
  .string('must be an address')
  .refine(
    (text) =>
      URL.canParse(text) &&
      (text.startsWith('https://') ||
        (text.startsWith('http://') && ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(text).hostname))),
    'must be an address that begins with https://',
  );

const roleTextSchema = z
  .string('must be a role')
  .regex(
    /^((viewer|submitter|operator|lab_admin)(:.+)?|admin)$/,
    'must be viewer, submitter, operator, lab_admin or admin; of one lab: operator:<lab>',
  );

const oidcSchema = z.strictObject(
  {
    /** As it stands in `iss` of its tokens. */
    issuer: trustedAddress,
    /** What `aud` of a token must be or hold. */
    audience: name,
    /** Claim with the roles, a text or a list of them; dots lead into objects. */
    roles_claim: name.default('roles'),
    /** What a value of that claim stands for; undefined: values are roles themselves. */
    roles: z.record(name, z.array(roleTextSchema, 'must be a list of roles')).optional(),
    /** Claim that is the name of a person; must be unique and not of their own choice. */
    name_claim: name.default('sub'),
  },
  'must be a mapping with issuer and audience',
);

export type OidcSettings = z.infer<typeof oidcSchema>;

const authMapping = z.strictObject(
  {
    /** `tokens`: who shows one, and what its roles allow. `off`: everybody who reaches the gateway. */
    type: z.enum(['off', 'tokens'], 'must be off or tokens').default('off'),
    /** Off although others than this computer reach the gateway. */
    off_anywhere: z
      .preprocess(
        (value) => (value === 'true' ? true : value === 'false' ? false : value),
        z.boolean('must be true or false'),
      )
      .default(false),
    /** Tokens of this OpenID Connect issuer are taken too. */
    oidc: oidcSchema.optional(),
  },
  'must be a mapping',
);

/** Who may use the interface. */
export const authSchema = authMapping.refine(({ type, oidc }) => type === 'tokens' || oidc === undefined, {
  path: ['oidc'],
  message: 'has no effect without type: tokens',
});

export type AuthSettings = z.infer<typeof authSchema>;

const diskSchema = z.strictObject({ store: z.literal('disk') });

const s3Schema = z.strictObject({
  store: z.literal('s3'),
  bucket: name,
  /** Of the server; undefined: that of AWS for the region. */
  endpoint: z
    .string('must be an address')
    .refine(
      (text) => /^https?:/.test(text) && URL.canParse(text) && new URL(text).username === '',
      'must look like https://s3.example.org, without keys',
    )
    .optional(),
  region: name.default('us-east-1'),
  /** Whether the bucket stands in the path of an address, and not in its host name. */
  path_style: z.boolean('must be true or false').default(false),
});

/** Where files of tasks are kept: in the data folder, or in a bucket. */
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
    cors: corsSchema.optional(),
    metrics: metricsSchema.optional(),
    logs: logsSchema.optional(),
    retention: retentionSchema.optional(),
    webhooks: webhooksSchema.optional(),
    log_level: logLevelSchema.optional(),
  },
  'must be a mapping of settings',
);

export type ConfigFileKey = keyof z.infer<typeof configFileSchema>;

/** Keys of the mapping at a path of a file with this content; empty where none are known. */
export function knownKeys(
  path: readonly PropertyKey[],
  content: Readonly<Record<string, unknown>>,
): string[] {
  if (path.length === 0) return Object.keys(configFileSchema.shape);
  if (path[0] === 'limits') return Object.keys(limitsSchema.shape);
  if (path[0] === 'auth') return Object.keys((path[1] === 'oidc' ? oidcSchema : authMapping).shape);
  if (path[0] === 'logs') return Object.keys(logsSchema.shape);
  if (path[0] === 'retention') return Object.keys(retentionSchema.shape);
  if (path[0] === 'metrics') return Object.keys(metricsSchema.shape);
  if (path[0] === 'webhooks') return Object.keys(webhooksSchema.shape);
  if (path[0] === 'cors') return Object.keys(corsSchema.shape);
  if (path[0] === 'files') {
    const { store } = (content.files ?? {}) as { store?: unknown };
    return Object.keys((store === 'disk' ? diskSchema : s3Schema).shape);
  }
  const { type } = (content.scheduler ?? {}) as { type?: unknown };
  return path[0] === 'scheduler' ? Object.keys((type === 'greedy' ? greedySchema : cpsatSchema).shape) : [];
}
