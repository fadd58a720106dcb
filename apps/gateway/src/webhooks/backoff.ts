/** Attempts at one delivery until it is given up: about four days. */
export const mostAttempts = 15;

const firstS = 5;
const longestS = 12 * 3_600;

/** Longest time for which a receiver may ask to be left alone, in seconds. */
const longestAskedS = 24 * 3_600;

/**
 * Until the next attempt, in seconds: four times longer after each, from 5 s to 12 h, up to a fifth more or less, so that
 * what failed together does not come again together. A receiver that asks for more time gets it.
 *
 * @param attempts made so far, from 1
 * @param chance from 0 to 1
 * @param askedS what the receiver asked for (`Retry-After`), in seconds
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
