/** The crashes of a device within a window of time. */
export class CrashCount {
  readonly #windowMs: number;
  #crashes: number[] = [];

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /**
   * Notes a crash.
   *
   * @param now in milliseconds
   * @returns how many there were within the window, this one included
   */
  note(now: number): number {
    this.#crashes = this.#crashes.filter((at) => at > now - this.#windowMs);
    this.#crashes.push(now);
    return this.#crashes.length;
  }

  clear(): void {
    this.#crashes = [];
  }
}
