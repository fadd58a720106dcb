import type { CompiledProblem, Ticks } from './compiled-problem.js';
import { OrderDecoder } from './order-decoder.js';
import { Placement, type RecordedPlacement } from './placement.js';

/** Bytes available for copies of timelines along an order. */
const recordRoom = 24_000_000;

/** Keeps copies of the timelines along the kept order, and decodes an order from its first difference to that one. */
export class Decoder extends OrderDecoder {
  readonly placement: Placement;
  /** Blocks in the order of the latest decoding, without those that have no place. */
  readonly placed: Int32Array;
  private readonly every: number;
  /** Copies for the kept order, and those made since then; `keep` exchanges them. */
  private readonly kept: (RecordedPlacement | null)[];
  private readonly fresh: (RecordedPlacement | null)[];
  private readonly keptValid: Uint8Array;
  private readonly freshValid: Uint8Array;
  private readonly waiting: Int32Array;
  private readonly isWaiting: Uint8Array;
  private freshFrom = 0;
  private readonly keptStarts: Ticks;
  private readonly keptEnds: Ticks;
  private readonly keptUnits: Int32Array;

  constructor(compiled: CompiledProblem) {
    super(compiled);
    this.placement = new Placement(compiled);
    this.placed = new Int32Array(compiled.blocks);
    const bytes = this.placement.timelines.size * 16 + 1;
    const copies = Math.max(1, Math.min(32, Math.floor(recordRoom / bytes / 2)));
    this.every = Math.max(4, Math.ceil(compiled.blocks / copies));
    const points = Math.ceil(compiled.blocks / this.every) + 1;
    this.kept = new Array<RecordedPlacement | null>(points).fill(null);
    this.fresh = new Array<RecordedPlacement | null>(points).fill(null);
    this.keptValid = new Uint8Array(points);
    this.freshValid = new Uint8Array(points);
    this.waiting = new Int32Array(compiled.blocks);
    this.isWaiting = new Uint8Array(compiled.blocks);
    this.kept[0] = this.placement.copy();
    this.keptValid[0] = 1;
    this.keptStarts = this.placement.starts.slice();
    this.keptEnds = this.placement.ends.slice();
    this.keptUnits = this.placement.units.slice();
  }

  decode(order: Int32Array, same: number): void {
    const { compiled, placement, every, placed } = this;
    let point = Math.floor(same / every);
    while (this.keptValid[point] === 0) point--;
    placement.restore(this.kept[point]!);
    placement.starts.set(this.keptStarts);
    placement.ends.set(this.keptEnds);
    placement.units.set(this.keptUnits);
    this.freshFrom = point + 1;
    this.freshValid.fill(0, point + 1);
    let count = point * every;
    for (let at = 0; at < count; at++) placed[at] = order[at]!;
    let waiting = 0;
    for (let at = count; at < compiled.blocks; at++) {
      if (at % every === 0 && at > point * every && waiting === 0) {
        const next = at / every;
        const copy = this.fresh[next] ?? null;
        if (copy === null) this.fresh[next] = placement.copy();
        else placement.record(copy);
        this.freshValid[next] = 1;
      }
      const block = order[at]!;
      if ((waiting > 0 && this.waitsForOther(block)) || !placement.place(block)) {
        this.waiting[waiting++] = block;
        this.isWaiting[block] = 1;
        continue;
      }
      placed[count++] = block;
      // A block that had no room may have some now, because a unit may have been released.
      for (let nth = 0; nth < waiting; nth++) {
        const other = this.waiting[nth]!;
        if (this.waitsForOther(other) || !placement.place(other)) continue;
        placed[count++] = other;
        this.isWaiting[other] = 0;
        this.waiting.copyWithin(nth, nth + 1, waiting--);
        nth = -1;
      }
    }
    for (let nth = 0; nth < waiting; nth++) this.isWaiting[this.waiting[nth]!] = 0;
    this.placedCount = count;
    this.markPlaced();
    this.evaluate();
  }

  keep(): void {
    for (let point = this.freshFrom; point < this.kept.length; point++) {
      const copy = this.kept[point] ?? null;
      this.kept[point] = this.fresh[point] ?? null;
      this.fresh[point] = copy;
      this.keptValid[point] = this.freshValid[point]!;
    }
    this.keptStarts.set(this.placement.starts);
    this.keptEnds.set(this.placement.ends);
    this.keptUnits.set(this.placement.units);
  }

  protected places(): Placement {
    return this.placement;
  }

  private markPlaced(): void {
    const { isPlaced, compiled, placed, placedCount } = this;
    if (placedCount === compiled.blocks) {
      isPlaced.fill(1);
      return;
    }
    const { start, item } = compiled.members;
    isPlaced.set(compiled.fixed);
    for (let at = 0; at < placedCount; at++)
      for (let link = start[placed[at]!]!; link < start[placed[at]! + 1]!; link++) isPlaced[item[link]!] = 1;
  }

  private waitsForOther(block: number): boolean {
    const { blocksBefore } = this.compiled;
    for (let link = blocksBefore.start[block]!; link < blocksBefore.start[block + 1]!; link++)
      if (this.isWaiting[blocksBefore.item[link]!] === 1) return true;
    return false;
  }
}
