import { UsageError } from './exit-codes.js';

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * A moment that a person typed, in ISO 8601 in UTC.
 *
 * @param given a duration from now (`30m`, `2h`, `3d`), a time of day (`18:00`: the next one on this computer), or ISO 8601;
 *   without a time zone, by the clock of this computer
 * @param now milliseconds since 1970
 * @throws UsageError when it is none of these
 */
export function momentOf(given: string, now = Date.now()): string {
  const at = durationMs(given, now) ?? timeOfDay(given, now) ?? isoTime(given);
  if (at !== undefined) return new Date(at).toISOString();
  throw new UsageError(`"${given}" is no time: write 30m, 2h, 3d, 18:00 or 2026-11-23T18:00`);
}

/**
 * A duration that a person typed, in seconds.
 *
 * @param given `90s`, `10m`, `2h` or `3d`
 * @throws UsageError when it is none
 */
export function secondsOf(given: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(given) ?? [];
  if (count === '') throw new UsageError(`"${given}" is no duration: write 90s, 10m, 2h or 3d`);
  return (Number(count) * (unitMs[unit] ?? 0)) / 1_000;
}

function durationMs(given: string, now: number): number | undefined {
  const [, count = '', unit = ''] = /^(\d{1,6})([mhd])$/.exec(given) ?? [];
  return count === '' ? undefined : now + Number(count) * (unitMs[unit] ?? 0);
}

function timeOfDay(given: string, now: number): number | undefined {
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(given) ?? [];
  if (hours === undefined) return undefined;
  const at = new Date(now);
  at.setHours(Number(hours), Number(minutes), 0, 0);
  if (at.getTime() <= now) at.setDate(at.getDate() + 1);
  return at.getTime();
}

function isoTime(given: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(given)) return undefined;
  const at = Date.parse(given);
  return Number.isNaN(at) ? undefined : at;
}
