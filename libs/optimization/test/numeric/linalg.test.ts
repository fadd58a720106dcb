import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { multiplyTransposed, transpose } from '../matrices.js';
import { Arena } from '../../src/numeric/arena.js';
import { padded, RESERVED, SHAPES } from '../../src/numeric/kernel.js';
import { typescriptKernel } from './oracle/kernel-typescript.js';
import { kernelSourceHash } from '../../src/numeric/kernel-wasm.js';
import {
  cholesky,
  choleskyWithJitter,
  solveCholesky,
  solveLower,
  solveLowerTransposed,
  timesVector,
} from '../../src/numeric/linalg.js';
import { Rng } from '../../src/numeric/rng.js';
import { wasmKernel } from '../../src/numeric/wasm.js';

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

/** A matrix of `rows` rows and columns inside a larger one, which contains garbage and ones on its diagonal. */
function laidOut(a: Float64Array, n: number, rng: Rng): Float64Array {
  const stride = padded(n);
  const all = rng.normals(stride * stride);
  for (let i = 0; i < stride; i++) {
    for (let j = 0; j <= i; j++) all[i * stride + j] = i < n ? a[i * n + j]! : i === j ? 1 : 0;
  }
  return all;
}

/** Rows of length `n` among zeros. */
function rowsLaidOut(rows: Float64Array, count: number, n: number): Float64Array {
  const stride = padded(n);
  const all = new Float64Array(count * stride);
  for (let i = 0; i < count; i++) all.set(rows.subarray(i * n, i * n + n), i * stride);
  return all;
}

const lower = (all: Float64Array, n: number) =>
  Float64Array.from({ length: n * n }, (_, at) => {
    const [i, j] = [Math.floor(at / n), at % n];
    return j <= i ? all[i * padded(n) + j]! : 0;
  });

const taken = (all: Float64Array, count: number, n: number) =>
  Float64Array.from({ length: count * n }, (_, at) => all[Math.floor(at / n) * padded(n) + (at % n)]!);

const KERNELS = [
  ['TypeScript', typescriptKernel()],
  ['WebAssembly', wasmKernel()],
] as const;

