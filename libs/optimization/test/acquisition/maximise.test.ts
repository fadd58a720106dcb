import { describe, expect, it } from 'vitest';
import { exactProcess } from '../exact-process.js';
import { Domain } from '../../src/domain/domain.js';
import type { Constraint, Input, Point, Space } from '../../src/domain/space.js';
import { Rng } from '../../src/numeric/index.js';
import type { AcquisitionChoice, AcquisitionFunction } from '../../src/acquisition/acquisition.js';
import { acquisitionFunction } from '../../src/acquisition/create.js';
import { maximise, type MaximiseOptions } from '../../src/acquisition/maximise.js';

const continuous = (key: string, lower = 0, upper = 1): Input => ({
  kind: 'continuous',
  key,
  bounds: [lower, upper],
});
const stepped = (key: string, upper: number, step: number): Input => ({
  kind: 'continuous',
  key,
  bounds: [0, upper],
  step,
});
const spaceOf = (inputs: Input[], constraints: Constraint[] = []): Space => ({
  inputs,
  outputs: [{ key: 'o.y', objective: { kind: 'minimize', weight: 1 } }],
  constraints,
});

/** Minus the squared distance from a row. Each pending row takes 10 from points within 0.05 of it. */
function hill(top: Float64Array, pending: readonly Float64Array[] = []): AcquisitionFunction {
  const d = top.length;
  const gradient = (points: Float64Array, q: number) => {
    const slopes = new Float64Array(q * d);
    let value = 0;
    for (let i = 0; i < q * d; i++) {
      const away = points[i]! - top[i % d]!;
      value -= away ** 2;
      slopes[i] = -2 * away;
    }
    for (const row of pending) {
      let squares = 0;
      for (let j = 0; j < d; j++) squares += (points[j]! - row[j]!) ** 2;
      const loss = 10 * Math.exp(-squares / (2 * 0.05 ** 2));
      value -= loss;
      for (let j = 0; j < d; j++) slopes[j]! += (loss * (points[j]! - row[j]!)) / 0.05 ** 2;
    }
    return { value, gradient: slopes };
  };
  return {
    d,
    jointLimit: 1,
    gradient,
    value: (points, q) => gradient(points, q).value,
    values: (points, m) =>
      Float64Array.from({ length: m }, (_, i) => gradient(points.subarray(i * d, i * d + d), 1).value),
    withPending: (points) => hill(top, [...pending, points.slice(0, d)]),
  };
}

const options: MaximiseOptions = {
  count: 1,
  used: [],
  promising: [],
  seed: 1,
  now: () => 0,
  timeLimitMs: 1000,
};
const best = (domain: Domain, top: readonly number[], more: Partial<MaximiseOptions> = {}) =>
  maximise(hill(Float64Array.from(top)), domain, { ...options, ...more }).rows.map((row) =>
    domain.decode(row),
  );

