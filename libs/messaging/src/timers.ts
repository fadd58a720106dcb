/** Time as the bus needs it: handed in, so that a whole lab can run on a virtual clock. */
export interface BusTimers {
  /** Milliseconds of a clock that never steps back; its zero means nothing. */
  now(): number;
  /** Runs `callback` once after `ms` milliseconds; the returned function cancels it. */
  after(ms: number, callback: () => void): () => void;
}

/** The longest delay Node accepts, 24.8 days; a longer one would fire at once. */
const longestDelayMs = 2_147_483_647;

/** Real time. */
export const systemBusTimers: BusTimers = {
  now: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(ms, longestDelayMs));
    return () => clearTimeout(timer);
  },
};
