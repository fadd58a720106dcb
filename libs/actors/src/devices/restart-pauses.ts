import { backoffMs } from '@lab/ports';
import type { AgentLimits } from '../ports/index.js';

/** Counts the crashes and failed starts of a device, and derives the pause before its next start. */
export class RestartPauses {
  #crashes: number[] = [];
  #failedStarts = 0;

  constructor(private readonly limits: AgentLimits) {}

  /**
   * Notes a crash.
   *
   * @param now in milliseconds
   * @returns the number of crashes within the window, and the pause in milliseconds
   */
  crashed(now: number): { crashes: number; pauseMs: number } {
    this.#crashes = this.#crashes.filter((at) => at > now - this.limits.deviceCrashWindowMs);
    this.#crashes.push(now);
    return { crashes: this.#crashes.length, pauseMs: this.#pauseMs(this.#crashes.length) };
  }

  /** Notes that no process could be started. @returns the pause in milliseconds */
  startFailed(): number {
    this.#failedStarts += 1;
    return this.#pauseMs(this.#failedStarts);
  }

  /** Notes that a process was started. */
  started(): void {
    this.#failedStarts = 0;
  }

  forgetCrashes(): void {
    this.#crashes = [];
  }

  #pauseMs(failures: number): number {
    const { deviceBackoffMs: first, deviceBackoffMaxMs: longest } = this.limits;
    return backoffMs(failures, { first, longest });
  }
}
