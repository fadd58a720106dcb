import { describe, expect, it } from 'vitest';
import { Rng, type LinearConstraints } from '../../src/numeric/index.js';
import { nullSpace } from '../../src/domain/null-space.js';
import { Polytope } from '../../src/domain/polytope.js';

interface Half {
  a: number[];
  b: number;
}

function within(d: number, equal: Half[], less: Half[], upper = 1): LinearConstraints {
  return {
    d,
    aEq: Float64Array.from(equal.flatMap(({ a }) => a)),
    bEq: Float64Array.from(equal, ({ b }) => b),
    aLe: Float64Array.from(less.flatMap(({ a }) => a)),
    bLe: Float64Array.from(less, ({ b }) => b),
    lower: new Float64Array(d),
    upper: new Float64Array(d).fill(upper),
  };
}

const all = (d: number) => Array.from({ length: d }, (_, j) => j);
const ones = (d: number) => all(d).map(() => 1);

function walked(polytope: Polytope, count: number): Float64Array[] {
  const walk = polytope.walk(Rng.seeded('walk'));
  return Array.from({ length: count }, () => walk.next().value);
}

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe('nullSpace', () => {
  it('is orthonormal, orthogonal to all rows, and of the right dimension, also with dependent rows', () => {
    const rng = Rng.seeded('null space');
    for (let k = 0; k < 50; k += 1) {
      const n = 1 + rng.below(8);
      const rank = rng.below(n + 1);
      const rows = Array.from({ length: rank }, () => rng.normals(n));
      const dependent = rank < 2 ? [] : [rows[0]!.map((value, j) => 2 * value - rows[1]![j]!)];
      const basis = nullSpace([...rows, ...dependent, new Float64Array(n)], n);
      expect(basis).toHaveLength(n - rank);
      const product = (a: Float64Array, b: Float64Array) =>
        a.reduce((sum, value, j) => sum + value * b[j]!, 0);
      for (const [i, vector] of basis.entries()) {
        for (const row of rows) expect(product(vector, row)).toBeCloseTo(0, 10);
        basis.forEach((other, j) => expect(product(vector, other)).toBeCloseTo(i === j ? 1 : 0, 12));
      }
    }
  });
});

describe('Polytope', () => {
  it('finds the middle of a triangle at the depth of its incircle', () => {
    const triangle = Polytope.of(within(2, [], [{ a: [1, 1], b: 1 }]), all(2))!;
    expect(triangle.dimension).toBe(2);
    const radius = 1 / (2 + Math.SQRT2);
    expect([...triangle.centre]).toEqual([expect.closeTo(radius, 9), expect.closeTo(radius, 9)]);
  });

  it('spreads points evenly over a simplex: mean 1 / n, variance (n - 1) / (n^2 (n + 1))', () => {
    for (const n of [3, 6]) {
      const simplex = Polytope.of(within(n, [{ a: ones(n), b: 1 }], []), all(n))!;
      expect(simplex.dimension).toBe(n - 1);
      const points = walked(simplex, 4000);
      for (const point of points) {
        expect(Math.abs(point.reduce((sum, value) => sum + value, -1))).toBeLessThan(1e-12);
        expect(Math.min(...point)).toBeGreaterThanOrEqual(0);
      }
      const variance = (n - 1) / (n * n * (n + 1));
      for (const j of all(n)) {
        const column = points.map((point) => point[j]!);
        // Six standard errors of 4000 independent points, with a margin because neighbours in a walk are correlated.
        expect(Math.abs(mean(column) - 1 / n)).toBeLessThan(6 * Math.sqrt(variance / 4000));
        const spread = mean(column.map((value) => (value - 1 / n) ** 2));
        expect(Math.abs(spread / variance - 1)).toBeLessThan(0.15);
      }
    }
  });

  it('walks through a sliver as well as through a box', () => {
    const sliver = Polytope.of(within(6, [], [{ a: ones(6), b: 1e-3 }]), all(6))!;
    const points = walked(sliver, 3000);
    for (const j of all(6)) {
      // The same shape as a simplex with a slack: mean 1e-3 / 7.
      expect(Math.abs(mean(points.map((point) => point[j]!)) * 7000 - 1)).toBeLessThan(0.12);
    }
  });

  it.each([true, false])('derives bounds from several inequalities together (exact ranges: %s)', (exact) => {
    // x + y <= 1 and x + y >= 1 form an equality, and z <= 0 fixes a value.
    const plane = within(
      3,
      [],
      [
        { a: [1, 1, 0], b: 1 },
        { a: [-1, -1, 0], b: -1 },
        { a: [0, 0, 1], b: 0 },
      ],
    );
    const polytope = Polytope.of(plane, all(3), exact)!;
    expect(polytope.dimension).toBe(1);
    for (const [x, y, z] of walked(polytope, 50)) {
      expect(x! + y!).toBeCloseTo(1, 12);
      expect(z).toBe(0);
    }
  });

  it.each([true, false])('may be a single point or empty (exact ranges: %s)', (exact) => {
    const corner = within(3, [{ a: ones(3), b: 3 }], []);
    const polytope = Polytope.of(corner, all(3), exact)!;
    expect(polytope.dimension).toBe(0);
    expect([...walked(polytope, 2)[1]!]).toEqual([1, 1, 1]);
    const beyond = within(3, [{ a: ones(3), b: 3.01 }], []);
    expect(Polytope.of(beyond, all(3), exact)).toBeNull();
    const apart = within(
      2,
      [{ a: [1, -1], b: 0 }],
      [
        { a: [1, 0], b: 0.4 },
        { a: [0, -1], b: -0.6 },
      ],
    );
    expect(Polytope.of(apart, all(2), exact)).toBeNull();
  });
});
