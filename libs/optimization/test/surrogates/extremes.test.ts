import { describe, expect, it } from 'vitest';
import { Rng } from '../../src/numeric/index.js';
import { limitExtremes, type Tail } from '../../src/surrogates/extremes.js';

const unwanted: Tail = { wanted: false, bounds: [] };
const wanted: Tail = { wanted: true, bounds: [] };
const some = (...more: number[]) => Float64Array.of(3, 1, 2, 5, 4, 3.5, 2.5, 1.5, ...more);

describe('limiting results out of reach', () => {
  it('moves one to the nearest other at an end that nobody looks for', () => {
    const y = some(1e9);
    const limited = limitExtremes(y, wanted, unwanted);
    expect([...limited]).toEqual([...some(5)]);
    expect(y[8]).toBe(1e9);
    expect([...limitExtremes(some(-1e9), unwanted, wanted)]).toEqual([...some(1)]);
  });

  it('keeps a possible discovery better than all others, at ten ranges beyond them', () => {
    const limited = limitExtremes(some(-1e9), wanted, unwanted);
    // The result at the other end is left out of the range, because it could be out of reach itself.
    expect(limited[8]).toBeCloseTo(1 - 10 * 3, 10);
    expect([...limited.subarray(0, 8)]).toEqual([...some()]);
  });

  it('limits both ends at once', () => {
    const limited = limitExtremes(some(1e9, -1e12), unwanted, unwanted);
    expect([...limited]).toEqual([...some(5, 1)]);
  });

  it.each([
    ['results within ten ranges of each other', some(40)],
    ['equal results and one other', Float64Array.of(0, 0, 0, 0, 0, 0, 0, 1)],
    ['few results', Float64Array.of(1, 2, 3, 4, 1e9)],
    ['results beyond the others that support each other', some(1e9, 1.1e9)],
    ['the largest numbers', some(Number.MAX_VALUE, -Number.MAX_VALUE, Number.MAX_VALUE)],
  ])('changes nothing for %s', (_, y) => {
    expect(limitExtremes(y, wanted, unwanted)).toBe(y);
  });

  it.each([1e-9, 1, 1e9])('does not depend on the unit (%f)', (unit) => {
    const limited = limitExtremes(
      some(1e9).map((value) => unit * value + unit * 1e5),
      wanted,
      unwanted,
    );
    expect(limited[8]).toBe(unit * 5 + unit * 1e5);
  });

  it('keeps the order of results and their sides of every bound', () => {
    const rng = Rng.seeded('bounds');
    for (let round = 0; round < 200; round++) {
      const y = rng.normals(20);
      y[round % 20] = (round % 2 === 0 ? 1 : -1) * 10 ** (9 * rng.uniform());
      const bounds = [3 * rng.normal(), 10 ** (6 * rng.uniform())];
      const limited = limitExtremes(y, { wanted: rng.uniform() < 0.5, bounds }, { wanted: false, bounds });
      for (const bound of bounds) {
        expect(limited.map((value) => Math.sign(value - bound))).toEqual(
          y.map((value) => Math.sign(value - bound)),
        );
      }
      const order = [...y.keys()].sort((a, b) => y[a]! - y[b]!);
      order.slice(1).forEach((i, k) => expect(limited[i]! >= limited[order[k]!]!).toBe(true));
    }
  });

  it('brings no result nearer to a target than the others are', () => {
    for (const target of [2.2, 30, -4]) {
      const tail = { wanted: false, bounds: [target] };
      const limited = limitExtremes(some(1e9), tail, tail);
      const distance = limited.map((value) => Math.abs(value - target));
      expect(distance[8]).toBeGreaterThan(Math.min(...distance.subarray(0, 8)));
    }
  });
});
