/** Maximum number of attempts at one delivery, over about four days. */
export const mostAttempts = 15;

const firstS = 5;
const longestS = 12 * 3_600;

/** Longest delay that a receiver may ask for, in seconds. */
const longestAskedS = 24 * 3_600;

/**
 * Delay before the next attempt, in seconds. It grows fourfold after each attempt, from 5 s to 12 h, plus or minus up to a
 * fifth, so that deliveries that failed together are not retried together. A receiver may ask for more time.
 *
 * @param attempts made so far, from 1
 * @param chance from 0 to 1
 * @param askedS delay that the receiver asked for (`Retry-After`), in seconds
 */
export function retryInS(attempts: number, chance: number, askedS = 0): number {
  const usual = Math.min(longestS, firstS * 4 ** (attempts - 1));
  return Math.max(usual * (0.8 + 0.4 * chance), Math.min(askedS, longestAskedS));
}

/** Seconds that a header `Retry-After` asks for: a number, or a date (RFC 9110). Undefined when it is neither. */
export function askedForS(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - now) / 1_000);
}
