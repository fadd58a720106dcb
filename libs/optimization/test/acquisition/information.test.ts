import { describe, expect, it } from 'vitest';
import type { AcquisitionFunction } from '../../src/acquisition/acquisition.js';
import { isNoisy, withInformation } from '../../src/acquisition/information.js';
import { Rng } from '../../src/numeric/index.js';
import { fitGaussianProcess } from '../../src/surrogates/fit.js';

/** Noisy results of a bowl: twenty beside (0.3, 0.3), and a few elsewhere. */
const rng = Rng.seeded('information');
const n = 26;
const rows = Float64Array.from({ length: 2 * n }, (_, at) =>
  at < 40 ? 0.3 + 0.02 * rng.normal() : rng.uniform(),
);
const y = Float64Array.from({ length: n }, (_, i) => {
  const [a, b] = [rows[2 * i]!, rows[2 * i + 1]!];
  return (a - 0.3) ** 2 + (b - 0.3) ** 2 + 0.1 * rng.normal();
});
const model = fitGaussianProcess(rows, y, n, 2, { seed: 1, timeLimitMs: 1000, now: () => 0 });

class Flat implements AcquisitionFunction {
  readonly d = 2;
  readonly jointLimit = 8;
  constructor(readonly pending: AcquisitionFunction | null) {}
  value(): number {
    return 0;
  }
  values(_: Float64Array, m: number): Float64Array {
    return new Float64Array(m);
  }
  gradient() {
    return { value: 0, gradient: new Float64Array(2) };
  }
  withPending(): AcquisitionFunction {
    return this.pending ?? this;
  }
}
const pending = new Flat(null);
const informed = withInformation(new Flat(pending), model);

describe('the information of one noisy measurement', () => {
  it('is the share 1 - noise / sqrt(variance + noise^2), and small where much was measured', () => {
    const points = Float64Array.of(0.3, 0.3, 0.95, 0.95);
    const { variance } = model.beside(new Float64Array(0), 0).marginals(points, 2);
    const shares = informed.values(points, 2).map(Math.exp);
    shares.forEach((share, i) => {
      expect(share).toBeCloseTo(1 - model.noise / Math.sqrt(variance[i]! + model.noise ** 2), 10);
    });
    expect(shares[0]).toBeLessThan(shares[1]! / 3);
    expect(informed.value(points, 1)).toBeCloseTo(Math.log(shares[0]!), 10);
  });

  it('counts with clear noise, and from 20 results on with noise that is likelier than none', () => {
    const choices = model.choices!;
    expect(isNoisy({ ...choices, noise: 'some' }, 5)).toBe(true);
    expect(isNoisy({ ...choices, noise: 'likely' }, 19)).toBe(false);
    expect(isNoisy({ ...choices, noise: 'likely' }, 20)).toBe(true);
    expect(isNoisy({ ...choices, noise: 'unclear' }, 1000)).toBe(false);
    expect(isNoisy({ ...choices, noise: 'none' }, 1000)).toBe(false);
    expect(isNoisy(undefined, 1000)).toBe(false);
  });

  it('asks the fit whether noise is likelier', () => {
    const smooth = y.map((_, i) => (rows[2 * i]! - 0.3) ** 2 + (rows[2 * i + 1]! - 0.3) ** 2);
    const exact = fitGaussianProcess(rows, smooth, n, 2, { seed: 1, timeLimitMs: 1000, now: () => 0 });
    expect(exact.choices).toMatchObject({ noise: 'none' });
    expect(isNoisy(model.choices, n)).toBe(true);
  });

  it('has the right derivatives', () => {
    const at = Float64Array.of(0.45, 0.62);
    const { value, gradient } = informed.gradient(at, 1);
    expect(value).toBeCloseTo(informed.value(at, 1), 10);
    gradient.forEach((slope, j) => {
      const [up, down] = [1e-5, -1e-5].map((step) => at.map((x, k) => (k === j ? x + step : x)));
      expect(slope).toBeCloseTo((informed.value(up!, 1) - informed.value(down!, 1)) / 2e-5, 4);
    });
  });

  it('is left to the function with further points pending', () => {
    expect(informed.withPending(Float64Array.of(0, 0), 1)).toBe(pending);
  });
});