describe.each(KERNELS)('the kernel in %s', (_name, kernel) => {
  /** Copies arrays to the memory and returns their addresses and a reader. */
  const place = (...arrays: Float64Array[]) => {
    let at = RESERVED;
    const addresses = arrays.map((array) => {
      const address = at;
      at += array.length + (array.length % 2);
      return address;
    });
    const memory = kernel.memory(at);
    arrays.forEach((array, k) => memory.set(array, addresses[k]));
    return {
      addresses,
      read: (k: number) => kernel.memory(0).slice(addresses[k], addresses[k]! + arrays[k]!.length),
    };
  };

  it.each(SIZES)('factors, solves and inverts at order %i', (n) => {
    const rng = Rng.seeded(n);
    const stride = padded(n);
    const a = positiveDefinite(n, rng);
    const factored = place(laidOut(a, n, rng), new Float64Array(stride * stride));
    const [at, room] = factored.addresses as [number, number];
    expect(kernel.cholesky(at, stride)).toBe(true);
    const packed = factored.read(0);
    const l = lower(packed, n);
    expect(distance(multiplyTransposed(l, l, n, n, n), a)).toBeLessThan(1e-13 * n);
    kernel.inverse(at, stride, room);
    const inverse = lower(factored.read(0), n);
    for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) inverse[j * n + i] = inverse[i * n + j]!;
    expect(distance(multiplyTransposed(a, inverse, n, n, n), identity(n))).toBeLessThan(1e-11 * n);
    for (const count of [1, 3, 4, 10]) {
      const b = rng.normals(n * count);
      for (const [routine, times] of [
        ['solveLower', l],
        ['solveLowerTransposed', transpose(l, n, n)],
      ] as const) {
        const solved = place(packed, rowsLaidOut(b, count, n));
        kernel[routine](solved.addresses[0]!, stride, solved.addresses[1]!, count);
        const x = taken(solved.read(1), count, n);
        expect(distance(multiplyTransposed(x, times, count, n, n), b)).toBeLessThan(1e-11 * n);
      }
      const rows = rng.normals(3 * n);
      const products = place(rowsLaidOut(rows, 3, n), rowsLaidOut(b, count, n), new Float64Array(3 * count));
      const [p, q, out] = products.addresses as [number, number, number];
      kernel.products(p, 3, q, count, stride, out);
      expect(distance(products.read(2), multiplyTransposed(rows, b, 3, n, count))).toBeLessThan(1e-13 * n);
    }
  });

  it('agrees with the closed form of order 3', () => {
    const a = Float64Array.of(4, 12, -16, 12, 37, -43, -16, -43, 98);
    const { addresses, read } = place(laidOut(a, 3, Rng.seeded(1)), new Float64Array(16));
    expect(kernel.cholesky(addresses[0]!, 4)).toBe(true);
    expect([...lower(read(0), 3)]).toEqual([2, 0, 0, 6, 1, 0, -8, 5, 3]);
    kernel.inverse(addresses[0]!, 4, addresses[1]!);
    const expected = [1777, 0, 0, -488, 136, 0, 76, -20, 4].map((value) => value / 36);
    expect(distance(lower(read(0), 3), Float64Array.from(expected))).toBeLessThan(1e-11);
  });

  it('refuses a matrix that is not positive definite', () => {
    const factors = (a: Float64Array, n: number) => {
      const { addresses } = place(laidOut(a, n, Rng.seeded(n)));
      return kernel.cholesky(addresses[0]!, padded(n));
    };
    expect(factors(Float64Array.of(1, 2, 2, 1), 2)).toBe(false);
    expect(factors(Float64Array.of(0), 1)).toBe(false);
    expect(factors(Float64Array.of(NaN), 1)).toBe(false);
    expect(factors(Float64Array.of(Infinity), 1)).toBe(false);
    for (const n of [5, 17, 50]) {
      const a = positiveDefinite(n, Rng.seeded(n));
      expect(factors(a, n)).toBe(true);
      const at = n - 2;
      const [spoilt, singular] = [Float64Array.from(a), Float64Array.from(a)];
      spoilt[at * n + at] = -1;
      expect(factors(spoilt, n)).toBe(false);
      spoilt[at * n + at] = NaN;
      expect(factors(spoilt, n)).toBe(false);
      for (let k = 0; k < n; k++) {
        singular[at * n + k] = singular[k]!;
        singular[k * n + at] = singular[k * n]!;
      }
      singular[at * n + at] = singular[0]!;
      expect(factors(singular, n)).toBe(false);
    }
  });

  it.each(SHAPES.flatMap((shape) => [1, 2, 3, 4, 6, 9, 13].map((n) => [shape, n] as const)))(
    'has the %s covariances of %i points and their slopes',
    (shape, n) => {
      const rng = Rng.seeded(n);
      const stride = padded(n);
      const [d, rows, scale, noise] = [3, 3, 1.7, 0.3];
      // Far apart and close together: up to 1500 lengthscales.
      const columns = rng.normals(d * stride).map((value, i) => value * [1, 0.01, 500][i % 3]!);
      const points = rng.normals(rows * d);
      points[0] = columns[0]!;
      const coordinate = (i: number, c: number) => columns[c * stride + i]!;
      const covariance = (differences: number[]) => {
        const squared = differences.reduce((sum, value) => sum + value * value, 0);
        if (shape === 'squared_exponential') {
          const k = scale * Math.exp(-squared / 2);
          return { k, slope: k };
        }
        const r = Math.sqrt(5 * squared);
        const decay = scale * Math.exp(-r);
        return { k: decay * (1 + r + (r * r) / 3), slope: (decay * 5 * (1 + r)) / 3 };
      };
      const square = new Float64Array(stride * stride).fill(7);
      const within = place(columns, square, square);
      const [x, k, s] = within.addresses as [number, number, number];
      kernel.covarianceWithin(shape, x, stride, n, d, scale, noise, k, s);
      const slopes = within.read(2);
      for (let i = 0; i < stride; i++) {
        for (let j = 0; j <= i; j++) {
          const wanted = covariance([0, 1, 2].map((c) => coordinate(i, c) - coordinate(j, c)));
          const [found, slope] = [within.read(1)[i * stride + j]!, slopes[i * stride + j]!];
          if (i >= n) expect([found, slope]).toEqual([i === j ? 1 : 0, 0]);
          else if (i === j) expect([found, slope]).toEqual([scale + noise, 0]);
          else {
            expect(Math.abs(found - wanted.k)).toBeLessThan(1e-14);
            expect(Math.abs(slope - wanted.slope)).toBeLessThan(1e-14);
          }
        }
      }
      const oblong = new Float64Array(rows * stride).fill(7);
      const between = place(columns, points, oblong, oblong);
      const [y, p, kp, sp] = between.addresses as [number, number, number, number];
      kernel.covarianceBetween(shape, p, rows, y, stride, n, d, scale, kp, sp);
      for (let i = 0; i < rows; i++) {
        for (let j = 0; j < stride; j++) {
          const wanted = covariance([0, 1, 2].map((c) => points[i * d + c]! - coordinate(j, c)));
          const [found, slope] = [between.read(2)[i * stride + j]!, between.read(3)[i * stride + j]!];
          expect(Math.abs(found - (j < n ? wanted.k : 0))).toBeLessThan(1e-14);
          expect(Math.abs(slope - (j < n ? wanted.slope : 0))).toBeLessThan(1e-14);
        }
      }

      const inverse = rng.normals(stride * stride);
      const alpha = rng.normals(stride);
      const pulled = place(columns, inverse, alpha, slopes, new Float64Array(d));
      const [z, v, w, u, out] = pulled.addresses as [number, number, number, number, number];
      kernel.covariancePull(v, w, u, z, stride, n, d, out);
      for (let c = 0; c < d; c++) {
        let sum = 0;
        for (let i = 0; i < n; i++) {
          for (let j = 0; j < i; j++) {
            const weight = inverse[i * stride + j]! - alpha[i]! * alpha[j]!;
            sum += weight * slopes[i * stride + j]! * (coordinate(i, c) - coordinate(j, c)) ** 2;
          }
        }
        expect(Math.abs(pulled.read(4)[c]! - sum)).toBeLessThan(1e-11 * (1 + Math.abs(sum)));
      }
    },
  );

  it('has the results of a perceptron and their derivatives', () => {
    const rng = Rng.seeded(3);
    const [d, hidden, m] = [3, 6, 4];
    const count = (d + 2) * hidden + 1;
    const parameters = rng.normals(count);
    const inputs = rng.normals(m * d);
    inputs[0] = 400; // a unit that gives 1
    const pulls = rng.normals(m);
    const results = (w: Float64Array, x: Float64Array) =>
      Float64Array.from({ length: m }, (_, s) => {
        let result = w[count - 1]!;
        for (let unit = 0; unit < hidden; unit++) {
          let sum = w[d * hidden + unit]!;
          for (let c = 0; c < d; c++) sum += w[c * hidden + unit]! * x[s * d + c]!;
          result += w[(d + 1) * hidden + unit]! * Math.tanh(sum);
        }
        return result;
      });
    const total = (w: Float64Array, x: Float64Array) =>
      results(w, x).reduce((sum, result, s) => sum + pulls[s]! * result, 0);
    const slope = (f: (at: Float64Array) => number, at: Float64Array, i: number) => {
      const [up, down] = [at.slice(), at.slice()];
      up[i]! += 1e-5;
      down[i]! -= 1e-5;
      return (f(up) - f(down)) / 2e-5;
    };
    const [activity, outputs] = [new Float64Array(m * hidden), new Float64Array(m)];
    const placed = place(parameters, inputs, activity, outputs, pulls, parameters, inputs);
    const [w, x, a, r, p, dw, dx] = placed.addresses as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    kernel.networkForward(w, d, hidden, x, m, a, r);
    expect(distance(placed.read(3), results(parameters, inputs))).toBeLessThan(1e-14);
    kernel.networkToInputs(w, d, hidden, m, a, p, dx);
    kernel.networkForward(w, d, hidden, x, m, a, r);
    kernel.networkBackward(w, d, hidden, x, m, a, p, dw);
    placed.read(5).forEach((found, i) => {
      expect(found).toBeCloseTo(
        slope((at) => total(at, inputs), parameters, i),
        7,
      );
    });
    placed.read(6).forEach((found, i) => {
      expect(found).toBeCloseTo(
        slope((at) => total(parameters, at), inputs, i),
        7,
      );
    });
  });

  it('takes the first steps of AdamW', () => {
    // The moments after one step represent the gradient itself: the length of a step is the rate.
    const placed = place(
      Float64Array.of(1, -2),
      Float64Array.of(0.5, -3),
      new Float64Array(2),
      new Float64Array(2),
    );
    const [w, g, first, second] = placed.addresses as [number, number, number, number];
    kernel.adam(w, g, first, second, 2, 0.1, 0.5, 1 / (1 - 0.9), 1 / (1 - 0.999));
    const stepped = placed.read(0);
    expect(stepped[0]).toBeCloseTo(1 - 0.1 - 0.05, 7);
    expect(stepped[1]).toBeCloseTo(-2 + 0.1 + 0.1, 7);
    kernel.adam(w, g, first, second, 2, 0.1, 0, 1 / (1 - 0.81), 1 / (1 - 0.999 ** 2));
    expect(placed.read(0)[0]).toBeCloseTo(stepped[0]! - 0.1, 7);
  });
});

