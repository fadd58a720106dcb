import { setTimeout as pause } from 'node:timers/promises';

/** Work was stopped before its end. */
export class Stopped extends Error {
  override readonly name = 'Stopped';

  constructor(
    reason: string,
    /** How much of it was done, from 0 to 1. */
    readonly share: number,
  ) {
    super(`stopped before the end: ${reason}`);
  }
}

/** What a simulated instrument is at: it takes its time, and can be stopped in the middle. */
export class SimulatedWork {
  private halt = new AbortController();

  /**
   * @param timeScale simulated seconds become this many real ones
   * @throws RangeError when it is negative
   */
  constructor(private readonly timeScale: number) {
    checkAtLeastZero('time_scale', timeScale);
  }

  /** @throws Stopped when {@link stop} came before the end */
  async spend(seconds: number): Promise<void> {
    const ms = 1000 * seconds * this.timeScale;
    const { signal } = this.halt;
    const began = performance.now();
    try {
      await pause(ms, undefined, { signal });
    } catch (error) {
      if (!signal.aborted) throw error;
      const share = ms === 0 ? 1 : Math.min(1, (performance.now() - began) / ms);
      throw new Stopped(String(signal.reason), share);
    }
  }

  /** Stops what is in progress; what comes later is not stopped by it. */
  stop(reason: string): void {
    this.halt.abort(reason);
    this.halt = new AbortController();
  }
}

/** @throws RangeError that names the init parameter */
export function checkAtLeastZero(name: string, value: number): void {
  if (!(value >= 0)) throw new RangeError(`${name} is ${value}: give a number from 0 on`);
}

/** Checks an argument of a call. @throws RangeError that names it */
export function checkRange(name: string, value: number, unit: string, low: number, high = Infinity): void {
  if (typeof value === 'number' && value >= low && value <= high) return;
  const range = high === Infinity ? `${low} or more` : `between ${low} and ${high}`;
  throw new RangeError(`${name} is ${value} ${unit}: it must be ${range}`);
}

export function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
