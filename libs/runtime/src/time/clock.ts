import { randomBytes } from 'node:crypto';
import type { Clock, Ids, Timers } from '@lab/ports';

/** Real time. */
export const systemClock: Clock = {
  /** Milliseconds since 1970. */
  now(): number {
    return Date.now();
  },
};

/** A monotonic clock for time differences. Changes of the system clock do not affect it. */
export const steadyClock: Clock = {
  now(): number {
    return performance.now();
  },
};

/** The longest delay Node accepts; a longer one would fire at once. */
const longestDelayMs = 2_147_483_647;

/** Real timers. They keep the process alive until they fire. */
export const systemTimers: Timers = {
  /** Runs `callback` once after `ms` milliseconds, also beyond 24.8 days; the returned function cancels it. */
  after(ms: number, callback: () => void): () => void {
    let timer: NodeJS.Timeout;
    const arm = (left: number): void => {
      timer =
        left > longestDelayMs
          ? setTimeout(() => arm(left - longestDelayMs), longestDelayMs)
          : setTimeout(callback, Math.max(0, left));
    };
    arm(ms);
    return () => clearTimeout(timer);
  },
};

/**
 * UUIDs of version 7 (RFC 9562) that rise strictly within one process: 48 bits of milliseconds, a counter of 12 + 14
 * bits that starts at a random point in each millisecond, 48 random bits. A clock that steps back keeps the last
 * millisecond; a full counter moves on to the next.
 */
export function uuidV7Source(clock: Clock = systemClock): Ids {
  let lastMs = 0;
  let counter = 0;
  return {
    next(): string {
      const now = clock.now();
      const random = randomBytes(10);
      if (now > lastMs) {
        lastMs = now;
        counter = random.readUInt32BE(0) & 0x1ff_ffff;
      } else if (++counter > 0x3ff_ffff) {
        lastMs += 1;
        counter = random.readUInt32BE(0) & 0x1ff_ffff;
      }
      const time = lastMs.toString(16).padStart(12, '0');
      const high = (0x7000 | (counter >>> 14)).toString(16);
      const low = (0x8000 | (counter & 0x3fff)).toString(16);
      return `${time.slice(0, 8)}-${time.slice(8)}-${high}-${low}-${random.toString('hex', 4)}`;
    },
  };
}

/** Identifiers ordered by time of creation. Implements `Ids`. */
export const systemIds = uuidV7Source();
