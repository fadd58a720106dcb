import { type Kernel, RESERVED, SHAPES, SMALLEST_PIVOT } from './kernel.js';
import { kernelModule } from './kernel-wasm.js';

/** The used part of the WebAssembly API, which the language library declares only together with a browser. */
declare const WebAssembly:
  | {
      Module: new (bytes: Uint8Array) => object;
      Instance: new (module: object) => { exports: unknown };
      validate(bytes: Uint8Array): boolean;
    }
  | undefined;

/** The routines of the folder assembly, with addresses in bytes. */
type Exports = Record<Exclude<keyof Kernel, 'name' | 'memory'>, (...numbers: number[]) => number> & {
  memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
};

const PAGE = 65_536;

/**
 * The routines as a compiled module of WebAssembly with vector instructions.
 *
 * @throws Error when this machine has no WebAssembly with vector instructions; every processor of Node 20 has them
 */
export function wasmKernel(): Kernel {
  const bytes = Uint8Array.from(atob(kernelModule), (letter) => letter.charCodeAt(0));
  if (typeof WebAssembly === 'undefined' || !WebAssembly.validate(bytes)) {
    throw new Error(
      'The optimizer needs WebAssembly with vector instructions (SIMD), which this machine does not have.',
    );
  }
  const wasm = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports as Exports;
  let numbers = new Float64Array(wasm.memory.buffer);
  return {
    name: 'wasm',
    memory(count) {
      const missing = 8 * Math.max(count, RESERVED) - wasm.memory.buffer.byteLength;
      if (missing > 0) {
        wasm.memory.grow(Math.ceil(missing / PAGE));
        numbers = new Float64Array(wasm.memory.buffer);
      }
      return numbers;
    },
    cholesky: (l, stride) => wasm.cholesky(8 * l, stride, SMALLEST_PIVOT) !== 0,
    solveLower: (l, stride, x, rows) => wasm.solveLower(8 * l, stride, 8 * x, rows),
    solveLowerTransposed: (l, stride, x, rows) => wasm.solveLowerTransposed(8 * l, stride, 8 * x, rows),
    inverse: (l, stride, room) => wasm.inverse(8 * l, stride, 8 * room),
    inverseDiagonal: (l, stride, room) => wasm.inverseDiagonal(8 * l, stride, 8 * room),
    products: (a, rows, b, others, stride, out) => wasm.products(8 * a, rows, 8 * b, others, stride, 8 * out),
    covarianceBetween: (shape, points, rows, columns, stride, n, d, scale, covariance, slope) =>
      wasm.covarianceBetween(
        SHAPES.indexOf(shape),
        8 * points,
        rows,
        8 * columns,
        stride,
        n,
        d,
        scale,
        8 * covariance,
        8 * slope,
      ),
    covarianceWithin: (shape, columns, stride, n, d, scale, noise, covariance, slope) =>
      wasm.covarianceWithin(
        SHAPES.indexOf(shape),
        8 * columns,
        stride,
        n,
        d,
        scale,
        noise,
        8 * covariance,
        8 * slope,
      ),
    covariancePull: (inverse, alpha, slope, columns, stride, n, d, out) =>
      wasm.covariancePull(8 * inverse, 8 * alpha, 8 * slope, 8 * columns, stride, n, d, 8 * out),
    squares: (rows, m, stride, out) => wasm.squares(8 * rows, m, stride, 8 * out),
    takeProducts: (rows, m, stride, out) => wasm.takeProducts(8 * rows, m, stride, 8 * out),
    pullPoints: (
      derivatives,
      priors,
      others,
      slopes,
      solved,
      m,
      weights,
      f,
      columns,
      stride,
      d,
      pulls,
      out,
    ) =>
      wasm.pullPoints(
        8 * derivatives,
        8 * priors,
        8 * others,
        8 * slopes,
        8 * solved,
        m,
        8 * weights,
        f,
        8 * columns,
        stride,
        d,
        8 * pulls,
        8 * out,
      ),
    draw: (factors, q, fixed, means, normals, count, stride, out) =>
      wasm.draw(8 * factors, q, fixed, 8 * means, 8 * normals, count, stride, 8 * out),
    pullDraw: (derivatives, q, normals, count, stride, dMeans, dFactors) =>
      wasm.pullDraw(8 * derivatives, q, 8 * normals, count, stride, 8 * dMeans, 8 * dFactors),
    direction: (steps, changes, count, gradient, free, n, room, out) =>
      wasm.direction(8 * steps, 8 * changes, count, 8 * gradient, 8 * free, n, 8 * room, 8 * out),
    networkForward: (parameters, d, hidden, inputs, m, activity, results) =>
      wasm.networkForward(8 * parameters, d, hidden, 8 * inputs, m, 8 * activity, 8 * results),
    networkBackward: (parameters, d, hidden, inputs, m, activity, dResults, dParameters) =>
      wasm.networkBackward(
        8 * parameters,
        d,
        hidden,
        8 * inputs,
        m,
        8 * activity,
        8 * dResults,
        8 * dParameters,
      ),
    networkToInputs: (parameters, d, hidden, m, activity, dResults, dInputs) =>
      wasm.networkToInputs(8 * parameters, d, hidden, m, 8 * activity, 8 * dResults, 8 * dInputs),
    adam: (parameters, gradient, first, second, count, rate, decay, atFirst, atSecond) =>
      wasm.adam(8 * parameters, 8 * gradient, 8 * first, 8 * second, count, rate, decay, atFirst, atSecond),
  };
}
