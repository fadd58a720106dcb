import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { typescriptKernel } from './kernel.js';
import {
  appendToCholesky,
  cholesky,
  choleskyBackward,
  choleskyWithJitter,
  inverseFromCholesky,
  logDeterminant,
  multiply,
  multiplyTransposed,
  solveCholesky,
  solveLower,
  solveLowerTransposed,
  timesVector,
  transpose,
} from './linalg.js';
import { Rng } from './rng.js';
import { kernelSourceHash } from './kernel-wasm.js';
import { wasmKernel } from './wasm.js';

/** Positive definite, its smallest eigenvalue at least `floor`. */
function positiveDefinite(n: number, rng: Rng, floor = 0.1): Float64Array {
  const root = rng.normals(n * n);
  const a = multiplyTransposed(root, root, n, n, n).map((value) => value / n);
  for (let i = 0; i < n; i++) a[i * n + i]! += floor;
  return a;
}

const identity = (n: number) => {
  const result = new Float64Array(n * n);
  for (let i = 0; i < n; i++) result[i * n + i] = 1;
  return result;
};

const distance = (a: Float64Array, b: Float64Array) => {
  expect(a.length).toBe(b.length);
  return a.reduce((largest, value, i) => Math.max(largest, Math.abs(value - b[i]!)), 0);
};

const SIZES = [1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 31, 64, 101];

describe.each([
  ['TypeScript', typescriptKernel],
  ['WebAssembly', wasmKernel()!],
])('the kernel in %s', (_name, kernel) => {
  it.each(SIZES)('factors, solves and inverts at order %i', (n) => {
    const rng = Rng.seeded(n);
    const a = positiveDefinite(n, rng);
    const kept = Float64Array.from(a);
    const l = kernel.cholesky(a, n)!;
    for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) expect(l[i * n + j]).toBe(0);
    expect(distance(multiplyTransposed(l, l, n, n, n), a)).toBeLessThan(1e-13 * n);
    const inverse = kernel.inverse(l, n);
    expect(distance(multiply(a, inverse, n, n, n), identity(n))).toBeLessThan(1e-11 * n);
    expect(inverse).toEqual(transpose(inverse, n, n));
    for (const count of [1, 3, 4, 10]) {
      const b = rng.normals(n * count);
      const x = kernel.solveLower(l, n, b, count);
      expect(distance(multiplyTransposed(x, l, count, n, n), b)).toBeLessThan(1e-12 * n);
      const y = kernel.solveLowerTransposed(l, n, b, count);
      expect(distance(multiply(y, l, count, n, n), b)).toBeLessThan(1e-11 * n);
    }
    expect(a).toEqual(kept);
  });

  it('agrees with the closed form of order 2 and 3', () => {
    expect([...kernel.cholesky(Float64Array.of(4, 99, 2, 5), 2)!]).toEqual([2, 0, 1, 2]);
    const l = kernel.cholesky(Float64Array.of(4, 12, -16, 12, 37, -43, -16, -43, 98), 3)!;
    expect([...l]).toEqual([2, 0, 0, 6, 1, 0, -8, 5, 3]);
    const inverse = kernel.inverse(l, 3);
    const expected = [1777, -488, 76, -488, 136, -20, 76, -20, 4].map((value) => value / 36);
    expect(distance(inverse, Float64Array.from(expected))).toBeLessThan(1e-11);
  });

  it('refuses what is not positive definite', () => {
    expect(kernel.cholesky(Float64Array.of(1, 2, 2, 1), 2)).toBeNull();
    expect(kernel.cholesky(Float64Array.of(0), 1)).toBeNull();
    expect(kernel.cholesky(Float64Array.of(NaN), 1)).toBeNull();
    expect(kernel.cholesky(Float64Array.of(Infinity), 1)).toBeNull();
    for (const n of [5, 17, 50]) {
      const a = positiveDefinite(n, Rng.seeded(n));
      const at = n - 2;
      const [spoilt, singular] = [Float64Array.from(a), Float64Array.from(a)];
      spoilt[at * n + at] = -1;
      expect(kernel.cholesky(spoilt, n)).toBeNull();
      spoilt[at * n + at] = NaN;
      expect(kernel.cholesky(spoilt, n)).toBeNull();
      for (let k = 0; k < n; k++) {
        singular[at * n + k] = singular[k]!;
        singular[k * n + at] = singular[k * n]!;
      }
      singular[at * n + at] = singular[0]!;
      expect(kernel.cholesky(singular, n)).toBeNull();
    }
  });
});

