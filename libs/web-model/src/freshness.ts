/** How old what the page shows is. */
export type Freshness = 'live' | 'quiet' | 'stale';

/** A stream that brought nothing for this time has missed a heartbeat, in milliseconds. The service sends one every 15 s. */
const quietMs = 20_000;
/** After this time nobody may act on what is shown, in milliseconds. */
const staleMs = 40_000;

/**
 * @param heardAt when the stream last brought anything, in milliseconds of a clock that nobody sets; undefined: never
 * @param now by the same clock
 */
export function freshnessOf(heardAt: number | undefined, now: number): Freshness {
  if (heardAt === undefined || now - heardAt >= staleMs) return 'stale';
  return now - heardAt >= quietMs ? 'quiet' : 'live';
}
