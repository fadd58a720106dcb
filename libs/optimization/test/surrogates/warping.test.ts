import { describe, expect, it } from 'vitest';
import { Rng } from '../../src/numeric/index.js';
import { fitGaussianProcess } from '../../src/surrogates/fit.js';
import { StandardisedOutput } from '../../src/surrogates/output-map.js';
import { candidateWarps, identity, LEAST_TO_WARP } from '../../src/surrogates/warping.js';

const options = { seed: 1, timeLimitMs: 1000, now: () => 0 };

function skewed(n: number, seed: number, sign: number, shift: number): Float64Array {
  const rng = Rng.seeded(seed);
  return Float64Array.from({ length: n }, () => sign * (Math.exp(2 * rng.normal()) + shift));
}

describe('warps', () => {
  const samples = [
    skewed(30, 1, 1, 0),
    skewed(30, 2, -1, 0),
    skewed(30, 3, 1, -5),
    skewed(30, 4, -1, 5),
    Float64Array.from({ length: 30 }, (_, i) => (i - 15) ** 3),
  ];

  it('rise, have the correct slope and can be inverted, also far from the data', () => {
    for (const u of samples) {
      for (const warp of candidateWarps(u)) {
        const top = Math.max(...u);
        const bottom = Math.min(...u);
        let before = -Infinity;
        for (let k = -20; k <= 40; k++) {
          const at = bottom + ((top - bottom) * (k + 0.37)) / 20;
          const w = warp.forward(at);
          expect(w).toBeGreaterThan(before);
          before = w;
          expect(warp.inverse(w)).toBeCloseTo(at, 6);
          const h = 1e-6 * (Math.abs(at) + 1);
          const slope = (warp.forward(at + h) - warp.forward(at - h)) / (2 * h);
          expect(Math.log(slope)).toBeCloseTo(warp.logSlope(at), 3);
        }
        for (const w of [-1e4, 1e4]) expect(Number.isNaN(warp.inverse(w))).toBe(false);
      }
    }
  });

  it('have a slope in the unit of the output', () => {
    for (const y of samples) {
      for (const warp of candidateWarps(y)) {
        const output = new StandardisedOutput(y, warp);
        for (const z of [-1.3, -0.2, 0.4, 1.1]) {
          const slope = (output.fromModel(z + 1e-6) - output.fromModel(z - 1e-6)) / 2e-6;
          expect(output.slope(z) / slope).toBeCloseTo(1, 4);
          expect(output.toModel(output.fromModel(z))).toBeCloseTo(z, 8);
        }
      }
    }
  });

  it('are not applied to few data', () => {
    expect(candidateWarps(skewed(LEAST_TO_WARP - 1, 1, 1, 0))).toEqual([identity]);
    expect(candidateWarps(skewed(LEAST_TO_WARP, 1, 1, 0)).length).toBeGreaterThan(3);
  });
});

describe('the choice of a warp', () => {
  function chosen(f: (x: Float64Array) => number, resolution = 0): { warp: unknown; r2: number } {
    const rng = Rng.seeded(6);
    const rows = Float64Array.from({ length: 40 * 2 }, () => rng.uniform());
    const y = Float64Array.from({ length: 40 }, (_, i) => f(rows.subarray(2 * i, 2 * i + 2)));
    const gp = fitGaussianProcess(rows, y, 40, 2, { ...options, resolution });
    return { warp: (gp.output as StandardisedOutput).warp.name, r2: gp.leaveOneOut().r2 };
  }
  const smooth = (x: Float64Array) => Math.sin(3 * x[0]!) + x[1]!;

  it('is the logarithm for values that grow exponentially, in either direction', () => {
    expect(chosen((x) => Math.exp(5 * smooth(x)))).toMatchObject({ warp: 'log' });
    expect(chosen((x) => -Math.exp(5 * smooth(x)))).toMatchObject({ warp: 'log' });
    expect(chosen((x) => Math.exp(5 * smooth(x))).r2).toBeGreaterThan(0.99);
  });

  it('is no warp for values of a Gaussian process', () => {
    expect(chosen(smooth)).toMatchObject({ warp: 'identity' });
  });

  it('at a resolution does not pay for sharp predictions of values near the end of the warp', () => {
    const rng = Rng.seeded(1);
    const n = 20;
    // An end of the front of DTLZ2: on a face of the domain, this objective is 6e-17.
    const rows = Float64Array.from({ length: n * 3 }, (_, at) =>
      at % 3 === 0 && at >= 36 ? 1 : rng.uniform(),
    );
    const y = Float64Array.from({ length: n }, (_, i) => {
      const [turn, a, b] = rows.subarray(3 * i, 3 * i + 3) as unknown as [number, number, number];
      return (1 + (a - 0.5) ** 2 + (b - 0.5) ** 2) * Math.cos((turn * Math.PI) / 2);
    });
    const warpAt = (resolution: number) =>
      fitGaussianProcess(rows, y, n, 3, { ...options, resolution }).choices!.warping;
    expect(warpAt(0)).toBe('log');
    expect(warpAt(0.1)).toBe('identity');
    expect(chosen((x) => Math.exp(5 * smooth(x)), 0.1)).toMatchObject({ warp: 'log' });
  });
});