describe('the kernel in WebAssembly', () => {
  it('was compiled from its source', () => {
    const source = readFileSync(new URL('../../assembly/kernel.ts', import.meta.url));
    expect(createHash('sha256').update(source).digest('hex'), 'npm run build:kernel').toBe(kernelSourceHash);
  });

  it('agrees with the one in TypeScript, from small to large and back', () => {
    const wasm = wasmKernel()!;
    for (const n of [3, 150, 7, 90]) {
      const rng = Rng.seeded(n);
      const a = positiveDefinite(n, rng);
      const l = typescriptKernel.cholesky(a, n)!;
      expect(distance(wasm.cholesky(a, n)!, l)).toBeLessThan(1e-12);
      expect(distance(wasm.inverse(l, n), typescriptKernel.inverse(l, n))).toBeLessThan(1e-11);
      const b = rng.normals(5 * n);
      expect(distance(wasm.solveLower(l, n, b, 5), typescriptKernel.solveLower(l, n, b, 5))).toBeLessThan(
        1e-12,
      );
    }
  });
});

describe('linear algebra', () => {
  it.each([1, 3, 12, 13, 40])('solves at order %i, one vector or many', (n) => {
    const rng = Rng.seeded(n);
    const a = positiveDefinite(n, rng);
    const l = cholesky(a, n)!;
    for (const count of [1, 2, 4, 9]) {
      const x = rng.normals(n * count);
      const times = (m: Float64Array) => multiplyTransposed(x, m, count, n, n);
      expect(distance(solveLower(l, n, times(l), count), x)).toBeLessThan(1e-11);
      expect(distance(solveLowerTransposed(l, n, times(transpose(l, n, n)), count), x)).toBeLessThan(1e-11);
      expect(distance(solveCholesky(l, n, times(a), count), x)).toBeLessThan(1e-10);
    }
    const x = rng.normals(n);
    expect(distance(solveCholesky(l, n, timesVector(a, n, x)), x)).toBeLessThan(1e-10);
    expect(distance(timesVector(inverseFromCholesky(l, n), n, timesVector(a, n, x)), x)).toBeLessThan(1e-10);
  });

  it('knows the determinant', () => {
    const l = cholesky(Float64Array.of(4, 12, -16, 12, 37, -43, -16, -43, 98), 3)!;
    expect(logDeterminant(l, 3)).toBeCloseTo(Math.log(36), 12);
  });

  it('grows a factor by one row', () => {
    const n = 20;
    const a = positiveDefinite(n, Rng.seeded(1));
    const m = n - 1;
    const head = new Float64Array(m * m);
    for (let i = 0; i < m; i++) head.set(a.subarray(i * n, i * n + m), i * m);
    const column = a.slice(m * n, m * n + m);
    const grown = appendToCholesky(cholesky(head, m)!, m, column, a[n * n - 1]!)!;
    expect(distance(grown, cholesky(a, n)!)).toBeLessThan(1e-13);
    expect(appendToCholesky(cholesky(head, m)!, m, column, -1)).toBeNull();
    expect(appendToCholesky(cholesky(head, m)!, m, head.slice(0, m), head[0]!)).toBeNull();
    expect([...appendToCholesky(new Float64Array(0), 0, new Float64Array(0), 4)!]).toEqual([2]);
  });

  it('adds the least jitter that serves', () => {
    const ones = new Float64Array(9).fill(2);
    expect(cholesky(ones, 3)).toBeNull();
    const { factor, jitter } = choleskyWithJitter(ones, 3)!;
    expect(jitter).toBeCloseTo(2e-8, 20);
    expect(distance(multiplyTransposed(factor, factor, 3, 3, 3), ones)).toBeLessThan(2.1e-8);
    expect(choleskyWithJitter(identity(3), 3)!.jitter).toBe(0);
    expect(choleskyWithJitter(Float64Array.of(1, 2, 2, 1), 2)).toBeNull();
    expect(choleskyWithJitter(Float64Array.of(NaN), 1)).toBeNull();
  });

  it.each([1, 2, 5, 9])('differentiates the factor backwards at order %i', (n) => {
    const rng = Rng.seeded(n);
    const a = positiveDefinite(n, rng, 0.5);
    const weights = rng.normals(n * n);
    const f = (m: Float64Array) => cholesky(m, n)!.reduce((sum, value, i) => sum + value * weights[i]!, 0);
    const backward = choleskyBackward(cholesky(a, n)!, n, weights);
    expect(backward).toEqual(transpose(backward, n, n));
    const h = 1e-6;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j <= i; j++) {
        const moved = (by: number) => {
          const m = Float64Array.from(a);
          m[i * n + j]! += by;
          if (i !== j) m[j * n + i]! += by;
          return f(m);
        };
        const expected = (moved(h) - moved(-h)) / (2 * h);
        const found = backward[i * n + j]! + (i === j ? 0 : backward[j * n + i]!);
        expect(Math.abs(found - expected)).toBeLessThan(1e-7 * (1 + Math.abs(expected)));
      }
    }
  });
});