describe('the maximum of a known function', () => {
  it('is found in a box', () => {
    const [point] = best(Domain.of(spaceOf([continuous('a.x'), continuous('a.y', -2, 2)])), [0.3, 0.9]);
    expect(point!['a.x']).toBeCloseTo(0.3, 4);
    expect(point!['a.y']).toBeCloseTo(1.6, 4);
  });

  it('is found on an equality and an inequality', () => {
    const keys = ['a.x', 'a.y', 'a.z'];
    const domain = Domain.of(
      spaceOf(
        keys.map((key) => continuous(key)),
        [
          { kind: 'linear_equality', features: keys, coefficients: [1, 1, 1], rhs: 1 },
          { kind: 'linear_inequality', features: ['a.x'], coefficients: [1], rhs: 0.25 },
        ],
      ),
    );
    const [point] = best(domain, [1, 0.6, 0]);
    expect(domain.validate(point)).toEqual([]);
    expect(point!['a.x']).toBeCloseTo(0.25, 4);
    // The point nearest to (0.6, 0) with a sum of 0.75.
    expect(point!['a.y']).toBeCloseTo(0.675, 4);
    expect(point!['a.z']).toBeCloseTo(0.075, 4);
  });

  it('is the best on steps, with the best category and the best other inputs for it', () => {
    const domain = Domain.of(
      spaceOf([
        stepped('a.s', 25, 0.5),
        stepped('a.t', 100, 1),
        { kind: 'discrete', key: 'a.v', values: [1, 2, 5, 10, 20] },
        { kind: 'categorical', key: 'a.c', categories: ['p', 'q', 'r'] },
        continuous('a.x'),
      ]),
    );
    const [point] = best(domain, [0.337, 0.718, 0.25, 0, 1, 0, 0.123]);
    expect(point).toMatchObject({ 'a.s': 8.5, 'a.t': 72, 'a.v': 5, 'a.c': 'q' });
    expect(point!['a.x']).toBeCloseTo(0.123, 4);
  });

  it('uses at most the permitted number of features', () => {
    const keys = ['a.u', 'a.v', 'a.w', 'a.x'];
    const domain = Domain.of(
      spaceOf(
        keys.map((key) => continuous(key)),
        [{ kind: 'n_choose_k', features: keys, min_count: 1, max_count: 2, none_also_valid: false }],
      ),
    );
    const [point] = best(domain, [0.2, 0.9, 0.1, 0.7]);
    expect(domain.validate(point)).toEqual([]);
    expect(point).toMatchObject({ 'a.u': 0, 'a.w': 0 });
    expect(point!['a.v']).toBeCloseTo(0.9, 4);
    expect(point!['a.x']).toBeCloseTo(0.7, 4);
  });

  it('is found by a list in a small finite domain and never used twice', () => {
    const domain = Domain.of(spaceOf([stepped('a.s', 3, 1), stepped('a.t', 1, 1)]));
    const first = best(domain, [0.4, 1])[0]!;
    expect(first).toEqual({ 'a.s': 1, 'a.t': 1 });
    const used: Point[] = [first];
    for (let k = 1; k < 8; k++) {
      const [next] = best(domain, [0.4, 1], { used });
      expect(domain.validate(next, { done: used })).toEqual([]);
      used.push(next!);
    }
    expect(best(domain, [0.4, 1], { used })).toEqual([]);
    expect(best(domain, [0.4, 1], { count: 20 })).toHaveLength(8);
  });

  it('is found among 100,000 combinations, even when it is narrow', () => {
    const inputs = ['p', 'q', 'r', 's', 't'].map((name) => stepped(`a.${name}`, 9, 1));
    const domain = Domain.of(spaceOf(inputs));
    const summit = Float64Array.from([2, 7, 1, 8, 3], (level) => level / 9);
    const slope = hill(new Float64Array(5));
    const value = (row: Float64Array) =>
      slope.value(row, 1) + (row.every((x, j) => Math.abs(x - summit[j]!) < 1e-9) ? 10 : 0);
    const needle = {
      ...slope,
      value,
      values: (points: Float64Array, m: number) =>
        Float64Array.from({ length: m }, (_, i) => value(points.subarray(5 * i, 5 * i + 5))),
    };
    const { rows, timedOut } = maximise(needle, domain, { ...options, count: 2 });
    expect(timedOut).toBe(false);
    expect(domain.decode(rows[0]!)).toEqual({ 'a.p': 2, 'a.q': 7, 'a.r': 1, 'a.s': 8, 'a.t': 3 });
    expect(domain.decode(rows[1]!)).not.toEqual(domain.decode(rows[0]!));
  });

  it('keeps away from a used point that is the maximum', () => {
    const domain = Domain.of(spaceOf([stepped('a.s', 1000, 1), stepped('a.t', 1000, 1)]));
    const used = best(domain, [0.5, 0.5]);
    expect(used).toEqual([{ 'a.s': 500, 'a.t': 500 }]);
    const [next] = best(domain, [0.5, 0.5], { used });
    expect(Math.abs(Number(next!['a.s']) - 500) + Math.abs(Number(next!['a.t']) - 500)).toBe(1);
  });
});

describe('the time limit', () => {
  it('ends the search with its best point, and the result says so', () => {
    const domain = Domain.of(spaceOf([continuous('a.x'), continuous('a.y')]));
    let asked = 0;
    const found = maximise(hill(Float64Array.of(0.3, 0.3)), domain, {
      ...options,
      count: 2,
      now: () => asked++,
      timeLimitMs: 100,
    });
    expect(found.timedOut).toBe(true);
    expect(found.rows).toHaveLength(2);
    expect(asked).toBeLessThan(300);
    expect(maximise(hill(Float64Array.of(0.3, 0.3)), domain, options).timedOut).toBe(false);
  });
});

