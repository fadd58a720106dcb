/** Numbers that look random and are the same for the same seed (mulberry32). */
export class Chance {
  #state;

  constructor(seed) {
    this.#state = seed >>> 0;
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

  one(list) {
    return list[Math.floor(this.next() * list.length)];
  }

  happens(share) {
    return this.next() < share;
  }
}
