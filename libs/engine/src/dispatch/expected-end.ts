/** Seconds that a task is taken to need when nobody has said or seen how long it takes. */
export const assumedDurationS = 1;

/** A task that is late by no more than this, or 2 % of its time, is taken to be at its end. */
const graceMs = 500;
const graceShare = 0.02;
/** An overrun is taken to go on for a tenth of the time so far, and for a second at least. */
const extensionShare = 0.1;
const shortestExtensionMs = 1000;

/**
 * When a task that runs is expected to end, in milliseconds since 1970.
 *
 * A task that takes longer than expected is given more time in steps that grow with it, so that its expected end stands
 * still between two steps and a plan is disturbed seldom.
 *
 * @param startedAt milliseconds since 1970 @param durationS seconds that were expected; null: unknown
 * @returns `end`, never before `now`; `overrunAt`: when that expectation will have failed
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
