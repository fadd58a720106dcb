import type { SeededRandom } from '../problem/random.js';
import type { Budget } from './budget.js';
import { Selection } from './selection.js';
import type { Shop } from './shop.js';

/**
 * Tabu search on selections. Moves: operations of a block of a critical path to its beginning or end, and those at
 * its ends into it (N7: Zhang, Li, Guan, Rao 2007, with the estimate of Balas and Vazacopoulos 1998); in a flexible
 * shop, critical operations to another machine, where the others there leave room (Mastrolilli and Gambardella 2000).
 */
export class TabuSearch {
  /** The best since the last call of {@link run}. */
  readonly best: Selection;
  private readonly shop: Shop;
  private current: Selection;
  /** The round until which one operation may not come before another, by pair; large shops share the places. */
  private readonly forbiddenOrder: Int32Array;
  /** The round until which an operation may not go back to a machine. */
  private readonly forbiddenMachine: Int32Array;
  private round = 0;
  private readonly tenure: number;
  private readonly tenureSpread: number;
  private readonly path: Int32Array;
  private pathLength = 0;
  /** Start that precedences and release allow, and what has to follow it: of the operations of the path. */
  private readonly ready: Float64Array;
  private readonly rest: Float64Array;
  private readonly newHead: Float64Array;
  private readonly flexible: boolean;
  // The best move found so far in a round, and any one of those that are forbidden.
  private chosen = noMove();
  private fallback = noMove();
  private ties = 0;
  private forbidden = 0;

  constructor(
    shop: Shop,
    private readonly random: SeededRandom,
  ) {
    const size = shop.operations;
    this.shop = shop;
    this.best = new Selection(shop);
    this.current = new Selection(shop);
    this.forbiddenOrder = new Int32Array(Math.min(size * size, 1 << 22));
    this.forbiddenMachine = new Int32Array(size * shop.machines);
    const queue = size / shop.machines;
    this.tenure = Math.round(10 + queue / shop.machines);
    this.tenureSpread = Math.max(1, Math.round(this.tenure * (queue <= 2 * shop.machines ? 0.4 : 0.5)));
    this.path = new Int32Array(size);
    this.ready = new Float64Array(size);
    this.rest = new Float64Array(size);
    this.newHead = new Float64Array(size);
    this.flexible = shop.choiceMachine.length > size;
  }

  /**
   * Searches from `start` until `patience` moves in succession brought nothing better; {@link best} is what it found.
   *
   * @param onBetter called whenever {@link best} has become better
   */
  run(start: Selection, patience: number, budget: Budget, onBetter: () => void): void {
    const { current, best } = this;
    current.copyFrom(start);
    best.copyFrom(start);
    // What was forbidden to the search before this one is not forbidden to this one.
    this.round += 2 * (this.tenure + this.tenureSpread) + this.shop.operations;
    let idle = 0;
    while (idle < patience && budget.spend()) {
      this.round++;
      this.tracePath();
      this.findMoves();
      const move = this.chosen.estimate < Infinity ? this.chosen : this.fallback;
      if (move.operation < 0) return;
      this.carryOut(move);
      if (current.makespan < best.makespan) {
        best.copyFrom(current);
        idle = 0;
        onBetter();
      } else idle++;
    }
  }

  /** A critical path, by chance where there are several. */
  private tracePath(): void {
    const { current, path, random, shop } = this;
    const { head, tail, duration, next, makespan } = current;
    const { after, releases, operations } = shop;
    let at = -1;
    let seen = 0;
    for (let each = 0; each < operations; each++)
      if (
        head[each]! + tail[each]! === makespan &&
        head[each] === releases[each] &&
        random.below(++seen) === 0
      )
        at = each;
    let length = 0;
    while (at >= 0) {
      path[length++] = at;
      const end = head[at]! + duration[at]!;
      const neighbour = next[at]!;
      let following = -1;
      seen = 0;
      if (neighbour !== operations && head[neighbour] === end && end + tail[neighbour]! === makespan) {
        following = neighbour;
        seen = 1;
      }
      for (let link = after.start[at]!; link < after.start[at + 1]!; link++) {
        const other = after.operation[link]!;
        const ready = end + after.lag[link]!;
        if (other === following || head[other] !== ready || ready + tail[other]! !== makespan) continue;
        if (random.below(++seen) === 0) following = other;
      }
      at = following;
    }
    this.pathLength = length;
  }

  private findMoves(): void {
    const { path, pathLength, current, chosen, fallback } = this;
    const { machine, next } = current;
    chosen.estimate = Infinity;
    chosen.operation = -1;
    fallback.operation = -1;
    this.ties = 0;
    this.forbidden = 0;
    for (let at = 0; at < pathLength; at++) this.measure(path[at]!);
    let from = 0;
    while (from < pathLength) {
      let to = from;
      while (to + 1 < pathLength && next[path[to]!] === path[to + 1]) to++;
      if (to > from) this.movesOfBlock(from, to);
      from = to + 1;
    }
    if (this.flexible)
      for (let at = 0; at < pathLength; at++) this.movesToOtherMachines(path[at]!, machine[path[at]!]!);
  }

