import { SeededRandom } from '@lab/actors/testing';

/** Random numbers that are the same for the same seed and stream. */
export class Chance {
  readonly #random: SeededRandom;

  /**
   * @param stream a name, for example `fault/17`: activities at the same time draw from streams of their own, so that their
   *   timing does not change what is drawn
   */
  constructor(seed: number, stream?: string) {
    this.#random = new SeededRandom(stream === undefined ? seed : diceOf(seed, stream, 0) * 2 ** 32);
  }

  /** Uniform in [0, 1). */
  next(): number {
    return this.#random.next();
  }

  /** Uniform in [low, high). */
  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  /** A whole number from `low` to `high`, both included. */
  int(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** True with the probability. */
  maybe(probability: number): boolean {
    return this.next() < probability;
  }

  /** @returns undefined if the list is empty */
  one<T>(from: readonly T[]): T | undefined {
    return from[this.int(0, from.length - 1)];
  }

  pick<T>(from: readonly T[]): T {
    const chosen = this.one(from);
    if (chosen === undefined) throw new Error('there is nothing to choose from');
    return chosen;
  }

  /** One of the keys, each as probable as its weight. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const entries = Object.entries(weights) as [K, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [key, weight] of entries) {
      left -= weight;
      if (left < 0) return key;
    }
    throw new Error('there is nothing to choose from');
  }
}

/**
 * A number in [0, 1) that depends only on its arguments. A decision made with it therefore stays the same when
 * something else is removed from a schedule.
 */
export function diceOf(seed: number, name: string, count: number): number {
  let hash = (seed ^ 0x9e3779b9) >>> 0;
  for (let index = 0; index < name.length; index += 1)
    hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193) >>> 0;
  hash = Math.imul(hash ^ count, 0x85ebca6b) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35) >>> 0;
  return ((hash ^ (hash >>> 16)) >>> 0) / 4_294_967_296;
}
