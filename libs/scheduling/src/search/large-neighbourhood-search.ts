import { SeededRandom } from '../problem/random.js';
import { BlockOrders } from './block-orders.js';
import type { CompiledProblem } from './compiled-problem.js';
import type { Decoder } from './decoder.js';
import { Neighbourhoods } from './neighbourhoods.js';

/**
 * Large-neighbourhood search among orders of blocks (Shaw 1998; Ropke and Pisinger 2006), accepting as simulated annealing does, cooled in cycles that become longer.
 */
export class LargeNeighbourhoodSearch {
  readonly best: Int32Array;
  bestValue: number;
  readonly compiled: CompiledProblem;
  private readonly current: Int32Array;
  private candidate: Int32Array;
  private value: number;
  private readonly neighbourhoods: Neighbourhoods;
  private readonly random: SeededRandom;
  private round_ = 0;
  private cycleEnd = 0;
  private cycleStart = 0;
  private cycleLength: number;

  /** @param order decoded and kept by the decoder last */
  constructor(
    private readonly decoder: Decoder,
    order: Int32Array,
    seed: number,
  ) {
    this.compiled = decoder.compiled;
    this.current = order.slice();
    this.candidate = order.slice();
    this.best = order.slice();
    this.random = new SeededRandom(seed);
    this.neighbourhoods = new Neighbourhoods(this.compiled, new BlockOrders(this.compiled), this.random);
    this.value = this.bestValue = this.objective();
    this.cycleLength = 2 * this.compiled.blocks;
    this.cycleEnd = this.cycleLength;
  }

  /** @returns whether it found something better than all before */
  round(): boolean {
    const { decoder, random } = this;
    if (this.round_ >= this.cycleEnd) {
      this.cycleLength *= 2;
      this.cycleStart = this.round_;
      this.cycleEnd = this.round_ + this.cycleLength;
      this.current.set(this.best);
      decoder.decode(this.current, 0);
      decoder.keep();
      this.value = this.bestValue;
    }
    this.round_++;
    const done = (this.round_ - this.cycleStart) / this.cycleLength;
    const temperature = this.bestValue * (0.04 / this.compiled.runs) * Math.pow(1 / 30, done);
    const kind = random.below(Neighbourhoods.kinds);
    const same = this.neighbourhoods.neighbour(this.current, kind, this.candidate);
    if (same >= this.compiled.blocks) return false;
    decoder.decode(this.candidate, same);
    const value = this.objective();
    if (value > this.value && random.next() >= Math.exp((this.value - value) / temperature)) return false;
    decoder.keep();
    this.current.set(this.candidate);
    this.value = value;
    if (value >= this.bestValue) return false;
    this.bestValue = value;
    this.best.set(this.current);
    return true;
  }

  private objective(): number {
    return this.decoder.weightedCompletion + this.compiled.makespanWeight * this.decoder.makespan;
  }
}
