import type { SeededRandom } from '../problem/random.js';
import type { Selection } from './selection.js';

/** The kind of move: to another machine, or within its block behind later or before earlier operations. */
export type Direction = 'elsewhere' | 'later' | 'earlier';

export interface MoveSink {
  /**
   * @param behind see {@link Selection.move}
   * @param estimate ticks of the longest path through moved operations
   */
  consider(operation: number, machine: number, behind: number, estimate: number, direction: Direction): void;
}

/**
 * Moves that can improve a selection: operations of a block of a critical path to its begin or end, and those at its
 * ends into it (N7: Zhang, Li, Guan, Rao 2007). In a flexible shop also critical operations to another machine, where
 * the others leave room (Mastrolilli and Gambardella 2000). No move leads to a cycle.
 *
 * An estimate assumes that heads and tails of all other operations stay the same (Balas and Vazacopoulos 1998). For
 * two operations that change places it is a lower bound of the makespan after the move.
 */
export class Neighbourhood {
  private readonly path: Int32Array;
  private pathLength = 0;
  /** For operations of the path: the start that precedences and release allow, and the minimum time after the end. */
  private readonly ready: Int32Array;
  private readonly rest: Int32Array;
  private readonly newHead: Int32Array;
  private readonly flexible: boolean;

  constructor(
    private readonly current: Selection,
    private readonly random: SeededRandom,
  ) {
    const { operations, choiceMachine } = current.shop;
    this.path = new Int32Array(operations);
    this.ready = new Int32Array(operations);
    this.rest = new Int32Array(operations);
    this.newHead = new Int32Array(operations);
    this.flexible = choiceMachine.length > operations;
  }

  /** Reports all moves on one critical path, chosen at random if there are several. */
  explore(sink: MoveSink): void {
    this.tracePath();
    const { path, pathLength, current } = this;
    const { machine } = current;
    for (let at = 0; at < pathLength; at++) this.measure(path[at]!);
    let from = 0;
    while (from < pathLength) {
      let to = from;
      while (to + 1 < pathLength && this.adjoin(path[to]!, path[to + 1]!)) to++;
      if (to > from) this.movesOfBlock(from, to, sink);
      from = to + 1;
    }
    if (this.flexible)
      for (let at = 0; at < pathLength; at++) this.movesToOtherMachines(path[at]!, machine[path[at]!]!, sink);
  }

  private tracePath(): void {
    const { current, path, random } = this;
    const { head, duration, previous, last, makespan } = current;
    const { before, operations, machines } = current.shop;
    let at = -1;
    let seen = 0;
    for (let machine = 0; machine < machines; machine++) {
      const each = last[machine]!;
      if (each !== operations && head[each]! + duration[each]! === makespan && random.below(++seen) === 0)
        at = each;
    }
    let length = 0;
    while (at >= 0) {
      path[length++] = at;
      const begin = head[at]!;
      const neighbour = previous[at]!;
      let cause = -1;
      seen = 0;
      if (neighbour !== operations && head[neighbour]! + duration[neighbour]! === begin) {
        cause = neighbour;
        seen = 1;
      }
      for (let link = before.start[at]!; link < before.start[at + 1]!; link++) {
        const other = before.operation[link]!;
        if (other === cause || head[other]! + duration[other]! + before.lag[link]! !== begin) continue;
        if (random.below(++seen) === 0) cause = other;
      }
      at = cause;
    }
    path.subarray(0, length).reverse();
    this.pathLength = length;
  }

  /** Says whether one follows the other directly on a machine, without a lag between them. */
  private adjoin(one: number, other: number): boolean {
    const { next, head, duration } = this.current;
    return next[one] === other && head[other] === head[one]! + duration[one]!;
  }

  private measure(operation: number): void {
    const { head, duration, tail } = this.current;
    const { before, after, releases } = this.current.shop;
    let ready = releases[operation]!;
    for (let link = before.start[operation]!; link < before.start[operation + 1]!; link++) {
      const other = before.operation[link]!;
      const end = head[other]! + duration[other]! + before.lag[link]!;
      if (end > ready) ready = end;
    }
    let rest = 0;
    for (let link = after.start[operation]!; link < after.start[operation + 1]!; link++) {
      const length = tail[after.operation[link]!]! + after.lag[link]!;
      if (length > rest) rest = length;
    }
    this.ready[operation] = ready;
    this.rest[operation] = rest;
  }

  private movesOfBlock(from: number, to: number, sink: MoveSink): void {
    const { path, pathLength, current } = this;
    // Another begin of a path from 0 gains nothing, nor does another end of any path. Neighbours change places in one
    // of the loops.
    const atStart = from === 0 && current.shop.releases[path[from]!] === 0;
    const atEnd = to === pathLength - 1;
    if (!atEnd) for (let at = from; at < to; at++) this.considerLater(at, to, sink);
    if (!atStart) {
      for (let at = from + 1; at <= to; at++)
        if (at < to || to > from + 1 || atEnd) this.considerEarlier(at, from, sink);
      for (let at = from + 2; at < to; at++) this.considerLater(from, at, sink);
    }
    if (!atEnd) for (let at = from + 1; at < to - 1; at++) this.considerEarlier(to, at, sink);
  }

