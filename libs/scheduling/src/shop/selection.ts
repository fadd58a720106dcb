import type { Shop } from './shop.js';

/**
 * A complete selection of the disjunctive graph of a shop: the machine of each operation, and the order on each
 * machine. A move updates heads, tails, the makespan and a topological order in the affected part.
 */
export class Selection {
  readonly machine: Int32Array;
  /** Ticks on that machine; 0 for the sentinel. */
  readonly duration: Int32Array;
  /**
   * Neighbours on the machine. At both ends stands the sentinel, the operation `shop.operations`, with head, tail and
   * duration 0, so that no loop needs to check for a neighbour.
   */
  readonly previous: Int32Array;
  readonly next: Int32Array;
  /** First and last operation of each machine, or the sentinel. */
  readonly first: Int32Array;
  readonly last: Int32Array;
  /** Earliest start of each operation: the longest path to it. */
  readonly head: Int32Array;
  /** Longest path from its start to the end, its own duration included. */
  readonly tail: Int32Array;
  /** A topological order of the graph, and the position of each operation in it. */
  readonly order: Int32Array;
  readonly position: Int32Array;
  makespan = 0;
  private readonly marked: Uint8Array;
  private readonly moved: Int32Array;
  private readonly content: readonly Int32Array[];

  constructor(readonly shop: Shop) {
    const size = shop.operations;
    this.machine = new Int32Array(size + 1).fill(-1);
    this.duration = new Int32Array(size + 1);
    this.previous = new Int32Array(size + 1).fill(size);
    this.next = new Int32Array(size + 1).fill(size);
    this.first = new Int32Array(shop.machines).fill(size);
    this.last = new Int32Array(shop.machines).fill(size);
    this.head = new Int32Array(size + 1);
    this.tail = new Int32Array(size + 1);
    this.order = new Int32Array(size);
    this.position = new Int32Array(size + 1);
    this.marked = new Uint8Array(size + 1);
    this.moved = new Int32Array(size);
    const { machine, duration, previous, next, first, last, head, tail, order, position } = this;
    this.content = [machine, duration, previous, next, first, last, head, tail, order, position];
  }

  /** @param order all operations, which must obey the precedences: decides the order on every machine */
  assign(order: ArrayLike<number>, machines: ArrayLike<number>): void {
    const { shop } = this;
    const size = shop.operations;
    const { first, last } = this;
    first.fill(size);
    last.fill(size);
    for (let at = 0; at < size; at++) {
      const operation = order[at]!;
      const machine = machines[operation]!;
      this.order[at] = operation;
      this.position[operation] = at;
      this.machine[operation] = machine;
      this.duration[operation] = this.durationOn(operation, machine);
      const before = last[machine]!;
      this.previous[operation] = before;
      this.next[operation] = size;
      if (before === size) first[machine] = operation;
      else this.next[before] = operation;
      last[machine] = operation;
    }
    this.recompute(0, size - 1);
  }

  copyFrom(other: Selection): void {
    for (let at = 0; at < this.content.length; at++) this.content[at]!.set(other.content[at]!);
    this.makespan = other.makespan;
  }

  /** @throws RangeError when the machine cannot do it */
  durationOn(operation: number, machine: number): number {
    const { choiceStart, choiceMachine, choiceDuration } = this.shop;
    for (let at = choiceStart[operation]!; at < choiceStart[operation + 1]!; at++)
      if (choiceMachine[at] === machine) return choiceDuration[at]!;
    throw new RangeError(`machine ${machine} cannot do operation ${operation}`);
  }

  /**
   * Puts an operation on a machine, directly behind `behind`; first if that is the sentinel.
   *
   * @returns false, without a change, when the graph would have a cycle
   */
  move(operation: number, machine: number, behind: number): boolean {
    const oldMachine = this.machine[operation]!;
    const oldPrevious = this.previous[operation]!;
    this.unlink(operation);
    this.link(operation, machine, behind);
    const from = this.position[operation]!;
    const before = this.next[operation]!;
    const size = this.shop.operations;
    let low = from;
    let high = from;
    let ok = true;
    if (behind !== size && this.position[behind]! > from) {
      high = this.position[behind]!;
      ok = this.shiftBehind(operation, from, high);
    } else if (before !== size && this.position[before]! < from) {
      low = this.position[before]!;
      ok = this.shiftBefore(operation, low, from);
    }
    if (!ok) {
      this.unlink(operation);
      this.link(operation, oldMachine, oldPrevious);
      return false;
    }
    // Its old and new neighbours lie in this part of the order or on the right side of it.
    this.recompute(low, high);
    return true;
  }

