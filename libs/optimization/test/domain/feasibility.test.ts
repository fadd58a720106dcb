import { isServiceError } from '@lab/contracts';
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
import type { SamplingMethod } from '../../src/domain/designs.js';
import { Domain } from '../../src/domain/domain.js';
import type { Constraint, Input, Point, Space } from '../../src/domain/space.js';

/** The kinds of inputs in a random domain, with their shares. */
function randomInput(key: string, rng: Rng): Input {
  const kind = rng.uniform();
  const lower = rng.uniform() < 0.6 ? 0 : Math.round(rng.normal() * 10) / 2;
  const scale = 10 ** (rng.below(5) - 2);
  if (kind < 0.5) return continuousInput(key, [lower * scale, (lower + 1 + rng.below(20)) * scale]);
  if (kind < 0.7) {
    const step = [0.1, 0.25, 1, 1 / 3][rng.below(4)]! * scale;
    return continuousInput(key, [lower * scale, lower * scale + step * (1 + rng.below(40))], { step });
  }
  if (kind < 0.85) {
    const values = new Set(
      Array.from(
        { length: 1 + rng.below(6) },
        () => (rng.below(41) - (rng.uniform() < 0.7 ? 0 : 20)) * scale,
      ),
    );
    return discreteInput(key, [...values]);
  }
  return categoricalInput(
    key,
    Array.from({ length: 1 + rng.below(4) }, (_, i) => `kind ${i}`),
  );
}

function randomValue(input: Input, rng: Rng): number | string {
  if (input.kind === 'categorical') return input.categories[rng.below(input.categories.length)]!;
  if (input.kind === 'discrete') return input.values[rng.below(input.values.length)]!;
  const [lower, upper] = input.bounds;
  if (input.step === undefined) return lower + (upper - lower) * rng.uniform();
  return lower + input.step * rng.below(Math.round((upper - lower) / input.step) + 1);
}

/** Constraints around a point of the box, so that the domain is not empty by construction. */
function randomSpace(rng: Rng): Space {
  const inputs = Array.from({ length: 1 + rng.below(7) }, (_, i) => randomInput(`mix.x${i}`, rng));
  const witness: Point = Object.fromEntries(inputs.map((input) => [input.key, randomValue(input, rng)]));
  const numbers = inputs.filter((input) => input.kind !== 'categorical');
  const constraints: Constraint[] = [];
  const some = (least: number) =>
    rng
      .shuffle(numbers.slice())
      .slice(0, least + rng.below(numbers.length))
      .map(({ key }) => key);
  if (numbers.length >= 2 && rng.uniform() < 0.4) {
    const features = some(2).filter((key) => {
      const input = numbers.find((number) => number.key === key)!;
      return input.kind === 'continuous' && input.bounds[0] <= 0 && input.bounds[1] > 0;
    });
    if (features.length >= 2) {
      const max_count = 1 + rng.below(features.length);
      const min_count = rng.uniform() < 0.5 ? 0 : 1 + rng.below(max_count);
      const none_also_valid = rng.uniform() < 0.3;
      constraints.push(nChooseK(features, { min_count, max_count, none_also_valid }));
      const used = min_count + rng.below(max_count - min_count + 1);
      features.forEach((key, i) => {
        const input = numbers.find((number) => number.key === key)!;
        if (input.kind !== 'continuous') return;
        const [lower, upper] = input.bounds;
        if (i >= used) witness[key] = 0;
        else if (witness[key] === 0) witness[key] = input.step === undefined ? upper / 2 : upper;
        // Zero need not be a whole number of steps above the lower bound.
        if (input.step !== undefined) {
          const steps = (0 - lower) / input.step;
          if (Math.abs(steps - Math.round(steps)) > 1e-9 && i >= used) witness[key] = NaN;
        }
      });
    }
  }
  const sums = rng.below(3);
  for (let k = 0; k < sums && numbers.length > 0; k += 1) {
    const features = some(1);
    const coefficients = features.map(() =>
      rng.uniform() < 0.7 ? 1 : Math.round(rng.normal() * 4) / 2 || 1,
    );
    const value = features.reduce((sum, key, i) => sum + coefficients[i]! * (witness[key] as number), 0);
    if (rng.uniform() < 0.45) constraints.push(linearEquality(features, coefficients, value));
    else constraints.push(linearInequality(features, coefficients, value + rng.uniform() * Math.abs(value)));
  }
  const known = Object.values(witness).every((value) => typeof value === 'string' || Number.isFinite(value));
  return {
    inputs,
    outputs: [continuousOutput('measure.cost', minimize())],
    constraints: known ? constraints : constraints.filter(({ kind }) => kind === 'n_choose_k'),
  };
}

const methods: SamplingMethod[] = ['SOBOL', 'RANDOM', 'LATIN_HYPERCUBE'];

describe('random domains', () => {
  it('give only feasible, different points, in the requested number or all that exist', () => {
    const rng = Rng.seeded('random domains');
    let points = 0;
    let infeasible = 0;
    const short: string[] = [];
    for (let k = 0; k < 1000; k += 1) {
      const space = randomSpace(rng);
      let domain: Domain;
      try {
        domain = Domain.of(space);
      } catch (error) {
        if (!isServiceError(error)) throw error;
        // Here only zeros that are not a whole number of steps can make n-choose-k impossible.
        expect(error.faults.map(({ code }) => code)).toContain('empty_domain');
        expect(space.constraints.map(({ kind }) => kind)).toContain('n_choose_k');
        continue;
      }
      const sample = domain.sample(6, methods[k % 3]!, rng);
      points += sample.points.length;
      if (sample.points.length === 0) short.push(JSON.stringify(space));
      sample.points.forEach((point, i) => {
        const faults = domain.validate(point, { done: sample.points.slice(0, i) });
        if (faults.length > 0) infeasible += 1;
        expect(faults, JSON.stringify({ space, point })).toEqual([]);
        expect(domain.same(domain.decode(domain.encode(point)), point)).toBe(true);
      });
      expect(sample.exhausted).toBe(sample.points.length < 6);
      if (k % 4 > 0 || sample.points.length === 0) continue;
      const anywhere = Float64Array.from({ length: domain.d }, () => 2 * rng.uniform() - 0.5);
      const projected = domain.project(anywhere)!;
      const beside = domain.neighbours(domain.encode(sample.points[0]!));
      for (const row of [projected, ...beside]) {
        expect(domain.validate(domain.decode(row)), JSON.stringify({ space, row: [...row] })).toEqual([]);
        expect([...domain.encode(domain.decode(row))]).toEqual([...row].map((u) => expect.closeTo(u, 12)));
      }
      expect(beside.every((row) => !domain.same(domain.decode(row), sample.points[0]!))).toBe(true);
    }
    expect(infeasible).toBe(0);
    expect(short).toEqual([]);
    expect(points).toBeGreaterThan(4000);
  }, 120_000);
});
