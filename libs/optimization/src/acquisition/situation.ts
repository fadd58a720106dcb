import { Rng } from '../numeric/index.js';
import type { AcquisitionChoice, AcquisitionFunction, AcquisitionProblem } from './acquisition.js';
import { AnalyticLogImprovement } from './analytic.js';
import { mostOftenBest, posteriorMeans } from './baseline.js';
import { nonDominatedBoxes, type Boxes } from './boxes.js';
import { Goals } from './goals.js';
import { covers, defaultReference, paretoFront, positions, rangeOf, rowsOf } from './pareto.js';
import {
  confidenceOf,
  logFeasibility,
  logImprovement,
  upperConfidence,
  type Reduction,
} from './reductions.js';
import { JointSamples } from './samples.js';
import {
  augmentedChebyshev,
  readSample,
  ScalarAcquisition,
  utilitiesOf,
  weightedSum,
  type Scalarisation,
} from './scalar.js';
import { HypervolumeAcquisition } from './volume.js';

/** Most points of a batch that are valued together: batches have many subsets, and samples many dimensions. */
const JOINT_LIMIT = 8;
const HYPERVOLUME_JOINT_LIMIT = 4;
/** Measured points considered for the best one, by posterior means, and the number of these that are kept. */
const CONSIDERED = 96;
const KEPT = 16;
/** By number of objectives: measured points kept for the front. */
const KEPT_ON_FRONT = [0, 16, 64, 32, 14];
/** Most boxes of all samples together; a front that needs more is handled by scalarisation. */
const BOX_LIMIT = 60_000;

/** The part of the knowledge that does not change while points become pending. */
export class Situation {
  private readonly d: number;
  private readonly goals: Goals;
  private readonly count: number;
  private readonly rng: Rng;
  /** Positions of measured points that keep every threshold. */
  private readonly kept: readonly number[];
  private readonly means: Float64Array;

  constructor(
    private readonly choice: AcquisitionChoice,
    private readonly problem: AcquisitionProblem,
  ) {
    const { outputs, models, values, n, rows } = problem;
    const several = choice.kind === 'qLogNEHVI' || choice.kind === 'qLogNParEGO';
    this.goals = new Goals(outputs, models, values, n, several ? 'unit' : 'model');
    this.d = models[0]!.d;
    const boxed = choice.kind === 'qLogNEHVI' ? this.goals.objectives.length : 0;
    this.count = problem.samples ?? (boxed > 3 ? 32 : boxed > 2 ? 64 : 128);
    this.rng = Rng.seeded(problem.seed);
    this.kept = positions(n).filter((i) =>
      this.goals.kept(values.subarray(i * outputs.length, (i + 1) * outputs.length)),
    );
    this.means = posteriorMeans(models, rows, n);
  }

  /** @param slot number of points that have become pending since the begin */
  acquisition(pending: Float64Array, pendingCount: number, slot: number): AcquisitionFunction {
    const further = (points: Float64Array, count: number): AcquisitionFunction => {
      const joined = new Float64Array((pendingCount + count) * this.d);
      joined.set(pending.subarray(0, pendingCount * this.d));
      joined.set(points.subarray(0, count * this.d), pendingCount * this.d);
      return this.acquisition(joined, pendingCount + count, slot + count);
    };
    const stay: Stay = { pending, pendingCount, slot, further };
    const { kind } = this.choice;
    const sum = weightedSum(this.goals.objectives.map(({ weight }) => weight));
    if (this.kept.length === 0 && kind !== 'qUCB') return this.towardsFeasible(stay, sum);
    switch (kind) {
      case 'qUCB':
        return this.confidence(stay, sum, this.choice.beta);
      case 'qLogEI':
        return this.improvement(stay, sum);
      case 'qLogNEI':
        return this.noisyImprovement(stay, sum, JOINT_LIMIT);
      case 'qLogNEHVI':
        return this.hypervolume(stay) ?? this.noisyImprovement(stay, this.chebyshev(slot), 1);
      case 'qLogNParEGO':
        return this.noisyImprovement(stay, this.chebyshev(slot), 1);
    }
  }

  private towardsFeasible(stay: Stay, sum: Scalarisation): AcquisitionFunction {
    const samples = this.samplesWith(stay, JOINT_LIMIT);
    const { feasibility } = utilitiesOf(this.goals, sum, samples.fixed);
    const open = new Float64Array(this.count).fill(1);
    const f = stay.pendingCount;
    feasibility.forEach((sure, at) => {
      const s = Math.floor(at / f);
      open[s] = Math.min(open[s]!, 1 - sure);
    });
    return this.scalar(stay, samples, sum, logFeasibility(open), JOINT_LIMIT);
  }