describe('the kernel in WebAssembly', () => {
  it('was compiled from its sources', () => {
    const folder = new URL('../../assembly/', import.meta.url);
    const hash = createHash('sha256');
    for (const name of readdirSync(folder).sort()) hash.update(readFileSync(new URL(name, folder)));
    expect(hash.digest('hex'), 'npm run build:kernel').toBe(kernelSourceHash);
  });
});

describe.each(KERNELS.map(([name]) => name))('the arena of %s', (name) => {
  const arena = () => new Arena(name === 'TypeScript' ? typescriptKernel() : wasmKernel());
  const at = (some: Arena, address: number, length: number) => [
    ...some.numbers.slice(address, address + length),
  ];

  it('keeps residents in place while temporary memory changes', () => {
    const some = arena();
    const [one, two] = [Float64Array.of(1, 2, 3), Float64Array.of(4, 5)];
    const [first] = some.residents(one) as [number];
    const room = some.room(200_000);
    expect(room % 2).toBe(0);
    some.numbers.fill(9, room, room + 200_000);
    expect(some.residents(one)).toEqual([first]);
    const [, second] = some.residents(one, two) as [number, number];
    expect(at(some, first, 3)).toEqual([1, 2, 3]);
    expect(at(some, second, 2)).toEqual([4, 5]);
    expect(some.room(1)).toBeGreaterThanOrEqual(second + 2);
  });

  it('removes residents together when there are too many, and restores them', () => {
    const some = arena();
    const large = [1, 2, 3].map((value) => new Float64Array(1_700_000).fill(value));
    some.residents(large[0]!);
    for (const pair of [[large[0]!, large[1]!], [large[1]!, large[2]!], [large[0]!]]) {
      const addresses = some.residents(...pair);
      addresses.forEach((address, k) => {
        expect(at(some, address, 1)).toEqual([pair[k]![0]]);
        expect(at(some, address + 1_699_999, 1)).toEqual([pair[k]![0]]);
      });
    }
    expect(some.room(0)).toBeLessThan(3_500_000);
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
  });

  it('adds the smallest jitter that works', () => {
    const ones = new Float64Array(9).fill(2);
    expect(cholesky(ones, 3)).toBeNull();
    const factor = choleskyWithJitter(ones, 3)!;
    const jittered = multiplyTransposed(factor, factor, 3, 3, 3);
    expect(distance(jittered, ones)).toBeLessThan(2.1e-8);
    expect(jittered[4]! - 2).toBeCloseTo(2e-8, 14);
    expect(choleskyWithJitter(identity(3), 3)).toEqual(identity(3));
    expect(choleskyWithJitter(Float64Array.of(1, 2, 2, 1), 2)).toBeNull();
    expect(choleskyWithJitter(Float64Array.of(NaN), 1)).toBeNull();
  });
});
