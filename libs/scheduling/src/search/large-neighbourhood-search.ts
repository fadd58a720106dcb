import { SeededRandom } from '../problem/random.js';
import { BlockOrders } from './block-orders.js';
import { Neighbourhoods } from './neighbourhoods.js';
import type { OrderDecoder } from './order-decoder.js';

/**
 * A worse order is accepted with probability 1/e if it is worse by this share of the objective (about one run), at the
 * begin and at the end of a cycle.
 */
const warmest = 0.06;
const coldest = 0.008;

/** Rounds of the first cycle, about a second with a thousand tasks. */
const firstCycle = 1_400;

/**
 * Large-neighbourhood search among orders of blocks (Shaw 1998, Ropke and Pisinger 2006), with acceptance as in
 * simulated annealing. Each cooling cycle is twice as long as the one before and starts from the best known order, so
 * that the search need not know its time limit.
 */
export class LargeNeighbourhoodSearch {
  /** Of the best schedule. */
  bestWeightedCompletion: number;
  bestMakespan: number;
  /** Lower bound of the end of the whole schedule, from its other parts. */
  floor = 0;
  private readonly current: Int32Array;
  private readonly candidate: Int32Array;
  private readonly best: Int32Array;
  private weightedCompletion: number;
  private makespan: number;
  private readonly placed: number;
  private readonly neighbourhoods: Neighbourhoods;
  private readonly random: SeededRandom;
  private made = 0;
  private cycleStart = 0;
  private cycleLength = firstCycle;

  constructor(
    private readonly decoder: OrderDecoder,
    order: Int32Array,
    seed: number,
  ) {
    const { compiled } = decoder;
    this.current = order.slice();
    this.candidate = order.slice();
    this.best = order.slice();
    this.random = new SeededRandom(seed);
    this.neighbourhoods = new Neighbourhoods(compiled, new BlockOrders(compiled), this.random);
    this.placed = decoder.placedCount;
    this.weightedCompletion = this.bestWeightedCompletion = decoder.weightedCompletion;
    this.makespan = this.bestMakespan = decoder.makespan;
  }

  /** Objective of the best schedule, with the end of the other parts. */
  get bestValue(): number {
    return this.valueOf(this.bestWeightedCompletion, this.bestMakespan);
  }

  /** @returns whether it found a schedule better than all before */
  round(): boolean {
    const { decoder, random } = this;
    const { compiled } = decoder;
    if (this.made >= this.cycleStart + this.cycleLength) this.startCycle();
    const done = (this.made++ - this.cycleStart) / this.cycleLength;
    const kind = random.below(Neighbourhoods.kinds);
    const same = this.neighbourhoods.neighbour(this.current, kind, this.candidate);
    if (same >= compiled.blocks) return false;
    decoder.decode(this.candidate, same);
    if (decoder.placedCount < this.placed) return false;
    const best = this.bestValue;
    const present = this.valueOf(this.weightedCompletion, this.makespan);
    const value = this.valueOf(decoder.weightedCompletion, decoder.makespan);
    const temperature = (best / compiled.runs) * warmest * (coldest / warmest) ** done;
    if (value > present && random.next() >= Math.exp((present - value) / temperature)) return false;
    decoder.keep();
    this.current.set(this.candidate);
    this.weightedCompletion = decoder.weightedCompletion;
    this.makespan = decoder.makespan;
    if (value >= best) return false;
    this.best.set(this.current);
    this.bestWeightedCompletion = this.weightedCompletion;
    this.bestMakespan = this.makespan;
    return true;
  }

  decodeBest(): void {
    this.decoder.decode(this.best, 0);
  }

  private startCycle(): void {
    this.cycleStart = this.made;
    this.cycleLength *= 2;
    this.current.set(this.best);
    this.decoder.decode(this.current, 0);
    this.decoder.keep();
    this.weightedCompletion = this.bestWeightedCompletion;
    this.makespan = this.bestMakespan;
  }

  private valueOf(weightedCompletion: number, makespan: number): number {
    return weightedCompletion + this.decoder.compiled.makespanWeight * Math.max(makespan, this.floor);
  }
}