  private measure(operation: number): void {
    const { head, duration, tail } = this.current;
    const { before, after, releases } = this.shop;
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

  private movesOfBlock(from: number, to: number): void {
    const { path, pathLength, shop } = this;
    // Nothing is gained by another beginning of a path that begins at 0, nor by another end of any.
    const atStart = from === 0 && shop.releases[path[from]!] === 0;
    const atEnd = to === pathLength - 1;
    if (!atEnd) for (let at = from; at < to; at++) this.considerForward(at, to);
    if (!atStart) {
      for (let at = from + 1; at <= to; at++)
        if (at < to || to > from + 1 || atEnd) this.considerBackward(at, from);
      for (let at = from + 1; at < to; at++) this.considerForward(from, at);
    }
    if (!atEnd) for (let at = from + 1; at < to; at++) this.considerBackward(to, at);
  }

  /** The operation at `from` of the path to right behind that at `to`, of the same block. */
  private considerForward(from: number, to: number): void {
    const { path, current, shop, ready, rest, newHead } = this;
    const { head, tail, duration, previous, next } = current;
    const moved = path[from]!;
    const last = path[to]!;
    const { start, operation: others } = shop.after;
    const lastHead = head[last]!;
    const lastTail = tail[last]!;
    for (let link = start[moved]!; link < start[moved + 1]!; link++) {
      const other = others[link]!;
      // There is a path from `other` to `last` only if it is long enough for neither of these.
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
    const { round } = this;
    let tabu = false;
    for (let at = from + 1; at <= to && !tabu; at++)
      tabu = this.forbiddenOrder[this.pair(path[at]!, moved)]! > round;
    this.consider(moved, current.machine[moved]!, last, estimate, tabu);
  }

  /** The operation at `from` of the path to right before that at `to`, of the same block. */
  private considerBackward(from: number, to: number): void {
    const { path, current, shop, ready, rest, newHead } = this;
    const { head, tail, duration, previous, next } = current;
    const moved = path[from]!;
    const front = path[to]!;
    const { start, operation: others } = shop.before;
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
    const { round } = this;
    let tabu = false;
    for (let at = to; at < from && !tabu; at++)
      tabu = this.forbiddenOrder[this.pair(moved, path[at]!)]! > round;
    this.consider(moved, current.machine[moved]!, before, estimate, tabu);
  }

  /**
   * To every other machine that can do it, behind those that end before it could start and before those that can
   * wait for its end; that leaves no way for a cycle. Estimates the longest path through it.
   */
  private movesToOtherMachines(operation: number, own: number): void {
    const { current, shop, round } = this;
    const { head, tail, duration, first, next } = current;
    const ready = this.ready[operation]!;
    const rest = this.rest[operation]!;
    for (let at = shop.choiceStart[operation]!; at < shop.choiceStart[operation + 1]!; at++) {
      const machine = shop.choiceMachine[at]!;
      if (machine === own) continue;
      const own_ = shop.choiceDuration[at]!;
      const tabu = this.forbiddenMachine[operation * shop.machines + machine]! > round;
      let behind = shop.operations;
      let before = first[machine]!;
      while (before !== shop.operations && head[before]! + duration[before]! <= ready) {
        behind = before;
        before = next[before]!;
      }
      for (;;) {
        const end = head[behind]! + duration[behind]!;
        const begin = ready > end ? ready : end;
        const left = rest > tail[before]! ? rest : tail[before]!;
        this.consider(operation, machine, behind, begin + own_ + left, tabu);
        if (before === shop.operations || tail[before]! <= rest) break;
        behind = before;
        before = next[before]!;
      }
    }
  }

  private consider(
    operation: number,
    machine: number,
    behind: number,
    estimate: number,
    tabu: boolean,
  ): void {
    const { chosen, fallback, random } = this;
    if (tabu && estimate >= this.best.makespan) {
      if (random.below(++this.forbidden) === 0) set(fallback, operation, machine, behind, estimate);
      return;
    }
    if (estimate > chosen.estimate) return;
    if (estimate < chosen.estimate) this.ties = 0;
    if (random.below(++this.ties) === 0) set(chosen, operation, machine, behind, estimate);
  }

  private carryOut({ operation, machine, behind }: Move): void {
    const { current, round, shop } = this;
    const own = current.machine[operation]!;
    const until = round + this.tenure + this.random.below(this.tenureSpread);
    if (machine !== own) {
      if (current.move(operation, machine, behind))
        this.forbiddenMachine[operation * shop.machines + own] = until;
      else this.forbiddenMachine[operation * shop.machines + machine] = until;
      return;
    }
    if (behind !== shop.operations && current.head[behind]! >= current.head[operation]!) {
      for (let each = operation; each !== behind;) {
        each = current.next[each]!;
        this.forbiddenOrder[this.pair(operation, each)] = until;
      }
    } else
      for (let each = current.previous[operation]!; each !== behind; each = current.previous[each]!)
        this.forbiddenOrder[this.pair(each, operation)] = until;
    current.move(operation, machine, behind);
  }

  private pair(first: number, second: number): number {
    return (first * this.shop.operations + second) % this.forbiddenOrder.length;
  }
}

interface Move {
  operation: number;
  machine: number;
  /** As in {@link Selection.move}. */
  behind: number;
  estimate: number;
}

const noMove = (): Move => ({ operation: -1, machine: -1, behind: -1, estimate: Infinity });

function set(move: Move, operation: number, machine: number, behind: number, estimate: number): void {
  move.operation = operation;
  move.machine = machine;
  move.behind = behind;
  move.estimate = estimate;
}
