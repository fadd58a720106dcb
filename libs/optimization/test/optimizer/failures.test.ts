import type { Table } from '@lab/sdk';
import { describe, expect, it } from 'vitest';
import type { AcquisitionFunction } from '../../src/acquisition/acquisition.js';
import { continuousInput, continuousOutput, minimize } from '../../src/domain/builders.js';
import { Domain } from '../../src/domain/domain.js';
import { Rng } from '../../src/numeric/index.js';
import { BayesianSequentialOptimizer } from '../../src/optimizer/bayesian.js';
import { successOf } from '../../src/optimizer/failures.js';
import type { PlacedRun } from '../../src/optimizer/runs.js';
import type { BayesianArguments } from '../../src/optimizer/settings.js';

const args: BayesianArguments = {
  inputs: [continuousInput('mix.x', [0, 1]), continuousInput('mix.y', [0, 1])],
  outputs: [continuousOutput('assay.loss', minimize())],
  num_initial_samples: 6,
  seed: 3,
};
const domain = Domain.of({ ...args, constraints: [] });
const options = { seed: 1, timeLimitMs: Infinity, now: () => 0 };
/** An acquisition function with the same slope everywhere. */
class Plane implements AcquisitionFunction {
  readonly d = 2;
  readonly jointLimit = 4;
  constructor(private readonly slope: number) {}
  value(points: Float64Array): number {
    return points.reduce((sum, value) => sum + this.slope * value, 0);
  }
  values(points: Float64Array, m: number): Float64Array {
    return Float64Array.from({ length: m }, (_, i) => this.value(points.subarray(2 * i, 2 * i + 2)));
  }
  gradient(points: Float64Array) {
    return { value: this.value(points), gradient: new Float64Array(points.length).fill(this.slope) };
  }
  withPending(): AcquisitionFunction {
    return this;
  }
}
const runsAt = (points: number[][]): PlacedRun[] =>
  points.map(([x, y]) => ({
    name: null,
    point: {},
    status: 'measured',
    measured: {},
    row: Float64Array.of(x!, y!),
  }));
const rng = Rng.seeded('places');
const places = Array.from({ length: 24 }, () => [rng.uniform(), rng.uniform()]);
const success = (failed: number[][], succeeded: number[][], slope = 0) =>
  successOf(domain.columns, runsAt(succeeded), runsAt(failed), options)(new Plane(slope));
const chance = (acquisition: AcquisitionFunction, ...at: number[]): number =>
  Math.exp(acquisition.value(Float64Array.from(at), 1));

describe('the probability of success', () => {
  it('is that of the region, which failures on one side of an input reveal', () => {
    const fails = ([x]: number[]) => x! > 0.6;
    const learned = success(
      places.filter(fails),
      places.filter((place) => !fails(place)),
    );
    expect(chance(learned, 0.85, 0.5)).toBeLessThan(0.1);
    expect(chance(learned, 0.3, 0.5)).toBeGreaterThan(0.9);
    expect(chance(learned, 0.3, 0.02)).toBeGreaterThan(0.8);
  });

  it('is that of the region also when some runs elsewhere fail by bad luck', () => {
    const unlucky = places.filter(([x]) => x! < 0.6).filter((_, i) => i % 5 === 0);
    const fails = (place: number[]) => place[0]! > 0.6 || unlucky.includes(place);
    const learned = success(
      places.filter(fails),
      places.filter((place) => !fails(place)),
    );
    expect(unlucky.length).toBeGreaterThan(1);
    expect(chance(learned, 0.85, 0.5)).toBeLessThan(0.15);
    expect(chance(learned, 0.3, 0.5)).toBeGreaterThan(0.6);
  });

  it('stays high around a single failure among successes', () => {
    const unlucky = places[5]!;
    const learned = success(
      [unlucky],
      places.filter((place) => place !== unlucky),
    );
    const [x, y] = unlucky;
    expect(chance(learned, Math.min(1, x! + 0.15), y!)).toBeGreaterThan(0.5);
    expect(
      chance(
        success(
          [],
          runsAt(places).map(({ row }) => [...row]),
        ),
        x!,
        y!,
      ),
    ).toBe(1);
  });

  it('has a gradient that agrees with differences, also with pending points', () => {
    const learned = success(places.slice(0, 6), places.slice(6), 3);
    const points = Float64Array.of(0.41, 0.32, 0.77, 0.58);
    for (const acquisition of [learned, learned.withPending(points, 1)]) {
      const { value, gradient } = acquisition.gradient(points, 2);
      expect(value).toBeCloseTo(acquisition.value(points, 2), 12);
      const [one = NaN, other = NaN] = acquisition.values(points, 2);
      expect(one + other).toBeCloseTo(value, 12);
      gradient.forEach((slope, j) => {
        const moved = (by: number) =>
          acquisition.value(
            points.map((x, i) => (i === j ? x + by : x)),
            2,
          );
        expect(slope).toBeCloseTo((moved(1e-5) - moved(-1e-5)) / 2e-5, 5);
      });
    }
  });
});

describe('a campaign', () => {
  /** The least value is at (0.9, 0.5), and a local one near -0.8 at (0.3, 0.5). */
  const loss = ({ 'mix.x': x, 'mix.y': y }: Table[number]) => {
    const dip = (at: number) => Math.exp(-15 * ((Number(x) - at) ** 2 + (Number(y) - 0.5) ** 2));
    return -dip(0.9) - 0.8 * dip(0.3);
  };

  it('leaves a region whose runs fail, although the best results are expected there', () => {
    const optimizer = new BayesianSequentialOptimizer(args);
    let failures = 0;
    for (let i = 0; i < 24; i += 1) {
      const [row] = optimizer.sample(1);
      if (Number(row!['mix.x']) <= 0.6) optimizer.report([row!], [{ 'assay.loss': loss(row!) }]);
      else {
        optimizer.report_failed([row!]);
        failures += 1;
      }
    }
    expect(failures).toBeLessThan(12);
    const [best] = optimizer.get_optimal_solutions();
    expect(best!['assay.loss']).toBeLessThan(-0.79);
  });
});
