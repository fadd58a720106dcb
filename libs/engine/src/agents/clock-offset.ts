/** Number of latest readings that count. An agent gives one with each heartbeat, every second. */
const counted = 10;
/** Smallest number of readings for a judgement. */
const fewest = 3;
/** A clock is wrong beyond the first offset, and right again within the second, in milliseconds. */
const wrongBeyondMs = 1_000;
const rightWithinMs = 500;

/**
 * The offset of the clock of a computer. A message arrives late and never early, so each reading is at most the true
 * offset, and the greatest of several readings is the best.
 */
export class ClockOffset {
  readonly #readings: number[] = [];
  #isWrong = false;

  /** Takes a reading. @param ms by how much the clock seemed ahead, in milliseconds */
  note(ms: number): void {
    this.#readings.push(ms);
    if (this.#readings.length > counted) this.#readings.shift();
    if (this.isKnown)
      this.#isWrong = Math.abs(this.ms ?? 0) > (this.#isWrong ? rightWithinMs : wrongBeyondMs);
  }

  /** Milliseconds by which the clock is ahead; null: there was no reading. */
  get ms(): number | null {
    return this.#readings.length === 0 ? null : Math.max(...this.#readings);
  }

  /** There were enough readings to say whether the clock is wrong. */
  get isKnown(): boolean {
    return this.#readings.length >= fewest;
  }

  /** The clock is wrong by more than a second. */
  get isWrong(): boolean {
    return this.#isWrong;
  }
}
