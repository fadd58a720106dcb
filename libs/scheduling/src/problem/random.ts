/** Reproducible random numbers: the same seed gives the same numbers on every machine (mulberry32). Not for secrets. */
export class SeededRandom {
  private state: number;

  /** @param seed any integer; its lowest 32 bits count */
  constructor(seed: number) {
    this.state = seed | 0;
  }

  /** At least 0, less than 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  /** @returns a whole number from 0 to `bound - 1` */
  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }
}
