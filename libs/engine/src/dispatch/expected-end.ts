/** Assumed duration of a task, in seconds, when none is declared or observed. */
const assumedDurationS = 1;

/** A running task that is late by at most this, or by 2 % of its duration, is expected to end now. */
const graceMs = 500;
const graceShare = 0.02;
/** An overrun task is expected to take another tenth of the time so far, at least one second. */
const extensionShare = 0.1;
const shortestExtensionMs = 1000;

/**
 * When a running task is expected to end, in milliseconds since 1970.
 *
 * The expected end of a late task moves in steps that grow with the overrun. Between two steps it stays the same, so
 * that plans change seldom.
 *
 * @param startedAt milliseconds since 1970
 * @param durationS expected seconds; null: unknown
 * @param now milliseconds since 1970
 * @returns `end`, never before `now`; `overrunAt`, when the next step is due
 */
export function expectedEnd(
  startedAt: number,
  durationS: number | null,
  now: number,
): { end: number; overrunAt: number } {
  let ms = (durationS ?? assumedDurationS) * 1000;
  const graceOf = (of: number): number => Math.max(graceMs, graceShare * of);
  while (now >= startedAt + ms + graceOf(ms)) ms += Math.max(shortestExtensionMs, extensionShare * ms);
  const end = Math.ceil(startedAt + ms);
  return { end: Math.max(end, now), overrunAt: Math.ceil(startedAt + ms + graceOf(ms)) };
}
