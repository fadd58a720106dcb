/**
 * A pseudo-random number in [0, 1) that depends only on the seed and the key. So a task has the same luck whatever
 * happened before it, and two policies can be compared under equal conditions.
 */
export function chanceOf(seed: number, ...key: readonly string[]): number {
  // FNV-1a over the key, then one step of Mulberry32, so that similar keys give unrelated numbers.
  let hash = (2_166_136_261 ^ seed) >>> 0;
  for (const character of key.join('\n')) {
    hash ^= character.codePointAt(0) ?? 0;
    hash = Math.imul(hash, 16_777_619) >>> 0;
  }
  let state = (hash + 0x6d2b79f5) >>> 0;
  state = Math.imul(state ^ (state >>> 15), state | 1);
  state ^= state + Math.imul(state ^ (state >>> 7), state | 61);
  return ((state ^ (state >>> 14)) >>> 0) / 4_294_967_296;
}