  /** Moves the operation at `from` of the path directly behind that at `to`, in the same block. */
  private considerLater(from: number, to: number, sink: MoveSink): void {
    const { path, current, ready, rest, newHead } = this;
    const { head, tail, duration, previous, next } = current;
    const moved = path[from]!;
    const last = path[to]!;
    const { start, operation: others } = current.shop.after;
    const lastHead = head[last]!;
    const lastTail = tail[last]!;
    for (let link = start[moved]!; link < start[moved + 1]!; link++) {
      const other = others[link]!;
      // A path from `other` to `last` exists only if it is long enough for neither of these.
      if (
        other === last ||
        (tail[other]! - duration[other]! >= lastTail && head[other]! + duration[other]! <= lastHead)
      )
        return;
    }
    let end = head[previous[moved]!]! + duration[previous[moved]!]!;
    for (let at = from + 1; at <= to; at++) {
      const each = path[at]!;
      const begin = ready[each]! > end ? ready[each]! : end;
      newHead[each] = begin;
      end = begin + duration[each]!;
    }
    const begin = ready[moved]! > end ? ready[moved]! : end;
    const behind = tail[next[last]!]!;
    let left = (rest[moved]! > behind ? rest[moved]! : behind) + duration[moved]!;
    let estimate = begin + left;
    for (let at = to; at > from; at--) {
      const each = path[at]!;
      left = (rest[each]! > left ? rest[each]! : left) + duration[each]!;
      const length = newHead[each]! + left;
      if (length > estimate) estimate = length;
    }
    sink.consider(moved, current.machine[moved]!, last, estimate, 'later');
  }

  /** Moves the operation at `from` of the path directly before that at `to`, in the same block. */
  private considerEarlier(from: number, to: number, sink: MoveSink): void {
    const { path, current, ready, rest, newHead } = this;
    const { head, tail, duration, previous, next } = current;
    const moved = path[from]!;
    const front = path[to]!;
    const { start, operation: others } = current.shop.before;
    const frontEnd = head[front]! + duration[front]!;
    const frontRest = tail[front]! - duration[front]!;
    for (let link = start[moved]!; link < start[moved + 1]!; link++) {
      const other = others[link]!;
      if (other === front || (head[other]! >= frontEnd && frontRest >= tail[other]!)) return;
    }
    const before = previous[front]!;
    let end = head[before]! + duration[before]!;
    const begin = ready[moved]! > end ? ready[moved]! : end;
    end = begin + duration[moved]!;
    for (let at = to; at < from; at++) {
      const each = path[at]!;
      newHead[each] = ready[each]! > end ? ready[each]! : end;
      end = newHead[each]! + duration[each]!;
    }
    let left = tail[next[moved]!]!;
    let estimate = 0;
    for (let at = from - 1; at >= to; at--) {
      const each = path[at]!;
      left = (rest[each]! > left ? rest[each]! : left) + duration[each]!;
      const length = newHead[each]! + left;
      if (length > estimate) estimate = length;
    }
    left = (rest[moved]! > left ? rest[moved]! : left) + duration[moved]!;
    if (begin + left > estimate) estimate = begin + left;
    sink.consider(moved, current.machine[moved]!, before, estimate, 'earlier');
  }

  /**
   * Moves to every other machine, behind operations that end before its earliest start and before those that can wait
   * for its end, which excludes cycles. Estimates the longest path through it.
   */
  private movesToOtherMachines(operation: number, own: number, sink: MoveSink): void {
    const { current } = this;
    const { shop } = current;
    const { head, tail, duration, first, next, position } = current;
    const ready = this.ready[operation]!;
    const rest = this.rest[operation]!;
    for (let at = shop.choiceStart[operation]!; at < shop.choiceStart[operation + 1]!; at++) {
      const machine = shop.choiceMachine[at]!;
      if (machine === own) continue;
      const spent = shop.choiceDuration[at]!;
      let behind = shop.operations;
      let before = first[machine]!;
      while (before !== shop.operations) {
        const end = head[before]! + duration[before]!;
        if (end > ready) break;
        // Where both take no time, the one may need the other: only the topological order tells.
        if (end === ready && duration[before] === 0 && position[before]! > position[operation]!) break;
        behind = before;
        before = next[before]!;
      }
      for (;;) {
        const end = head[behind]! + duration[behind]!;
        const begin = ready > end ? ready : end;
        const left = rest > tail[before]! ? rest : tail[before]!;
        sink.consider(operation, machine, behind, begin + spent + left, 'elsewhere');
        if (before === shop.operations || tail[before]! <= rest) break;
        behind = before;
        before = next[before]!;
      }
    }
  }
}
