import { type Kernel, loadLower, padded, restride, SMALLEST_PIVOT } from './kernel.js';
import { kernelModule } from './kernel-wasm.js';

/** What is used of the WebAssembly API, which the language library declares only together with a browser. */
declare const WebAssembly:
  | {
      Module: new (bytes: Uint8Array) => object;
      Instance: new (module: object) => { exports: unknown };
      validate(bytes: Uint8Array): boolean;
    }
  | undefined;

/** Addresses are bytes in `memory`; see assembly/kernel.ts. */
interface Exports {
  memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  cholesky(l: number, stride: number, smallest: number): number;
  solveLower(l: number, stride: number, x: number, rows: number): void;
  solveLowerTransposed(l: number, stride: number, x: number, rows: number): void;
  inverse(l: number, stride: number, x: number): void;
}

const PAGE = 65_536;
/** The bytes before it are the room of the module. */
const BASE = 128;

/**
 * The routines as a module of WebAssembly with vector instructions, compiled and ready; its memory grows to two matrices of
 * the largest order asked for.
 *
 * @returns null: this machine has no WebAssembly with vector instructions
 */
export function wasmKernel(): Kernel | null {
  const bytes = Uint8Array.from(atob(kernelModule), (letter) => letter.charCodeAt(0));
  if (typeof WebAssembly === 'undefined' || !WebAssembly.validate(bytes)) return null;
  const wasm = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports as Exports;

  /** Room for numbers one after another from {@link BASE}; valid until the next call. */
  const room = (numbers: number): Float64Array => {
    const missing = BASE + 8 * numbers - wasm.memory.buffer.byteLength;
    if (missing > 0) wasm.memory.grow(Math.ceil(missing / PAGE));
    return new Float64Array(wasm.memory.buffer, BASE, numbers);
  };

  const solved = (
    solve: Exports['solveLower'],
    l: Float64Array,
    n: number,
    b: Float64Array,
    count: number,
  ): Float64Array => {
    const stride = padded(n);
    const rows = padded(count);
    const all = room((stride + rows) * stride);
    loadLower(l, n, all, stride);
    const x = all.subarray(stride * stride).fill(0);
    restride(b, n, x, stride, count, n);
    solve(BASE, stride, BASE + 8 * stride * stride, rows);
    return restride(x, stride, new Float64Array(count * n), n, count, n);
  };

  return {
    name: 'wasm',

    cholesky(a, n) {
      const stride = padded(n);
      const l = room(stride * stride);
      loadLower(a, n, l, stride);
      if (wasm.cholesky(BASE, stride, SMALLEST_PIVOT) === 0) return null;
      return restride(l, stride, new Float64Array(n * n), n, n, n);
    },

    solveLower: (l, n, b, count) => solved(wasm.solveLower, l, n, b, count),

    solveLowerTransposed: (l, n, b, count) => solved(wasm.solveLowerTransposed, l, n, b, count),

    inverse(l, n) {
      const stride = padded(n);
      const all = room(2 * stride * stride);
      loadLower(l, n, all, stride);
      wasm.inverse(BASE, stride, BASE + 8 * stride * stride);
      const result = new Float64Array(n * n);
      for (let i = 0; i < n; i++) {
        result.set(all.subarray(i * stride, i * stride + i + 1), i * n);
        for (let j = 0; j < i; j++) result[j * n + i] = result[i * n + j]!;
      }
      return result;
    },
  };
}
