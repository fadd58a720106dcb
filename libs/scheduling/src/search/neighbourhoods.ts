import type { SeededRandom } from '../problem/random.js';
import type { BlockOrders } from './block-orders.js';
import { runOfBlock } from './run-orders.js';
import type { CompiledProblem } from './compiled-problem.js';

/** Makes neighbours of an order: some blocks leave it and return elsewhere (destroy and repair, Shaw 1998). */
export class Neighbourhoods {
  static readonly kinds = 5;
  private readonly keys: Float64Array;
  private readonly taken: Uint8Array;
  private readonly list: Int32Array;
  private count = 0;
  private readonly position: Int32Array;
  private readonly runOf: Int32Array;
  private readonly blocksOfRun: number[][];
  private readonly activeRuns: number[];

  constructor(
    private readonly compiled: CompiledProblem,
    private readonly orders: BlockOrders,
    private readonly random: SeededRandom,
  ) {
    const { blocks } = compiled;
    this.keys = new Float64Array(blocks);
    this.taken = new Uint8Array(blocks);
    this.list = new Int32Array(blocks);
    this.position = new Int32Array(blocks);
    this.runOf = Int32Array.from({ length: blocks }, (_, block) => runOfBlock(compiled, block));
    this.blocksOfRun = Array.from({ length: compiled.runs }, () => []);
    this.runOf.forEach((run, block) => this.blocksOfRun[run]!.push(block));
    this.activeRuns = this.blocksOfRun.flatMap((list, run) => (list.length > 0 ? [run] : []));
  }

  /**
   * @param kind from 0 to `kinds - 1`
   * @returns the first position that differs, or the number of blocks
   */
  neighbour(order: Int32Array, kind: number, into: Int32Array): number {
    const { random, position } = this;
    const { blocks } = this.compiled;
    for (let at = 0; at < blocks; at++) position[order[at]!] = at;
    this.count = 0;
    if (kind === 0) {
      const at = random.below(blocks);
      this.move(order[at]!, at + this.shift(Math.max(4, blocks / 8)));
    } else if (kind === 1) {
      this.shiftRun(this.activeRuns[random.below(this.activeRuns.length)]!, Math.max(8, blocks / 8));
    } else if (kind === 2) {
      const from = random.below(blocks);
      const length = 3 + random.below(Math.max(4, Math.min(40, blocks / 4)));
      for (let at = from; at < Math.min(blocks, from + length); at++)
        this.move(order[at]!, at + (random.next() - 0.5) * length);
    } else if (kind === 3) {
      // Nearby runs change places.
      const at = random.below(blocks);
      this.exchange(this.runOf[order[at]!]!, this.runOf[order[this.near(at)]!]!);
    } else {
      const at = random.below(blocks);
      const several = 2 + random.below(3);
      for (let nth = 0; nth < several; nth++)
        this.shiftRun(this.runOf[order[this.near(at)]!]!, Math.max(8, blocks / 10));
    }
    return this.rebuild(order, into);
  }

  private near(at: number): number {
    const { blocks } = this.compiled;
    return Math.min(blocks - 1, Math.max(0, at + Math.round(this.shift(Math.max(8, blocks / 10)))));
  }

  private shift(reach: number): number {
    const random = this.random.next() * 2 - 1;
    return Math.sign(random) * (0.51 + random * random * reach);
  }

  private move(block: number, key: number): void {
    if (this.taken[block] === 0) {
      this.taken[block] = 1;
      this.list[this.count++] = block;
    }
    this.keys[block] = key;
  }

  private shiftRun(run: number, reach: number): void {
    const by = this.shift(reach);
    const blocks = this.blocksOfRun[run]!;
    const from = this.random.next() < 0.5 ? 0 : this.random.below(blocks.length);
    for (let nth = from; nth < blocks.length; nth++)
      this.move(blocks[nth]!, this.position[blocks[nth]!]! + by);
  }

  private exchange(one: number, other: number): void {
    if (one === other) return;
    this.moveTo(this.blocksOfRun[one]!, this.blocksOfRun[other]!);
    this.moveTo(this.blocksOfRun[other]!, this.blocksOfRun[one]!);
  }

  /** Spreads blocks over the places of others. */
  private moveTo(blocks: readonly number[], others: readonly number[]): void {
    blocks.forEach((block, nth) => {
      const at = Math.min(others.length - 1, Math.floor((nth * others.length) / blocks.length));
      this.move(block, this.position[others[at]!]! + 0.3);
    });
  }

  private rebuild(order: Int32Array, into: Int32Array): number {
    const { keys, taken, list, count } = this;
    const { blocks } = this.compiled;
    for (let nth = 1; nth < count; nth++) {
      const block = list[nth]!;
      let at = nth;
      while (at > 0 && keys[list[at - 1]!]! > keys[block]!) {
        list[at] = list[at - 1]!;
        at--;
      }
      list[at] = block;
    }
    let nth = 0;
    let filled = 0;
    for (let at = 0; at < blocks; at++) {
      const block = order[at]!;
      if (taken[block] === 1) continue;
      while (nth < count && keys[list[nth]!]! <= at) into[filled++] = list[nth++]!;
      into[filled++] = block;
    }
    while (nth < count) into[filled++] = list[nth++]!;
    for (let each = 0; each < count; each++) taken[list[each]!] = 0;
    const same = firstDifference(order, into);
    if (same >= blocks || this.obeys(into, same)) return same;
    this.orders.obeying(into, into);
    return firstDifference(order, into);
  }

  private obeys(order: Int32Array, from: number): boolean {
    const { blocks, blocksBefore, urgent } = this.compiled;
    const { position } = this;
    for (let at = from; at < blocks; at++) position[order[at]!] = at;
    for (let at = from; at < blocks; at++) {
      const block = order[at]!;
      if (at > 0 && urgent[block]! > urgent[order[at - 1]!]!) return false;
      for (let link = blocksBefore.start[block]!; link < blocksBefore.start[block + 1]!; link++)
        if (position[blocksBefore.item[link]!]! > at) return false;
    }
    return true;
  }
}

function firstDifference(one: Int32Array, other: Int32Array): number {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same++;
  return same;
}
