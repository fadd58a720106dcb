import { describe, expect, it } from 'vitest';
import { Rng } from '../../src/numeric/index.js';
import { nonDominatedBoxes } from '../../src/acquisition/boxes.js';
import { defaultReference, paretoFront, rowsOf } from '../../src/acquisition/pareto.js';
import { hypervolume } from '../hypervolume.js';

const of = (...numbers: number[]) => Float64Array.from(numbers);

describe('hypervolume', () => {
  const plane = of(8.5, 3, 8.5, 3.5, 5, 5, 9, 1, 4, 5);

  it('equals the published values (BoTorch, test_hypervolume)', () => {
    expect(hypervolume(plane, 5, 2, of(0, 0))).toBeCloseTo(37.75, 12);
    expect(hypervolume(plane, 5, 2, of(1, 0.5))).toBeCloseTo(28.75, 12);
    expect(hypervolume(of(-1, 0, 0, 0, -1, 0, 0, 0, -1), 3, 3, of(-2.1, -2.5, -2.3))).toBeCloseTo(11.075, 12);
    const axes = of(-1, 0, 0, 0, 0, -1, 0, 0, 0, 0, -1, 0, 0, 0, 0, -1);
    expect(hypervolume(axes, 4, 4, of(-2.1, -2.5, -2.3, -2))).toBeCloseTo(23.15, 12);
  });

  it.each([3, 4, 5])('equals the share of a cloud that is dominated, in %i objectives', (m) => {
    const rng = Rng.seeded(m);
    const rows = Float64Array.from({ length: 12 * m }, () => rng.uniform());
    const total = 40_000;
    let dominated = 0;
    for (let t = 0; t < total; t++) {
      const at = Float64Array.from({ length: m }, () => rng.uniform());
      for (let i = 0; i < 12; i++) {
        if (at.every((value, j) => value <= rows[i * m + j]!)) {
          dominated++;
          break;
        }
      }
    }
    const share = dominated / total;
    const error = Math.sqrt((share * (1 - share)) / total);
    expect(Math.abs(hypervolume(rows, 12, m, new Float64Array(m)) - share)).toBeLessThan(4 * error);
  });

  it('ignores points that are not above the reference point', () => {
    expect(hypervolume(of(1, 2), 1, 2, of(1, 0))).toBe(0);
    expect(hypervolume(new Float64Array(0), 0, 3, of(0, 0, 0))).toBe(0);
  });
});

describe('the Pareto front', () => {
  it('omits dominated points, and all but the first of equal points', () => {
    expect(paretoFront(of(1, 1, 2, 0, 2, 0, 0, 2, 0, 1), 5, 2)).toEqual([0, 1, 3]);
  });

  it('sets a reference point a tenth of its range below its worst values', () => {
    expect([...defaultReference(of(0, 10, 5, 0, -9, -9), 3, 2)]).toEqual([-0.5, -1]);
    expect([...defaultReference(of(3, 3, 1, 2), 2, 2)]).toEqual([2.8, 2.9]);
    expect([...defaultReference(of(4, 0), 1, 2)]).toEqual([3.6, -0.1]);
  });
});

describe('boxes of the non-dominated region', () => {
  it.each([2, 3, 4])('fill it without overlap, in %i objectives', (m) => {
    const rng = Rng.seeded(`boxes ${m}`);
    for (let round = 0; round < 20; round++) {
      const n = round;
      // Some coordinates repeat, as in rounded measurements.
      const rows = Float64Array.from({ length: n * m }, () =>
        round % 2 === 0 ? rng.uniform() : rng.below(5) / 4,
      );
      const front = rowsOf(rows, m, paretoFront(rows, n, m));
      const boxes = nonDominatedBoxes(front, m, new Float64Array(m), 10_000)!;
      let volume = 0;
      for (let c = 0; c < boxes.count; c++) {
        let own = 1;
        for (let j = 0; j < m; j++) {
          own *= Math.max(0, Math.min(1, boxes.upper[c * m + j]!) - boxes.lower[c * m + j]!);
        }
        volume += own;
      }
      expect(volume).toBeCloseTo(1 - hypervolume(rows, n, m, new Float64Array(m)), 10);
      for (let t = 0; t < 50; t++) {
        const at = Float64Array.from({ length: m }, () => rng.uniform() * 1.2);
        const dominated = Array.from({ length: n }, (_, i) => i).some((i) =>
          at.every((value, j) => value <= rows[i * m + j]!),
        );
        let holders = 0;
        for (let c = 0; c < boxes.count; c++) {
          if (at.every((v, j) => v > boxes.lower[c * m + j]! && v <= boxes.upper[c * m + j]!)) holders++;
        }
        expect(holders).toBe(dominated ? 0 : 1);
      }
    }
  });

  it('are abandoned when there are too many', () => {
    const front = Float64Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? i : 40 - i));
    expect(nonDominatedBoxes(front, 2, of(-1, -1), 10)).toBeNull();
  });
});
