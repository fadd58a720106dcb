import type { CompiledProblem } from './compiled-problem.js';

/**
 * Orders blocks by keys, lowest first: none before one for which it waits, and urgent blocks first. Equal keys keep
 * the order of the compiled problem.
 */
export class BlockOrders {
  private readonly rank: Int32Array;
  private readonly missing: Int32Array;
  private readonly heap: Int32Array;
  private size = 0;

  constructor(private readonly compiled: CompiledProblem) {
    this.rank = new Int32Array(compiled.blocks);
    this.missing = new Int32Array(compiled.blocks);
    this.heap = new Int32Array(compiled.blocks);
  }

  byKeys(keys: ArrayLike<number>, into: Int32Array): void {
    const { blocks, urgent } = this.compiled;
    const sorted = Int32Array.from({ length: blocks }, (_, block) => block).sort(
      (a, b) => urgent[b]! - urgent[a]! || keys[a]! - keys[b]! || a - b,
    );
    this.obeying(sorted, into);
  }

  /** Moves blocks behind those for which they wait, each no farther than necessary. */
  obeying(wanted: Int32Array, into: Int32Array): void {
    const { rank, missing } = this;
    const { blocks, blocksBefore, blocksAfter } = this.compiled;
    this.size = 0;
    for (let at = 0; at < blocks; at++) rank[wanted[at]!] = at;
    for (let block = 0; block < blocks; block++) {
      missing[block] = blocksBefore.start[block + 1]! - blocksBefore.start[block]!;
      if (missing[block] === 0) this.push(block);
    }
    for (let count = 0; this.size > 0; count++) {
      const block = this.pop();
      into[count] = block;
      for (let link = blocksAfter.start[block]!; link < blocksAfter.start[block + 1]!; link++) {
        const next = blocksAfter.item[link]!;
        if (--missing[next]! === 0) this.push(next);
      }
    }
  }

  private push(block: number): void {
    const { heap, rank } = this;
    let at = this.size++;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (rank[heap[parent]!]! <= rank[block]!) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = block;
  }

  private pop(): number {
    const { heap, rank } = this;
    const top = heap[0]!;
    const last = heap[--this.size]!;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.size) break;
      if (child + 1 < this.size && rank[heap[child + 1]!]! < rank[heap[child]!]!) child++;
      if (rank[heap[child]!]! >= rank[last]!) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return top;
  }
}
