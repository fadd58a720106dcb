import { z } from 'zod';
import { logLevels } from '../log.js';

/** What `config.yml` may hold. One schema for every process, so that a wrong key is found by whichever reads it. */

const name = z.string('must be a name').min(1, 'must not be empty');

export const listSchema = z.array(name, 'must be a list of names');

export const logLevelSchema = z.enum(logLevels, `must be one of ${logLevels.join(', ')}`);

export const schedulerSchema = z
  .looseObject({ type: z.unknown() }, 'must be a mapping with the key type')
  .transform((value, context): { readonly type: 'greedy' } => {
    const fault = (path: string[], message: string): void => {
      context.addIssue({ code: 'custom', path, message });
    };
    if (value.type === 'cpsat') {
      fault(['type'], "the scheduler 'cpsat' is not part of this version; use greedy");
    } else if (value.type === 'greedy') {
      for (const key of Object.keys(value).filter((each) => each !== 'type')) {
        fault([key], 'unknown key: the greedy scheduler has no settings');
      }
    } else {
      fault(['type'], 'must be greedy');
    }
    return { type: 'greedy' };
  });

const count = (least: number, most: number, fallback: number) =>
  z
    .number(`must be a whole number from ${least} to ${most}`)
    .int(`must be a whole number from ${least} to ${most}`)
    .min(least, `must be at least ${least}`)
    .max(most, `must be at most ${most}`)
    .default(fallback);

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
    /** How long a request waits for an orchestrator that leads, in seconds; 0: not at all. */
    failover_wait_s: count(0, 60, 8),
    /** Warm task processes each agent keeps ready. */
    task_pool_size: count(0, 64, 2),
    /** Most task processes of one agent at once. */
    task_pool_max: count(1, 256, 16),
  },
  'must be a mapping',
);

export const configFileSchema = z.strictObject(
  {
    user_dir: z.string('must be a path').min(1, 'must not be empty').optional(),
    labs: listSchema.optional(),
    protocols: listSchema.optional(),
    scheduler: schedulerSchema.optional(),
    limits: limitsSchema.optional(),
    log_level: logLevelSchema.optional(),
  },
  'must be a mapping of settings',
);

export type ConfigFileKey = keyof z.infer<typeof configFileSchema>;
