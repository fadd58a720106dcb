import { describe, expect, it } from 'vitest';
import { Rng } from '../../src/numeric/index.js';
import { widestCover } from '../../src/acquisition/baseline.js';
import { Frontier } from '../../src/acquisition/frontier.js';
import { defaultReference, paretoFront } from '../../src/acquisition/pareto.js';
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

describe('the frontier', () => {
  /** A random front, with repeated coordinates in every second round, as in rounded measurements. */
  const cloud = (m: number, round: number) => {
    const rng = Rng.seeded(`frontier ${m} ${round}`);
    const draw = () => (round % 2 === 0 ? rng.uniform() : rng.below(5) / 4);
    const rows = Float64Array.from({ length: round * m }, draw);
    const at = () => Float64Array.from({ length: m }, () => rng.uniform() * 1.2);
    return { rows, at, frontier: new Frontier(rows, new Float64Array(m)) };
  };
  const joinedWith = (rows: Float64Array, point: Float64Array) => of(...rows, ...point);

  it.each([2, 3, 4])('tells the volume that a point adds, and its derivatives, in %i objectives', (m) => {
    for (let round = 0; round < 20; round++) {
      const { rows, at, frontier } = cloud(m, round);
      const volume = (points: Float64Array) => hypervolume(points, points.length / m, m, new Float64Array(m));
      for (let t = 0; t < 10; t++) {
        const point = at();
        const slopes = new Float64Array(m);
        expect(frontier.gain(point, slopes)).toBeCloseTo(volume(joinedWith(rows, point)) - volume(rows), 10);
        point.forEach((value, j) => {
          const moved = (to: number) => frontier.gain(point.with(j, to), null);
          expect((moved(value + 1e-7) - moved(value - 1e-7)) / 2e-7).toBeCloseTo(slopes[j]!, 5);
        });
      }
    }
  });

  it.each([2, 3, 4])('tells how deep a point lies below it, in %i objectives', (m) => {
    for (let round = 1; round < 20; round++) {
      const { rows, at, frontier } = cloud(m, round);
      const dominated = (point: Float64Array) =>
        point.some((value) => value <= 0) ||
        Array.from({ length: round }, (_, i) => rows.subarray(i * m, i * m + m)).some((row) =>
          point.every((value, j) => value <= row[j]!),
        );
      for (let t = 0; t < 10; t++) {
        const point = at().map((value) => value - 0.2);
        const { depth } = frontier.depth(point);
        expect(dominated(point.map((value) => value + depth + 1e-9))).toBe(false);
        expect(dominated(point)).toBe(depth > 0);
        if (depth > 0) expect(dominated(point.map((value) => value + 0.99 * depth))).toBe(true);
      }
    }
  });

  it('takes a front of 64 points in four objectives', () => {
    const rng = Rng.seeded('many');
    const rows = Float64Array.from({ length: 64 * 4 }, () => Math.abs(rng.normal()));
    for (let i = 0; i < 64; i++) {
      const row = rows.subarray(i * 4, i * 4 + 4);
      const norm = Math.hypot(...row);
      row.forEach((value, j) => (row[j] = value / norm));
    }
    const reference = new Float64Array(4);
    const outside = Float64Array.of(0.7, 0.7, 0.7, 0.7);
    const expected =
      hypervolume(of(...rows, ...outside), 65, 4, reference) - hypervolume(rows, 64, 4, reference);
    expect(new Frontier(rows, reference).gain(outside, null)).toBeCloseTo(expected, 10);
  });
});

describe('the points that are kept of a front', () => {
  const rng = () => Rng.seeded('cover');
  const reference = of(0, 0);

  it('are those that dominate most, and nearly equal points only count once', () => {
    const objectives = of(1, 0.2, 0.999, 0.201, 0.2, 1, 0.6, 0.7, 0.1, 1.001);
    const chosen = widestCover([{ objectives, front: [0, 1, 2, 3, 4] }], 5, reference, 3, rng());
    expect(chosen[0]).toBe(3);
    expect(chosen.slice(1).map((i) => (i < 2 ? 'right' : 'top'))).toEqual(
      expect.arrayContaining(['right', 'top']),
    );
  });

  it('are those on the fronts of most samples when locations do not tell them apart', () => {
    const same = of(1, 1, 1, 1, 0.5, 0.5);
    const samples = [
      { objectives: same, front: [1] },
      { objectives: same, front: [1] },
      { objectives: same, front: [0] },
    ];
    expect(widestCover(samples, 3, reference, 8, rng())).toEqual([1, 0]);
    expect(widestCover([{ objectives: same, front: [] }], 3, reference, 8, rng())).toEqual([]);
  });
});
