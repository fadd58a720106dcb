import type { Timers } from '@lab/ports';

/** Time as the bus needs it. It is a port, so that a whole lab can run on a virtual clock. */
export interface BusTimers extends Timers {
  /** Milliseconds of a monotonic clock. Only differences are meaningful. */
  now(): number;
}

/** The longest delay that Node accepts, 24.8 days. A timer with a longer delay would fire at once. */
const longestDelayMs = 2_147_483_647;

/** Real time. */
export const systemBusTimers: BusTimers = {
  now: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(ms, longestDelayMs));
    return () => clearTimeout(timer);
  },
};
