import { expect, it } from 'vitest';
import { climb } from '../../src/acquisition/ascent.js';
import { Rng } from '../../src/numeric/index.js';
import { GaussianProcess } from '../../src/surrogates/gp.js';

const d = 2;
const process = () => {
  const rng = Rng.seeded(4);
  const rows = Float64Array.from({ length: 9 * d }, () => rng.uniform());
  const y = rng.normals(9);
  const output = { toModel: (z: number) => z, fromModel: (z: number) => z, slope: () => 1 };
  const groups = { of: Int32Array.of(0, 1), count: d };
  const theta = Float64Array.of(-0.5, -1, 0.1, -4);
  return new GaussianProcess({ rows, y, n: 9 }, { shape: 'matern52', groups, theta }, output, false);
};

it('answers the same for a point, whether the last request was for it or for another one', () => {
  const shared = process();
  const stay = Float64Array.of(0.1, 0.9, 0.4, 0.4, 0.8, 0.2);
  const ask = (model: GaussianProcess, point: Float64Array) =>
    [model.beside(stay, 3), model.beside(new Float64Array(0), 0)].map((beside, k) => {
      const { mean, covariance, cross, backward } = beside.posterior(point, 1);
      const slopes = backward(
        Float64Array.of(0.7),
        Float64Array.of(-0.3),
        cross.map((value) => 2 * value),
      );
      expect(cross.length).toBe(k === 0 ? 3 : 0);
      return [...mean, ...covariance, ...cross, ...slopes];
    });
  const points = [0.3, 0.3, 0.7].map((first) => Float64Array.of(first, 0.6));
  for (const point of points) expect(ask(shared, point)).toEqual(ask(process(), point));
});

it('asks once for the derivatives at the start of a climb', () => {
  const asked: string[] = [];
  const gradient = (points: Float64Array) => {
    asked.push(points.join());
    return { value: -((points[0]! - 0.3) ** 2), gradient: Float64Array.of(-2 * (points[0]! - 0.3)) };
  };
  const value = (points: Float64Array) => gradient(points).value;
  const nothing = new Float64Array(0);
  const acquisition = {
    d: 1,
    jointLimit: 1,
    value,
    gradient,
    values: () => nothing,
    withPending: () => never(),
  };
  const box = { lower: Float64Array.of(0), upper: Float64Array.of(1) };
  const bounds = { d: 1, ...box, aEq: nothing, bEq: nothing, aLe: nothing, bLe: nothing };
  const found = climb(acquisition, Float64Array.of(0.9), bounds, 1, { iterations: 20, stop: () => false });
  expect(found[0]).toBeCloseTo(0.3, 5);
  expect(asked.filter((point) => point === '0.9')).toHaveLength(1);
});

const never = (): never => {
  throw new Error('no batch is chosen here');
};
