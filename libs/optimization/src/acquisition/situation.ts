import { Rng } from '../numeric/index.js';
import type { AcquisitionChoice, AcquisitionFunction, AcquisitionProblem } from './acquisition.js';
import { AnalyticLogImprovement } from './analytic.js';
import { mostOftenBest, posteriorMeans, widestCover, type FrontSample } from './baseline.js';
import { Frontier } from './frontier.js';
import { Goals } from './goals.js';
import { isNoisy, withInformation } from './information.js';
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
import { HypervolumeAcquisition, type Noise } from './volume.js';

/** Most points of a batch that are valued together: batches have many subsets, and samples many dimensions. */
const JOINT_LIMIT = 8;
/** Measured points considered for the best one, by posterior means, and the number of these that are kept. */
const CONSIDERED = 96;
const KEPT = 16;
/** Measured points kept for the front. With four objectives, they have some thousand corners in each sample. */
const KEPT_ON_FRONT = 64;

/** The part of the knowledge that does not change while points become pending. */
export class Situation {
  private readonly d: number;
  private readonly goals: Goals;
  private readonly count: number;
  private readonly rng: Rng;
  /** Positions of measured points that keep every threshold. */
  private readonly kept: readonly number[];
  private readonly means: Float64Array;
  /** Computed once, for hypervolumes. */
  private front: { reference: Float64Array; base: readonly number[] } | null = null;

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
        return this.informed(this.noisyImprovement(stay, sum, JOINT_LIMIT));
      case 'qLogNEHVI':
        return this.hypervolume(stay) ?? this.noisyImprovement(stay, this.chebyshev(slot), 1);
      case 'qLogNParEGO':
        return this.noisyImprovement(stay, this.chebyshev(slot), 1);
    }
  }

  /**
   * Measured points that are on the front, and keep the thresholds, in at least a share of the joint samples. For several
   * objectives.
   */
  oftenOnFront(share: number): number[] {
    const { considered, fronts } = this.sampledFronts(this.reference());
    const times = new Float64Array(considered.length);
    for (const { front } of fronts) for (const a of front) times[a]!++;
    return considered.filter((_, a) => times[a]! >= share * fronts.length);
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

  /** With noise of the only objective, well-known points are worth less. */
  private informed(improvement: AcquisitionFunction): AcquisitionFunction {
    const [goal, ...others] = this.goals.objectives;
    const model = this.problem.models[goal!.output]!;
    return others.length === 0 && isNoisy(model.choices, this.problem.n)
      ? withInformation(improvement, model)
      : improvement;
  }

  /** @returns null for too many objectives */
  private hypervolume(stay: Stay): AcquisitionFunction | null {
    const { goals, count } = this;
    const m = goals.objectives.length;
    if (m < 2 || m > 4) return null;
    this.front ??= this.frontToImprove();
    const { reference, base } = this.front;
    const samples = this.samplesWith(stay, 1, base);
    const frontiers = positions(count).map((s) => {
      const { objectives, front } = this.frontOf(
        samples.fixed,
        s,
        base.length + stay.pendingCount,
        reference,
      );
      return new Frontier(rowsOf(objectives, m, front), reference);
    });
    return new HypervolumeAcquisition(this.d, goals, samples, frontiers, this.noises(), stay.further);
  }

  /** Of all objectives and thresholds, if one is clearly noisy and none looks exact; else empty. */
  private noises(): Noise[] {
    const { objectives, thresholds } = this.goals;
    const outputs = [...new Set([...objectives, ...thresholds].map(({ output }) => output))];
    const { models } = this.problem;
    const found = outputs.map((output) => models[output]!.choices?.noise);
    return found.includes('some') && !found.includes('none')
      ? outputs.map((output) => ({ output, variance: models[output]!.noise ** 2 }))
      : [];
  }

  /** The reference point, and the measured points that make up the front: those that joint samples put on it. */
  private frontToImprove() {
    const reference = this.reference();
    const { considered, fronts } = this.sampledFronts(reference);
    const found = widestCover(fronts, considered.length, reference, KEPT_ON_FRONT, this.rng.fork('front'));
    return { reference, base: found.map((a) => considered[a]!) };
  }

  /** The fronts of joint samples at the measured points that may be on one. Positions on a front are those in `considered`. */
  private sampledFronts(reference: Float64Array) {
    const considered = this.consideredForFront(reference);
    const trial = this.trialSamples(considered);
    const fronts = positions(this.count).map((s) =>
      this.frontOf(trial.fixed, s, considered.length, reference),
    );
    return { considered, fronts };
  }

  /**
   * Measured points that may be on the front: first those that make up the front of the posterior means, then the
   * others, the least dominated first.
   */
  private consideredForFront(reference: Float64Array): number[] {
    const { n, outputs } = this.problem;
    const means = outputs.map((_, k) => Float64Array.from(positions(n), (i) => this.meanAt(i)[k]!));
    const expected = this.frontOf(means, 0, n, reference);
    const first = widestCover([expected], n, reference, CONSIDERED, this.rng.fork('considered'));
    const ranks = this.frontRanks();
    const others = positions(n)
      .filter((i) => !first.includes(i))
      .sort((a, b) => ranks[a]! - ranks[b]! || a - b);
    return [...first, ...others].slice(0, CONSIDERED);
  }

  /** Objectives of sample `s` at `f` points, and the points on the front of those that keep every threshold. */
  private frontOf(
    fixed: readonly Float64Array[],
    s: number,
    f: number,
    reference: Float64Array,
  ): FrontSample {
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

  /** Per measured point the number of points that dominate it and keep every threshold, by posterior means. */
  private frontRanks(): Float64Array {
    const { n } = this.problem;
    const m = this.goals.objectives.length;
    const objectives = new Float64Array(n * m);
    for (let i = 0; i < n; i++) objectives.set(this.goals.of(this.meanAt(i)), i * m);
    const keeping = positions(n).filter((i) => this.goals.keptBy(this.meanAt(i)));
    const ranks = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      for (const k of keeping) {
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

  /** Measured points by merit, highest first. Those that keep the thresholds, by posterior means, precede the others. */
  private considered(merit: (i: number) => number): number[] {
    const keeps = positions(this.problem.n).map((i) => Number(this.goals.keptBy(this.meanAt(i))));
    return positions(this.problem.n)
      .sort((a, b) => keeps[b]! - keeps[a]! || merit(b) - merit(a) || a - b)
      .slice(0, CONSIDERED);
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
