import { ServiceError } from '@lab/contracts/vocabulary';
import { ndtri } from './special.js';

/** The state of a generator: four whole numbers of 32 bits, as plain JSON. */
export type RngState = readonly [number, number, number, number];

/**
 * Pseudo-random numbers by sfc32 of the PractRand suite (Doty-Humphrey): 128 bits of state, period at least 2^32. The
 * same seed gives the same numbers on every machine.
 */
export class Rng {
  private a: number;
  private b: number;
  private c: number;
  private counter: number;

  private constructor(state: RngState) {
    [this.a, this.b, this.c, this.counter] = state;
  }

  /** @param seed any number or text; different seeds give unrelated sequences */
  static seeded(seed: number | string): Rng {
    const rng = new Rng(hashed(`${typeof seed}:${seed}`, [0, 0, 0, 1]));
    rng.discard();
    return rng;
  }

  /** @throws ServiceError `invalid` when the state is not four whole numbers of 32 bits */
  static restored(state: RngState): Rng {
    if (state.length !== 4 || state.some((word) => !Number.isInteger(word) || word !== word >>> 0)) {
      throw new ServiceError(
        'invalid',
        `The state of a generator is four whole numbers from 0 to 4294967295, not ${JSON.stringify(state)}`,
      );
    }
    return new Rng(state);
  }

  state(): RngState {
    return [this.a >>> 0, this.b >>> 0, this.c >>> 0, this.counter >>> 0];
  }

  /** A further generator that depends on the state of this one and the label; this one does not advance. */
  fork(label: string): Rng {
    const rng = new Rng(hashed(label, this.state()));
    rng.discard();
    return rng;
  }

  /** A whole number of 32 bits, 0 or more. */
  word(): number {
    const sum = (this.a + this.b + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** In [0, 1), a multiple of 2^-53. */
  uniform(): number {
    const high = this.word() >>> 5;
    const low = this.word() >>> 6;
    return (high * 67_108_864 + low) / 9_007_199_254_740_992;
  }

  /** Standard normal, by inversion: one number costs one uniform number. */
  normal(): number {
    return ndtri(this.uniform() + 5.551115123125783e-17);
  }

  normals(count: number): Float64Array {
    return Float64Array.from({ length: count }, () => this.normal());
  }

  /** A whole number from 0 to `bound - 1`, each equally likely. @param bound from 1 to 2^32 */
  below(bound: number): number {
    const limit = 4_294_967_296 - (4_294_967_296 % bound);
    for (;;) {
      const word = this.word();
      if (word < limit) return word % bound;
    }
  }

  /** Shuffles the items in place; all orders are equally likely. */
  shuffle<T extends { length: number; [index: number]: unknown }>(items: T): T {
    for (let i = items.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      const kept = items[i];
      items[i] = items[j];
      items[j] = kept;
    }
    return items;
  }

  /** The first words after seeding still resemble the seed. */
  private discard(): void {
    for (let i = 0; i < 15; i++) this.word();
  }
}

/** Four words from a text and four words: FNV-1a per lane, each with the finish of MurmurHash3. */
function hashed(text: string, salt: RngState): RngState {
  const lane = (index: number): number => {
    let hash = 2_166_136_261 ^ Math.imul(index + 1, 0x9e3779b9);
    const eat = (byte: number) => {
      hash = Math.imul(hash ^ byte, 16_777_619);
    };
    for (const word of salt) for (let shift = 0; shift < 32; shift += 8) eat((word >>> shift) & 255);
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      eat(unit & 255);
      eat(unit >>> 8);
    }
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    return (hash ^ (hash >>> 16)) >>> 0;
  };
  return [lane(0), lane(1), lane(2), lane(3)];
}