  private unlink(operation: number): void {
    const size = this.shop.operations;
    const previous = this.previous[operation]!;
    const next = this.next[operation]!;
    if (previous === size) this.first[this.machine[operation]!] = next;
    else this.next[previous] = next;
    if (next === size) this.last[this.machine[operation]!] = previous;
    else this.previous[next] = previous;
  }

  private link(operation: number, machine: number, behind: number): void {
    const size = this.shop.operations;
    const next = behind === size ? this.first[machine]! : this.next[behind]!;
    if (behind === size) this.first[machine] = operation;
    else this.next[behind] = operation;
    if (next === size) this.last[machine] = operation;
    else this.previous[next] = operation;
    this.previous[operation] = behind;
    this.next[operation] = next;
    if (this.machine[operation] !== machine) {
      this.machine[operation] = machine;
      this.duration[operation] = this.durationOn(operation, machine);
    }
  }

  /** Moves `operation` and its successors behind the operation at `high`; false if that is a predecessor of it. */
  private shiftBehind(operation: number, low: number, high: number): boolean {
    const { order, position, marked, moved, previous } = this;
    const { start, operation: others } = this.shop.before;
    let taken = 0;
    marked[operation] = 1;
    moved[taken++] = operation;
    for (let at = low + 1; at <= high; at++) {
      const each = order[at]!;
      let depends = marked[previous[each]!]!;
      for (let link = start[each]!; depends === 0 && link < start[each + 1]!; link++)
        depends = marked[others[link]!]!;
      if (depends === 0) continue;
      marked[each] = 1;
      moved[taken++] = each;
    }
    const ok = marked[order[high]!] === 0;
    if (ok) {
      let free = low;
      for (let at = low; at <= high; at++) {
        const each = order[at]!;
        if (marked[each] === 1) continue;
        order[free] = each;
        position[each] = free++;
      }
      for (let at = 0; at < taken; at++) {
        order[free] = moved[at]!;
        position[moved[at]!] = free++;
      }
    }
    for (let at = 0; at < taken; at++) marked[moved[at]!] = 0;
    return ok;
  }

  /** Moves `operation` and its predecessors before the operation at `low`; false if that is a successor of it. */
  private shiftBefore(operation: number, low: number, high: number): boolean {
    const { order, position, marked, moved, next } = this;
    const { start, operation: others } = this.shop.after;
    let taken = 0;
    marked[operation] = 1;
    moved[taken++] = operation;
    for (let at = high - 1; at >= low; at--) {
      const each = order[at]!;
      let needed = marked[next[each]!]!;
      for (let link = start[each]!; needed === 0 && link < start[each + 1]!; link++)
        needed = marked[others[link]!]!;
      if (needed === 0) continue;
      marked[each] = 1;
      moved[taken++] = each;
    }
    const ok = marked[order[low]!] === 0;
    if (ok) {
      let free = high;
      for (let at = high; at >= low; at--) {
        const each = order[at]!;
        if (marked[each] === 1) continue;
        order[free] = each;
        position[each] = free--;
      }
      for (let at = 0; at < taken; at++) {
        order[free] = moved[at]!;
        position[moved[at]!] = free--;
      }
    }
    for (let at = 0; at < taken; at++) marked[moved[at]!] = 0;
    return ok;
  }

  /** Updates heads from the position `low` on, tails from `high` back, and the makespan. */
  private recompute(low: number, high: number): void {
    const { order, head, tail, duration, previous, next, last } = this;
    const { releases, before, after, operations, machines } = this.shop;
    for (let at = low; at < operations; at++) {
      const each = order[at]!;
      const neighbour = previous[each]!;
      let most = head[neighbour]! + duration[neighbour]!;
      const release = releases[each]!;
      if (release > most) most = release;
      for (let link = before.start[each]!, end = before.start[each + 1]!; link < end; link++) {
        const other = before.operation[link]!;
        const ready = head[other]! + duration[other]! + before.lag[link]!;
        if (ready > most) most = ready;
      }
      head[each] = most;
    }
    for (let at = high; at >= 0; at--) {
      const each = order[at]!;
      let most = tail[next[each]!]!;
      for (let link = after.start[each]!, end = after.start[each + 1]!; link < end; link++) {
        const rest = tail[after.operation[link]!]! + after.lag[link]!;
        if (rest > most) most = rest;
      }
      tail[each] = most + duration[each]!;
    }
    let makespan = 0;
    for (let machine = 0; machine < machines; machine++) {
      const each = last[machine]!;
      const end = head[each]! + duration[each]!;
      if (end > makespan) makespan = end;
    }
    this.makespan = makespan;
  }
}
