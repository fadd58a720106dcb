/**
 * Random numbers that are the same for the same seed and stream (mulberry32). Activities that run at the same time draw
 * from streams of their own, so that their timing does not change what is drawn.
 */
export class Chance {
  #state: number;

  /** @param stream a name, for example `fault/17` */
  constructor(seed: number, stream = '') {
    // FNV-1a.
    let hash = 0x811c9dc5;
    for (const character of `${seed}/${stream}`)
      hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
    this.#state = hash;
  }

  /** Uniform in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  between(least: number, most: number): number {
    return least + this.next() * (most - least);
  }

  whole(least: number, most: number): number {
    return Math.floor(this.between(least, most + 1));
  }

  /** @returns undefined if the list is empty */
  one<T>(list: readonly [T, ...T[]]): T;
  one<T>(list: readonly T[]): T | undefined;
  one<T>(list: readonly T[]): T | undefined {
    return list[Math.floor(this.next() * list.length)];
  }

  happens(share: number): boolean {
    return this.next() < share;
  }
}
