import { describe, expect, it } from 'vitest';
import { padded, RESERVED } from '../../src/numeric/kernel.js';
import { Rng } from '../../src/numeric/rng.js';
import { wasmKernel } from '../../src/numeric/wasm.js';
import { typescriptKernel } from './oracle/kernel-typescript.js';

const kernels = { compiled: wasmKernel(), plain: typescriptKernel() };
type Kernel = (typeof kernels)['plain'];

/** What a routine leaves of the given arrays, in both kernels. It gets their addresses. */
function both(arrays: readonly Float64Array[], routine: (kernel: Kernel, ...at: number[]) => void) {
  const run = (kernel: Kernel) => {
    let next = RESERVED;
    const at = arrays.map(({ length }) => {
      const address = next;
      next += length + (length % 2);
      return address;
    });
    const memory = kernel.memory(next);
    arrays.forEach((array, k) => memory.set(array, at[k]));
    routine(kernel, ...at);
    return arrays.map(({ length }, k) => kernel.memory(0).slice(at[k], at[k]! + length));
  };
  return { found: run(kernels.compiled), expected: run(kernels.plain) };
}

const expectClose = (found: Float64Array, expected: Float64Array) =>
  expected.forEach((value, i) => expect(found[i]).toBeCloseTo(value, 10));

describe('the compiled routines agree with those in TypeScript', () => {
  it.each([1, 4, 5, 16, 17, 33, 50])('for the diagonal of an inverse of order %i', (n) => {
    const rng = Rng.seeded(n);
    const stride = padded(n);
    const l = Float64Array.from({ length: stride * stride }, (_, at) => {
      const [i, j] = [Math.floor(at / stride), at % stride];
      return i === j ? 1 + rng.uniform() : j < i ? 0.3 * rng.normal() : NaN;
    });
    const arrays = [l, l.slice(), new Float64Array(stride * stride)];
    const { found, expected } = both(arrays, (kernel, whole, alone, room) => {
      kernel.inverse(whole!, stride, room!);
      kernel.inverseDiagonal(alone!, stride, room!);
    });
    for (let i = 0; i < stride; i++) {
      const at = i * (stride + 1);
      expect(found[1]![at]).toBe(found[0]![at]);
      expect(found[1]![at]! / expected[0]![at]!).toBeCloseTo(1, 10);
    }
  });

  it.each([1, 2, 5])('for products of %i rows', (m) => {
    const rng = Rng.seeded(m);
    const arrays = [rng.normals(m * 8), new Float64Array(m), rng.normals(m * m)];
    const { found, expected } = both(arrays, (kernel, rows, squares, out) => {
      kernel.squares(rows!, m, 8, squares!);
      kernel.takeProducts(rows!, m, 8, out!);
    });
    found.forEach((array, k) => expectClose(array, expected[k]!));
  });

  it.each([
    [1, 0, 3],
    [1, 5, 6],
    [3, 2, 1],
    [2, 0, 4],
  ])('for the derivatives of %i points beside %i fixed ones in %i dimensions', (m, f, d) => {
    const rng = Rng.seeded(m + f);
    const stride = 12;
    const derivatives = rng.normals(m * (1 + m + f));
    const priors = rng.normals(m * (m + f));
    const rows = [rng.normals((m + f) * d), rng.normals(m * stride), rng.normals(m * stride)];
    const known = [rng.normals((1 + f) * stride), rng.normals(d * stride)];
    const arrays = [derivatives, priors, ...rows, ...known, new Float64Array(stride), rng.normals(m * d)];
    const { found, expected } = both(arrays, (kernel, ...at) => {
      const [own, prior, others, slopes, solved, weights, columns, pulls, out] = at as Nine;
      kernel.pullPoints(own, prior, others, slopes, solved, m, weights, f, columns, stride, d, pulls, out);
    });
    expectClose(found[8]!, expected[8]!);
  });

  it.each([
    [1, 0, 8],
    [1, 6, 7],
    [3, 2, 5],
  ])('for samples of %i points beside %i fixed ones', (q, fixed, count) => {
    const rng = Rng.seeded(q + fixed);
    const stride = padded(q + fixed);
    const arrays = [
      ...[rng.normals(q * stride), rng.normals(q), rng.normals(count * stride)],
      ...[rng.normals(count * q), rng.normals(q), rng.normals(q * stride)],
    ];
    const { found, expected } = both(arrays, (kernel, ...at) => {
      const [factors, means, normals, out, dMeans, dFactors] = at as [...Five, number];
      kernel.draw(factors, q, fixed, means, normals, count, stride, out);
      kernel.pullDraw(out, q, normals, count, stride, dMeans, dFactors);
    });
    found.forEach((array, k) => expectClose(array, expected[k]!));
  });

  it.each([0, 1, 4, 10])('for the direction after %i steps', (count) => {
    const rng = Rng.seeded(count);
    const n = 5;
    const steps = rng.normals(count * n);
    // The second pair has no positive curvature.
    const changes = steps.map((step, i) => (Math.floor(i / n) === 1 ? -step : step * (1 + rng.uniform())));
    const free = Float64Array.of(1, 1, 0, 1, 1);
    const arrays = [steps, changes, rng.normals(n), free, new Float64Array(2 * count), new Float64Array(n)];
    const { found, expected } = both(arrays, (kernel, ...at) => {
      const [s, y, gradient, marks, room, out] = at as [...Five, number];
      kernel.direction(s, y, count, gradient, marks, n, room, out);
    });
    expectClose(found[5]!, expected[5]!);
    expect(found[5]![2]).toBe(0);
  });
});

type Five = [number, number, number, number, number];
type Nine = [...Five, number, number, number, number];