describe('proposals in random domains', () => {
  const choices: AcquisitionChoice[] = [{ kind: 'qLogEI' }, { kind: 'qLogNEI' }, { kind: 'qUCB', beta: 1 }];

  it('are feasible, distinct, unused, and the same for the same seed', () => {
    const rng = Rng.seeded('domains');
    for (let round = 0; round < 8; round++) {
      const domain = randomDomain(rng);
      const measured = domain.sample(6, 'RANDOM', rng).points;
      const n = measured.length;
      const rows = new Float64Array(n * domain.d);
      measured.forEach((point, i) => rows.set(domain.encode(point), i * domain.d));
      const values = Float64Array.from({ length: n }, () => rng.normal());
      const acquisition = acquisitionFunction(choices[round % choices.length]!, {
        outputs: domain.space.outputs,
        models: [exactProcess(rows, values, domain.d)],
        rows,
        n,
        values,
        pending: new Float64Array(0),
        pendingCount: 0,
        seed: round,
        samples: 32,
      });
      const search = () =>
        maximise(acquisition, domain, {
          ...options,
          count: 1 + (round % 3),
          used: measured,
          promising: [rows.slice(0, domain.d)],
          seed: round,
        }).rows;
      const found = search();
      const points = found.map((row) => domain.decode(row));
      points.forEach((point, i) => {
        const others = [...measured, ...points.slice(0, i)];
        expect(domain.validate(point, { done: others })).toEqual([]);
      });
      expect(points).toHaveLength(1 + (round % 3));
      if (round < 3) expect(search()).toEqual(found);
    }
  });
});

/** Three to five inputs of several kinds, with a sum, a limit, or a number of used features. */
function randomDomain(rng: Rng): Domain {
  const inputs: Input[] = [continuous('a.x'), continuous('a.y', -1, 3), continuous('a.z', 0, 10)];
  if (rng.uniform() < 0.5) inputs.push(stepped('a.s', 10, 0.5));
  if (rng.uniform() < 0.5) inputs.push({ kind: 'discrete', key: 'a.v', values: [1, 2, 4, 8] });
  if (rng.uniform() < 0.5) inputs.push({ kind: 'categorical', key: 'a.c', categories: ['p', 'q', 'r'] });
  const constraints: Constraint[] = [
    { kind: 'linear_equality', features: ['a.x', 'a.y'], coefficients: [1, 1], rhs: 1 + rng.uniform() },
    { kind: 'linear_inequality', features: ['a.y', 'a.z'], coefficients: [1, 1], rhs: 4 + 4 * rng.uniform() },
    { kind: 'n_choose_k', features: ['a.x', 'a.z'], min_count: 1, max_count: 1, none_also_valid: false },
  ];
  return Domain.of(
    spaceOf(
      inputs,
      constraints.filter(() => rng.uniform() < 0.5),
    ),
  );
}

describe('an explorer', () => {
  const domain = Domain.of(spaceOf([stepped('a.x', 1, 0.1), stepped('a.y', 1, 0.1)]));
  const at = (x: number, y: number) => ({ 'a.x': x, 'a.y': y });
  const exploring = (x: number, y: number, ...positions: number[]) => ({
    acquisition: hill(Float64Array.of(x, y)),
    explores: (position: number) => positions.includes(position),
  });

  it('chooses its rows, with the others pending', () => {
    const rows = best(domain, [0.2, 0.8], { count: 3, explorer: exploring(0.9, 0.1, 1) });
    expect(rows.slice(0, 2)).toEqual([at(0.2, 0.8), at(0.9, 0.1)]);
    const alone = best(domain, [0.2, 0.8], { count: 1, explorer: exploring(0.9, 0.1, 0) });
    expect(alone).toEqual([at(0.9, 0.1)]);
    // The usual function knows what the explorer has chosen, and the other way round.
    for (const turn of [0, 1]) {
      const both = best(domain, [0.2, 0.8], { count: 2, explorer: exploring(0.2, 0.8, turn) });
      expect(both[0]).toEqual(at(0.2, 0.8));
      expect(both[1]).not.toEqual(at(0.2, 0.8));
    }
  });

  it('does not ask the preference', () => {
    const chosen: Float64Array[] = [];
    const preference = {
      loss: 0.99,
      seconds: (rows: readonly Float64Array[]) => Float64Array.from(rows, ([x]) => 1 + 9 * (1 - x!)),
      choose: (row: Float64Array) => void chosen.push(row),
    };
    const explorer = exploring(0.9, 0.1, 1);
    const rows = best(domain, [0.2, 0.8], { count: 2, explorer, preference });
    expect(rows[0]).not.toEqual(at(0.2, 0.8));
    expect(rows[1]).toEqual(at(0.9, 0.1));
    expect(chosen).toHaveLength(2);
  });
});
