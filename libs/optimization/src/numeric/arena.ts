import { type Kernel, RESERVED } from './kernel.js';
import { wasmKernel } from './wasm.js';

/** The arena drops its residents when they exceed this length: 32 MB. */
const MOST_RESIDENT = 4_194_304;

/**
 * The memory of a kernel: residents, which are copied in once and stay between calls, and room for one call behind
 * them. A caller requests residents first, then room, and copies its results before any other call.
 */
export class Arena {
  /** Addresses. */
  private readonly held = new Map<Float64Array, number>();
  private top = RESERVED;

  constructor(readonly kernel: Kernel) {}

  /** The whole memory; valid until the next {@link residents} or {@link room}. */
  get numbers(): Float64Array {
    return this.kernel.memory(0);
  }

  /**
   * @param arrays must never change
   * @returns their addresses, valid until the next call
   */
  residents(...arrays: Float64Array[]): number[] {
    const addresses: number[] = [];
    for (const array of arrays) {
      const address = this.held.get(array);
      if (address === undefined) return this.placed(arrays);
      addresses.push(address);
    }
    return addresses;
  }

  /** The addresses of arrays of which some are not yet residents. */
  private placed(arrays: readonly Float64Array[]): number[] {
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

  /** @returns the address of uninitialised room for this number of numbers, valid until the next call */
  room(numbers: number): number {
    this.kernel.memory(this.top + numbers);
    return this.top;
  }
}

/** The kernel reads pairs of numbers at multiples of 16 bytes, which is faster on some machines. */
const even = (numbers: number) => numbers + (numbers % 2);

export const arena = new Arena(wasmKernel());
