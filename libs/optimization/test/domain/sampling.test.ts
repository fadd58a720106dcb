import { describe, expect, it } from 'vitest';
import { Rng } from '../../src/numeric/index.js';
import {
  categoricalInput,
  continuousInput,
  continuousOutput,
  discreteInput,
  linearEquality,
  linearInequality,
  minimize,
  nChooseK,
} from '../../src/domain/builders.js';
import { latinHypercube, representatives } from '../../src/domain/designs.js';
import { Domain } from '../../src/domain/domain.js';
import type { Constraint, Input, Point } from '../../src/domain/space.js';

const outputs = [continuousOutput('measure.cost', minimize())];
const domainOf = (inputs: Input[], constraints: Constraint[] = []) =>
  Domain.of({ inputs, outputs, constraints });
const names = (n: number) => Array.from({ length: n }, (_, i) => `mix.x${i}`);
const parts = (n: number, options: { step?: number } = {}) =>
  names(n).map((key) => continuousInput(key, [0, 1], options));
const total = (n: number) =>
  linearEquality(
    names(n),
    names(n).map(() => 1),
    1,
  );

/** Points that break a rule of their domain or occur twice. */
function wrong(domain: Domain, points: readonly Point[]): unknown[] {
  return points.flatMap((point, i) => domain.validate(point, { done: points.slice(0, i) }));
}

describe('sample', () => {
  it('gives the same points for the same seed, and others for another', () => {
    const domain = domainOf(
      [...parts(4), categoricalInput('c', ['a', 'b'])],
      [total(4), nChooseK(names(4), { max_count: 2 })],
    );
    for (const method of ['SOBOL', 'RANDOM', 'LATIN_HYPERCUBE'] as const) {
      const first = domain.sample(5, method, Rng.seeded(1));
      expect(domain.sample(5, method, Rng.seeded(1))).toEqual(first);
      expect(domain.sample(5, method, Rng.seeded(2))).not.toEqual(first);
    }
  });

  it('gives each part of every axis one point of a Latin hypercube', () => {
    const points = latinHypercube(10, 3, Rng.seeded(1));
    for (const j of [0, 1, 2]) {
      const taken = points.map((point) => Math.floor(point[j]! * 10)).sort((a, b) => a - b);
      expect(taken).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }
    const domain = domainOf(parts(3));
    const { points: sampled } = domain.sample(10, 'LATIN_HYPERCUBE', Rng.seeded(1));
    expect(new Set(sampled.map((point) => Math.floor((point['mix.x1'] as number) * 10))).size).toBe(10);
  });

  it('gives every half of an axis half of a Sobol sequence, and every category its share', () => {
    const domain = domainOf([...parts(2), categoricalInput('c', ['a', 'b', 'c', 'd'])]);
    const { points } = domain.sample(16, 'SOBOL', Rng.seeded(7));
    expect(points.filter((point) => (point['mix.x0'] as number) < 0.5)).toHaveLength(8);
    expect(points.filter(({ c }) => c === 'b')).toHaveLength(4);
  });

  it('reports that the points are exhausted and returns the remaining ones', () => {
    const domain = domainOf(
      [discreteInput('a', [0, 1, 2]), discreteInput('b', [0, 1, 2]), categoricalInput('c', ['x', 'y'])],
      [linearInequality(['a', 'b'], [1, 1], 2)],
    );
    const first = domain.sample(8, 'SOBOL', Rng.seeded(1));
    expect(first).toMatchObject({ exhausted: false, points: { length: 8 } });
    const second = domain.sample(8, 'RANDOM', Rng.seeded(1), first.points);
    expect(second).toMatchObject({ exhausted: true, points: { length: 4 } });
    expect(wrong(domain, [...first.points, ...second.points])).toEqual([]);
    expect(domain.sample(1, 'SOBOL', Rng.seeded(1), [...first.points, ...second.points])).toEqual({
      points: [],
      exhausted: true,
    });
    expect(domain.rows()).toHaveLength(12);
  });

  it('finds the few points of a large grid', () => {
    const grid = names(3).map((key) => continuousInput(key, [0, 99], { step: 1 }));
    const domain = domainOf(grid, [linearInequality(names(3), [1, 1, 1], 5)]);
    expect(domain.combinations).toBe(1e6);
    const { points, exhausted } = domain.sample(100, 'RANDOM', Rng.seeded(1));
    // Sums of three numbers up to 5: 8 choose 3.
    expect(points).toHaveLength(56);
    expect(exhausted).toBe(true);
  });

  it('finds steps and values that sum up even where rounding fails', () => {
    const odd = names(6).map((key) => continuousInput(key, [0, 100], { step: 1 }));
    const weights = [17, 23, 31, 41, 53, 61];
    const squares = names(5).map((key) =>
      discreteInput(
        key,
        Array.from({ length: 20 }, (_, k) => k * k),
      ),
    );
    for (const domain of [
      domainOf(odd, [linearEquality(names(6), weights, 5003)]),
      domainOf(squares, [linearEquality(names(5), [1, 1, 1, 1, 1], 500)]),
      domainOf(parts(12, { step: 0.05 }), [total(12), nChooseK(names(12), { min_count: 2, max_count: 4 })]),
    ]) {
      const { points } = domain.sample(20, 'SOBOL', Rng.seeded(3));
      expect(points).toHaveLength(20);
      expect(wrong(domain, points)).toEqual([]);
    }
  });

  it('chooses all sets of features of n-choose-k, and nearly all features where the sets are too many to list', () => {
    const domain = domainOf(parts(4), [nChooseK(names(4), { min_count: 1, max_count: 2 })]);
    const used = (point: Point) => names(4).filter((key) => point[key] !== 0);
    const sets = new Set(
      domain.sample(120, 'RANDOM', Rng.seeded(5)).points.map((point) => used(point).join()),
    );
    expect(sets.size).toBe(4 + 6);
    const many = domainOf(parts(30), [total(30), nChooseK(names(30), { max_count: 3 })]);
    const { points } = many.sample(40, 'RANDOM', Rng.seeded(5));
    expect(wrong(many, points)).toEqual([]);
    expect(
      new Set(points.flatMap((point) => names(30).filter((key) => point[key] !== 0))).size,
    ).toBeGreaterThan(25);
  });

  it('spreads designs of mixtures better than random points', () => {
    const domain = domainOf(parts(4), [total(4)]);
    const nearest = (points: readonly Point[]) => {
      const rows = points.map((point) => domain.encode(point));
      const distances = rows.flatMap((row, i) =>
        rows.slice(0, i).map((other) => Math.hypot(...row.map((value, j) => value - other[j]!))),
      );
      return Math.min(...distances);
    };
    let better = 0;
    for (let seed = 0; seed < 20; seed += 1) {
      const design = nearest(domain.sample(10, 'SOBOL', Rng.seeded(seed)).points);
      if (design > nearest(domain.sample(10, 'RANDOM', Rng.seeded(seed)).points)) better += 1;
    }
    expect(better).toBeGreaterThanOrEqual(17);
  });
});

