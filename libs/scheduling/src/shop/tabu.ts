import type { SeededRandom } from '../problem/random.js';
import type { Budget } from './budget.js';
import { Neighbourhood, type Direction, type MoveSink } from './neighbourhood.js';
import { Selection } from './selection.js';
import type { Shop } from './shop.js';

class Move {
  operation = -1;
  machine = -1;
  behind = -1;
  estimate = Infinity;
  direction: Direction = 'elsewhere';

  set(operation: number, machine: number, behind: number, estimate: number, direction: Direction): void {
    this.operation = operation;
    this.machine = machine;
    this.behind = behind;
    this.estimate = estimate;
    this.direction = direction;
  }
}

/** Tabu search on the selections of a shop: every round makes the best move that is not forbidden. */
export class TabuSearch implements MoveSink {
  /** The best selection since the last call of {@link run}. */
  readonly best: Selection;
  private readonly shop: Shop;
  private readonly current: Selection;
  private readonly neighbourhood: Neighbourhood;
  /** The round until which one operation may not precede another, by pair; in large shops, pairs share entries. */
  private readonly forbiddenOrder: Int32Array;
  /** The round until which an operation may not return to a machine. */
  private readonly forbiddenMachine: Int32Array;
  private round = 0;
  private readonly tenure: number;
  private readonly tenureSpread: number;
  /** The moves of this round: the best allowed one, at random among equals, and any forbidden one. */
  private readonly chosen = new Move();
  private readonly fallback = new Move();
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
    this.neighbourhood = new Neighbourhood(this.current, random);
    this.forbiddenOrder = new Int32Array(Math.min(size * size, 1 << 22));
    this.forbiddenMachine = new Int32Array(size * shop.machines);
    const queue = size / shop.machines;
    this.tenure = Math.round(7 + queue / shop.machines);
    this.tenureSpread = Math.max(1, Math.round(this.tenure * (queue <= 2 * shop.machines ? 0.4 : 0.5)));
  }

  /**
   * Searches from `start` until `patience` moves in succession gave no improvement. The result is {@link best}.
   *
   * @param onBetter called whenever {@link best} has improved
   */
  run(start: Selection, patience: number, budget: Budget, onBetter: () => void): void {
    const { current, best, chosen, fallback } = this;
    current.copyFrom(start);
    best.copyFrom(start);
    // Moves that the previous search forbade are allowed again.
    this.round += this.tenure + this.tenureSpread;
    let idle = 0;
    while (idle < patience && budget.spend()) {
      this.round++;
      chosen.operation = fallback.operation = -1;
      chosen.estimate = Infinity;
      this.ties = this.forbidden = 0;
      this.neighbourhood.explore(this);
      const move = chosen.operation >= 0 ? chosen : fallback;
      // No move can shorten this critical path, so nothing can be gained from here.
      if (move.operation < 0) return;
      this.carryOut(move);
      if (current.makespan < best.makespan) {
        best.copyFrom(current);
        idle = 0;
        onBetter();
      } else idle++;
    }
  }

  consider(operation: number, machine: number, behind: number, estimate: number, direction: Direction): void {
    const { chosen, random } = this;
    if (estimate > chosen.estimate) return;
    if (estimate >= this.best.makespan && this.isForbidden(operation, machine, behind, direction)) {
      if (random.below(++this.forbidden) === 0)
        this.fallback.set(operation, machine, behind, estimate, direction);
      return;
    }
    if (estimate < chosen.estimate) this.ties = 0;
    if (random.below(++this.ties) === 0) chosen.set(operation, machine, behind, estimate, direction);
  }

  /** Says whether the move would restore a machine, or an order of two operations, that a recent move gave up. */
  private isForbidden(operation: number, machine: number, behind: number, direction: Direction): boolean {
    const { current, round, forbiddenOrder } = this;
    if (direction === 'elsewhere')
      return this.forbiddenMachine[operation * this.shop.machines + machine]! > round;
    if (direction === 'later') {
      for (let each = operation; each !== behind;) {
        each = current.next[each]!;
        if (forbiddenOrder[this.pair(each, operation)]! > round) return true;
      }
      return false;
    }
    for (let each = current.previous[operation]!; each !== behind; each = current.previous[each]!)
      if (forbiddenOrder[this.pair(operation, each)]! > round) return true;
    return false;
  }

  private carryOut({ operation, machine, behind, direction }: Move): void {
    const { current, forbiddenOrder } = this;
    const until = this.round + this.tenure + this.random.below(this.tenureSpread);
    if (direction === 'elsewhere')
      this.forbiddenMachine[operation * this.shop.machines + current.machine[operation]!] = until;
    else if (direction === 'later')
      for (let each = operation; each !== behind;) {
        each = current.next[each]!;
        forbiddenOrder[this.pair(operation, each)] = until;
      }
    else
      for (let each = current.previous[operation]!; each !== behind; each = current.previous[each]!)
        forbiddenOrder[this.pair(each, operation)] = until;
    current.move(operation, machine, behind);
  }

  private pair(first: number, second: number): number {
    return (first * this.shop.operations + second) % this.forbiddenOrder.length;
  }
}