  private confidence(stay: Stay, sum: Scalarisation, beta: number): AcquisitionFunction {
    const { goals, count } = this;
    const samples = this.samplesWith(stay, JOINT_LIMIT);
    const floor =
      goals.thresholds.length === 0
        ? null
        : this.meanUtilities(sum).reduce((low, value) => Math.min(low, value), Infinity) - 1;
    const pending = { count, q: stay.pendingCount, ...utilitiesOf(goals, sum, samples.fixed) };
    const reduction = upperConfidence(beta, confidenceOf(beta, pending, floor), floor);
    return this.scalar(stay, samples, sum, reduction, JOINT_LIMIT);
  }

  private improvement(stay: Stay, sum: Scalarisation): AcquisitionFunction {
    const { goals, problem } = this;
    const utilities = this.meanUtilities(sum);
    const best = this.kept.reduce((high, i) => Math.max(high, utilities[i]!), -Infinity);
    const samples = this.samplesWith(stay, JOINT_LIMIT);
    const incumbents = this.incumbents(sum, samples, best);
    const byJointSamples = this.scalar(stay, samples, sum, logImprovement(incumbents), JOINT_LIMIT);
    const [goal] = goals.objectives;
    const closed =
      goals.objectives.length === 1 &&
      stay.pendingCount === 0 &&
      problem.outputs[goal!.output]!.objective?.kind !== 'close_to_target' &&
      new Set([goal!.output, ...goals.thresholds.map(({ output }) => output)]).size ===
        goals.thresholds.length + 1;
    return closed ? new AnalyticLogImprovement(goals, problem.models, best, byJointSamples) : byJointSamples;
  }

  private noisyImprovement(stay: Stay, utility: Scalarisation, jointLimit: number): AcquisitionFunction {
    const { goals, count } = this;
    const utilities = this.meanUtilities(utility);
    const considered = this.considered((i) => utilities[i]!);
    const trial = this.trialSamples(considered);
    const { utility: drawn, kept } = utilitiesOf(goals, utility, trial.fixed);
    const f = considered.length;
    const winners = positions(count).map((s) => {
      let top = -1;
      for (let a = 0; a < f; a++) {
        if (kept[s * f + a] === 1 && (top < 0 || drawn[s * f + a]! > drawn[s * f + top]!)) top = a;
      }
      return top < 0 ? [] : [top];
    });
    const base = mostOftenBest(winners, f, KEPT).map((a) => considered[a]!);
    const samples = this.samplesWith(stay, jointLimit, base);
    const worst = utilities.reduce((low, value) => Math.min(low, value), Infinity) - 1;
    const incumbents = this.incumbents(utility, samples, worst);
    return this.scalar(stay, samples, utility, logImprovement(incumbents), jointLimit);
  }

  /** @returns null for too many objectives or boxes */
  private hypervolume(stay: Stay): AcquisitionFunction | null {
    const { goals, count } = this;
    const m = goals.objectives.length;
    if (m < 2 || m > 4) return null;
    const reference = this.reference();
    const ranks = this.frontRanks();
    const considered = this.considered((i) => -ranks[i]!);
    const trial = this.trialSamples(considered);
    const fronts = positions(count).map(
      (s) => this.frontOf(trial.fixed, s, considered.length, reference).front,
    );
    const base = mostOftenBest(fronts, considered.length, KEPT_ON_FRONT[m]!).map((a) => considered[a]!);
    const f = base.length + stay.pendingCount;
    const samples = this.samplesWith(stay, HYPERVOLUME_JOINT_LIMIT, base);
    const boxes: Boxes[] = [];
    let left = BOX_LIMIT;
    for (let s = 0; s < count; s++) {
      const { objectives, front } = this.frontOf(samples.fixed, s, f, reference);
      const limit = Math.ceil((8 * BOX_LIMIT) / count);
      const found = nonDominatedBoxes(rowsOf(objectives, m, front), m, reference, limit);
      left -= found?.count ?? Infinity;
      if (found === null || left < 0) return null;
      boxes.push(found);
    }
    return new HypervolumeAcquisition(this.d, HYPERVOLUME_JOINT_LIMIT, goals, samples, boxes, stay.further);
  }

  /** Objectives of sample `s` at `f` points, and the points on the front of those that keep every threshold. */
  private frontOf(fixed: readonly Float64Array[], s: number, f: number, reference: Float64Array) {
    const m = this.goals.objectives.length;
    const objectives = new Float64Array(f * m);
    const open: number[] = [];
    const sample = new Float64Array(fixed.length);
    for (let a = 0; a < f; a++) {
      readSample(fixed, s * f + a, sample);
      this.goals.write(sample, objectives, a * m);
      const above = reference.every((value, j) => objectives[a * m + j]! > value);
      if (above && this.goals.keptBy(sample)) open.push(a);
    }
    const front = paretoFront(rowsOf(objectives, m, open), open.length, m).map((i) => open[i]!);
    return { objectives, front };
  }

