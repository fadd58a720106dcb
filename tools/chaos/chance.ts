/**
 * Numbers that look random and are the same for the same seed and stream (mulberry32). What happens beside each other
 * draws from streams of its own, so that the time at which it does changes nothing of what is drawn.
 */
export class Chance {
  #state;

  /** @param stream of which there are as many as there are names, for example `fault/17` */
  constructor(seed, stream = '') {
    // FNV-1a.
    let hash = 0x811c9dc5;
    for (const character of `${seed}/${stream}`)
      hash = Math.imul(hash ^ character.codePointAt(0), 0x01000193) >>> 0;
    this.#state = hash;
  }

  /** Uniform in [0, 1). */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  between(least, most) {
    return least + this.next() * (most - least);
  }

  whole(least, most) {
    return Math.floor(this.between(least, most + 1));
  }

  /** Undefined of an empty list. */
  one(list) {
    return list[Math.floor(this.next() * list.length)];
  }

  happens(share) {
    return this.next() < share;
  }
}
