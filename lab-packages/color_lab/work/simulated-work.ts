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
  private readonly timeScale: number;
  private halt = new AbortController();

  /** @param timeScale simulated seconds become this many real ones */
  constructor(timeScale: number) {
    this.timeScale = timeScale;
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