  private reference(): Float64Array {
    const { problem, goals } = this;
    const measured = this.measuredObjectives();
    const m = goals.objectives.length;
    const found = defaultReference(rowsOf(measured, m, this.kept), this.kept.length, m);
    goals.objectives.forEach(({ output, value }, j) => {
      const given = problem.reference?.[problem.outputs[output]!.key];
      if (given !== undefined) found[j] = value(problem.models[output]!.output.toModel(given));
    });
    return found;
  }

  private chebyshev(slot: number): Scalarisation {
    const { goals, problem } = this;
    const m = goals.objectives.length;
    const measured = this.measuredObjectives();
    const rng = this.rng.fork(`weights ${problem.pendingCount} ${slot}`);
    // Uniform on the simplex, by exponential spacings.
    const drawn = ({ weight }: { weight: number }) => -weight * Math.log(1 - rng.uniform());
    const weights = Float64Array.from(goals.objectives, drawn);
    const sum = weights.reduce((total, weight) => total + weight, 0);
    const front = paretoFront(measured, problem.n, m);
    const spread = front.length > 1 ? front : positions(problem.n);
    const ranges = positions(m).map((j) => rangeOf(measured, m, j, spread));
    return augmentedChebyshev(
      weights.map((weight) => weight / sum),
      Float64Array.from(ranges, ([, best]) => best),
      Float64Array.from(ranges, ([worst, best]) => best - worst || 1),
    );
  }

  /** Per measured point the number of points that dominate it, by posterior means. */
  private frontRanks(): Float64Array {
    const { n } = this.problem;
    const m = this.goals.objectives.length;
    const objectives = new Float64Array(n * m);
    for (let i = 0; i < n; i++) objectives.set(this.goals.of(this.meanAt(i)), i * m);
    const ranks = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      for (let k = 0; k < n; k++) {
        if (covers(objectives, m, k, i) && !covers(objectives, m, i, k)) ranks[i]!++;
      }
    }
    return ranks;
  }

  private measuredObjectives(): Float64Array {
    const { values, n, outputs } = this.problem;
    const m = this.goals.objectives.length;
    const objectives = new Float64Array(n * m);
    for (let i = 0; i < n; i++) {
      const sample = this.goals.sampleOf(values.subarray(i * outputs.length, (i + 1) * outputs.length));
      objectives.set(this.goals.of(sample), i * m);
    }
    return objectives;
  }

  private meanAt(i: number): Float64Array {
    const outputs = this.problem.outputs.length;
    return this.means.subarray(i * outputs, (i + 1) * outputs);
  }

  private meanUtilities(utility: Scalarisation): Float64Array {
    const unused = new Float64Array(this.goals.objectives.length);
    return Float64Array.from(positions(this.problem.n), (i) =>
      utility(this.goals.of(this.meanAt(i)), unused),
    );
  }

  /** Measured points that keep the thresholds, by merit, highest first. */
  private considered(merit: (i: number) => number): number[] {
    return [...this.kept].sort((a, b) => merit(b) - merit(a) || a - b).slice(0, CONSIDERED);
  }

  private trialSamples(considered: readonly number[]): JointSamples {
    const { models, rows } = this.problem;
    const stay = rowsOf(rows, this.d, considered);
    return new JointSamples(models, this.d, stay, considered.length, this.count, 0, this.rng.fork('trial'));
  }

  /** @param base measured points that stay as well */
  private samplesWith(stay: Stay, most: number, base: readonly number[] = []): JointSamples {
    const { d, count, problem } = this;
    const fixed = base.length + stay.pendingCount;
    const rows = new Float64Array(fixed * d);
    rows.set(rowsOf(problem.rows, d, base));
    rows.set(stay.pending.subarray(0, stay.pendingCount * d), base.length * d);
    return new JointSamples(
      problem.models,
      d,
      rows,
      fixed,
      count,
      most,
      this.rng.fork(`samples ${stay.slot}`),
    );
  }

  /** Per sample the best utility of the fixed points that keep the thresholds in it, at least `least`. */
  private incumbents(utility: Scalarisation, samples: JointSamples, least: number): Float64Array {
    const { fixedCount: f } = samples;
    const best = new Float64Array(this.count).fill(least);
    const drawn = utilitiesOf(this.goals, utility, samples.fixed);
    for (let s = 0; s < best.length; s++) {
      for (let a = 0; a < f; a++) {
        if (drawn.kept[s * f + a] === 1) best[s] = Math.max(best[s]!, drawn.utility[s * f + a]!);
      }
    }
    return best;
  }

  private scalar(
    stay: Stay,
    samples: JointSamples,
    utility: Scalarisation,
    reduction: Reduction,
    jointLimit: number,
  ): AcquisitionFunction {
    return new ScalarAcquisition(this.d, jointLimit, this.goals, utility, samples, reduction, stay.further);
  }
}

/** Points that became pending, with the function to add more. */
interface Stay {
  pending: Float64Array;
  pendingCount: number;
  slot: number;
  further(points: Float64Array, count: number): AcquisitionFunction;
}