describe('representatives', () => {
  it('have the mean of all points and keep a distance from existing points', () => {
    const rng = Rng.seeded(2);
    const pool = Array.from({ length: 300 }, () => Float64Array.of(rng.uniform() ** 2, rng.uniform()));
    const meanOf = (rows: readonly Float64Array[], j: number) =>
      rows.reduce((sum, row) => sum + row[j]!, 0) / rows.length;
    const chosen = representatives(pool, 20, []).map((i) => pool[i]!);
    expect(Math.abs(meanOf(chosen, 0) - meanOf(pool, 0))).toBeLessThan(0.05);
    expect(Math.abs(meanOf(chosen, 1) - meanOf(pool, 1))).toBeLessThan(0.05);
    const left = pool.filter((row) => row[1]! < 0.5);
    const added = representatives(pool, 5, left.slice(0, 10)).map((i) => pool[i]!);
    expect(meanOf(added, 1)).toBeGreaterThan(0.6);
  });
});

describe('project and neighbours', () => {
  it('do not change feasible rows', () => {
    const domain = domainOf(
      [...parts(3), categoricalInput('c', ['a', 'b'])],
      [total(3), nChooseK(names(3), { max_count: 2 })],
    );
    for (const point of domain.sample(20, 'RANDOM', Rng.seeded(1)).points) {
      expect(domain.same(domain.decode(domain.project(domain.encode(point))!), point)).toBe(true);
    }
  });

  it('move a row to the nearest point of a plane', () => {
    const domain = domainOf(parts(3), [total(3)]);
    const projected = domain.project(Float64Array.of(0.9, 0.5, 0.2))!;
    const expected = [0.9 - 0.2, 0.5 - 0.2, 0.2 - 0.2];
    expected.forEach((value, j) => expect(projected[j]).toBeCloseTo(value, 9));
    const away = domain.project(Float64Array.of(3, -1, 0))!;
    expect([...away]).toEqual([expect.closeTo(1, 9), expect.closeTo(0, 9), expect.closeTo(0, 9)]);
  });

  it('keep the largest features of a row', () => {
    const domain = domainOf(parts(4), [total(4), nChooseK(names(4), { max_count: 2 })]);
    const point = domain.decode(domain.project(Float64Array.of(0.5, 0.1, 0.4, 0.2))!);
    expect(names(4).filter((key) => point[key] !== 0)).toEqual(['mix.x0', 'mix.x2']);
    expect(domain.validate(point)).toEqual([]);
  });

  it('exchange steps where a sum permits no single one, and features where n-choose-k does', () => {
    const domain = domainOf(parts(4, { step: 0.25 }), [total(4), nChooseK(names(4), { max_count: 2 })]);
    const row = domain.encode({ 'mix.x0': 0.5, 'mix.x1': 0.5, 'mix.x2': 0, 'mix.x3': 0 });
    const near = domain.neighbours(row).map((other) => domain.decode(other));
    expect(wrong(domain, near)).toEqual([]);
    expect(near).toContainEqual({ 'mix.x0': 0.75, 'mix.x1': 0.25, 'mix.x2': 0, 'mix.x3': 0 });
    expect(near).toContainEqual({ 'mix.x0': 0, 'mix.x1': 0.5, 'mix.x2': 0.5, 'mix.x3': 0 });
  });

  it('hold only steps, values, categories and zeros in a slice', () => {
    const domain = domainOf(
      [
        ...parts(3),
        discreteInput('t', [1, 2, 4]),
        categoricalInput('c', ['a', 'b']),
        continuousInput('s', [0, 1], { step: 0.5 }),
      ],
      [nChooseK(names(3), { max_count: 2 })],
    );
    const point = { 'mix.x0': 0.3, 'mix.x1': 0, 'mix.x2': 0.6, t: 2, c: 'b', s: 0.5 };
    const { lower, upper } = domain.slice(domain.encode(point));
    expect([...lower]).toEqual([0, 0, 0, 1 / 3, 0, 1, 0.5]);
    expect([...upper]).toEqual([1, 0, 1, 1 / 3, 0, 1, 0.5]);
  });
});
