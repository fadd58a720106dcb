import { type Kernel, RESERVED } from './kernel.js';
import { wasmKernel } from './wasm.js';

/** Residents are taken out when they are more than so many numbers: 32 MB. */
const MOST_RESIDENT = 4_194_304;

/**
 * The memory of a kernel: residents, which are copied in once and stay between calls, and room for one call after them.
 * Whoever uses it asks for residents first, then for room, and takes what is found out of it before anything else runs.
 */
export class Arena {
  /** Addresses. */
  private readonly held = new Map<Float64Array, number>();
  private top = RESERVED;

  constructor(readonly kernel: Kernel) {}

  /** The whole memory; valid until {@link residents} or {@link room}. */
  get numbers(): Float64Array {
    return this.kernel.memory(0);
  }

  /**
   * @param arrays known by their identity: what is in them must not change
   * @returns their addresses, valid until the next call
   */
  residents(...arrays: Float64Array[]): number[] {
    const missing = () => arrays.filter((array) => !this.held.has(array));
    const length = (some: readonly Float64Array[]) =>
      some.reduce((sum, array) => sum + even(array.length), 0);
    if (this.top + length(missing()) > MOST_RESIDENT) {
      this.held.clear();
      this.top = RESERVED;
    }
    const wanted = missing();
    const memory = this.kernel.memory(this.top + length(wanted));
    for (const array of wanted) {
      if (this.held.has(array)) continue;
      memory.set(array, this.top);
      this.held.set(array, this.top);
      this.top += even(array.length);
    }
    return arrays.map((array) => this.held.get(array)!);
  }

  /** @returns the address of room for so many numbers, whatever they are, until the next call */
  room(numbers: number): number {
    this.kernel.memory(this.top + numbers);
    return this.top;
  }
}

/** Vectors of two numbers are read at whole multiples of 16 bytes, which is faster on some machines. */
const even = (numbers: number) => numbers + (numbers % 2);

export const arena = new Arena(wasmKernel());
