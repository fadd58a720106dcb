import { readSettings, recordSettings, replaySettings } from '@lab/instruments';
import { z } from 'zod';

const longestS = 604_800;

/** An empty text in `device.yml` stands for a parameter that a lab may set. */
const text = (shape: z.ZodType<string> = z.string()) =>
  z.preprocess((given) => (given === '' || given === null ? undefined : given), shape.optional());

const schema = z.strictObject({
  address: text(z.string().regex(/^(\[[0-9a-fA-F:]+\]|[^\s:]+):\d{1,5}$/, 'must be host:port')),
  server_uuid: text(
    z.string().regex(/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/, 'must be a UUID'),
  ),
  server_name: text(),
  network_interface: text(z.union([z.ipv4(), z.ipv6()])),
  insecure: z.boolean().default(false),
  fingerprint: text(z.string().regex(/^([0-9a-fA-F]{2}:?){32}$/, 'must be the SHA-256 of a certificate')),
  authorities: text(),
  features: z.array(z.string()).default([]),
  kinds: z.record(z.string(), z.enum(['effect', 'idempotent', 'query'])).default({}),
  timeouts: z.record(z.string(), z.number().positive().max(longestS)).default({}),
  metadata: z.record(z.string(), z.json()).default({}),
  stop: text(),
  /** Record the traffic from the start. */
  record: recordSettings,
  /** A recording in place of the server. */
  replay: replaySettings,
  lock_timeout: z.number().int().min(1).max(86_400).nullable().default(60),
  lock_retry_delay: z.number().min(0.05).max(60).default(0.5),
  lock_max_retries: z.number().int().min(0).max(100_000).default(120),
});

/** The init parameters of a {@link SilaDevice}, read. */
export type SilaSettings = z.output<typeof schema>;

/** How the server is locked. The names are those of the specification. */
export interface LockTerms {
  /** Seconds without use after which the server frees the lock by itself; null: the server is not locked. */
  lock_timeout: number | null;
  /** Seconds between two tries, while another client has the lock. */
  lock_retry_delay: number;
  /** Tries after the first one. */
  lock_max_retries: number;
}

/** @throws TypeError that names every fault */
export function silaSettings(parameters: unknown): SilaSettings {
  const settings = readSettings(schema, parameters);
  if (
    settings.address === undefined &&
    settings.server_uuid === undefined &&
    settings.server_name === undefined
  ) {
    throw new TypeError(
      'init_parameters: give the address of the SiLA server, or its server_uuid or server_name',
    );
  }
  if (settings.insecure && (settings.fingerprint !== undefined || settings.authorities !== undefined)) {
    throw new TypeError(
      'init_parameters: insecure is without TLS, so there can be no fingerprint and no authorities',
    );
  }
  waitOf(settings);
  return settings;
}

/** Longest wait for a lock, in seconds. */
const longestWaitS = 3_000;

/** @returns seconds that a lock is waited for at most @throws TypeError when that is too long */
export function waitOf({ lock_timeout, lock_retry_delay, lock_max_retries }: LockTerms): number {
  if (lock_timeout === null) return 0;
  const wait = lock_retry_delay * lock_max_retries;
  if (wait > longestWaitS) {
    throw new TypeError(
      `lock_retry_delay times lock_max_retries is ${wait} s: a lock is waited for at most ${longestWaitS} s`,
    );
  }
  return wait;
}
