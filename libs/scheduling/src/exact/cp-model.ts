import { objectiveOf, type Problem, type Schedule } from '../problem/problem.js';
import { dealUnits } from './deal-units.js';
import type { CpConstraint, CpExpression, CpModelProto, CpResponse } from './cp-model-proto.js';
import { constant, ModelBuilder, plus } from './model-builder.js';
import { familiesOf, unitClasses, type Family, type Member, type Occupancy } from './occupancies.js';
import { edgesInto, possibleDurations, timingOf, type Timing } from './timing.js';

export interface ExactModel {
  proto: CpModelProto;
  /** The schedule of a response to the model; null when it has none. */
  scheduleFrom(response: CpResponse): Schedule | null;
  /** The lower bound of the objective of the problem that a response proves. */
  lowerBoundFrom(response: CpResponse): number;
}

/**
 * The CP-SAT model of all schedules that are no worse than the hint. Its main ideas:
 *
 * - Interchangeable units are one cumulative constraint; they are dealt out afterwards. Optional intervals exist only
 *   where units differ (Laborie and others, "IBM ILOG CP optimizer for scheduling", 2018, section 2).
 * - A kept unit is one interval of variable length, from the start of the keeper to the end of the last activity.
 * - The objective of the hint bounds the end of every run, and so every start, without cutting off better schedules.
 *
 * @param hint feasible and complete
 * @throws RangeError when a precedence or a reference runs in a circle
 */
export function cpModelOf(problem: Problem, hint: Schedule): ExactModel {
  return new ModelOfProblem(problem, hint).result();
}

/** The candidate classes of a family, with a literal for each if there are several. */
interface Choice {
  classes: number[];
  literals: (number | null)[];
}

type Stretch = NonNullable<CpConstraint['interval']>;

/** A time in which a unit of a class is taken if the literal is true. */
interface Taken extends Stretch {
  unitClass: number;
  literal: number | null;
  family: Family;
}

/** Non-integer weights are rounded to this part of 1. */
const weightParts = 1_000;

class ModelOfProblem {
  private readonly timing: Timing;
  private readonly builder = new ModelBuilder();
  readonly #families: readonly Family[];
  readonly #classOf: readonly number[];
  readonly #capacities: readonly number[];
  /** The latest end of each run in a schedule no worse than the hint. */
  readonly #latest: readonly number[];
  readonly #starts: CpExpression[];
  readonly #ends: CpExpression[];
  /** For each family. */
  readonly #choices: Choice[] = [];
  readonly #whole: boolean;
  /** Weight in the model of a weight of 1. */
  readonly #scale: number;

  constructor(
    private readonly problem: Problem,
    private readonly hint: Schedule,
  ) {
    this.timing = timingOf(problem);
    if (this.timing.order.length < problem.activities.length)
      throw new RangeError('The precedences of the problem run in a circle.');
    this.#families = familiesOf(problem, this.timing);
    this.#classOf = unitClasses(problem, this.#families);
    const capacities: number[] = [];
    for (const unitClass of this.#classOf) capacities[unitClass] = (capacities[unitClass] ?? 0) + 1;
    this.#capacities = capacities;
    const weights = [problem.makespanWeight, ...problem.runs.map(({ weight }) => weight)];
    this.#whole = weights.every(Number.isInteger);
    this.#scale = this.#whole ? 1 / Math.max(1, weights.reduce(greatestCommonDivisor, 0)) : weightParts;
    this.#latest = latestEnds(problem, this.timing, hint);
    this.#starts = problem.activities.map((activity, index) => {
      const { heads, tails, durations } = this.timing;
      if (activity.fixed !== null) return constant(activity.fixed.start);
      const latest = this.#latest[activity.run]! - tails[index]! - durations[index]!;
      return this.builder.expression(heads[index]!, Math.max(heads[index]!, latest), hint.starts[index]!);
    });
    this.#ends = this.#starts.map((start, index) => this.#endOf(start, index));
  }

  result(): ExactModel {
    this.#addFamilies();
    this.#addDifferences();
    this.#addPrecedences();
    this.#addObjective();
    return {
      proto: this.builder.proto,
      scheduleFrom: (response) => this.#scheduleFrom(response),
      lowerBoundFrom: (response) => this.#lowerBoundFrom(response),
    };
  }

  #endOf(start: CpExpression, index: number): CpExpression {
    const activity = this.problem.activities[index]!;
    const { durations, tails } = this.timing;
    if (activity.fixed !== null || new Set(possibleDurations(activity)).size === 1)
      return plus(start, durations[index]!);
    const least = this.timing.heads[index]! + durations[index]!;
    const most = Math.max(least, this.#latest[activity.run]! - tails[index]!);
    return this.builder.expression(least, most, this.hint.ends[index]!);
  }

  #addFamilies(): void {
    /** Intervals that take one unit of a class, by class; separately, those of families that return to a unit. */
    const single = this.#capacities.map(() => [] as number[]);
    const repeated: { unitClass: number; interval: number; family: Family }[] = [];
    const begun: Taken[] = [];
    const instant: Taken[] = [];
    const { activities } = this.problem;
    for (const family of this.#families) {
      const choice = this.#choose(family);
      this.#choices.push(choice);
      this.#addDurations(family, choice);
      this.#addSharing(family);
      const isRepeated = family.occupancies.length > 1 && family.occupancies.some(({ keeps }) => keeps);
      for (const occupancy of family.occupancies) {
        const lasts = this.#stretch(occupancy);
        if (lasts === null) continue;
        const { activity } = occupancy.first;
        choice.classes.forEach((unitClass, at) => {
          const literal = choice.literals[at]!;
          const interval = this.builder.interval(lasts, literal);
          const taken = { unitClass, literal, family, ...lasts };
          if ((activities[activity]!.fixed?.start ?? 0) < 0) begun.push(taken);
          else if (possibleDurations(activities[activity]!).includes(0)) instant.push(taken);
          if (isRepeated) repeated.push({ unitClass, interval, family });
          else single[unitClass]!.push(interval);
        });
      }
    }
    single.forEach((intervals, unitClass) => this.builder.share(intervals, this.#capacities[unitClass]!));
    // Intervals of one family may lie within each other, so each has its own constraint. Their class has one unit.
    repeated.forEach(({ unitClass, interval, family }, index) => {
      this.builder.share([interval, ...single[unitClass]!], 1);
      for (const other of repeated.slice(index + 1))
        if (other.unitClass === unitClass && other.family !== family)
          this.builder.share([interval, other.interval], 1);
    });
    // The solver treats 0 as the edge of an activity that began before 0, where an activity of length zero would fit.
    for (const { unitClass, literal, family, start } of instant)
      for (const running of begun)
        if (running.unitClass === unitClass && running.family !== family)
          this.builder.distance(running.end, start, 0, null, literal);
  }

  /** Two slots of an activity of length zero would not collide on one unit, which they must not share either. */
  #addDifferences(): void {
    const choices = new Map<string, Choice>();
    this.#families.forEach(({ members }, index) => {
      for (const { activity, slot } of members) choices.set(`${activity}.${slot}`, this.#choices[index]!);
    });
    this.problem.activities.forEach((activity, index) => {
      if (activity.fixed !== null || !possibleDurations(activity).includes(0)) return;
      const own = activity.slots.map((_, slot) => choices.get(`${index}.${slot}`)!);
      own.forEach((first, at) => {
        for (const second of own.slice(at + 1))
          first.classes.forEach((unitClass, position) => {
            const other = second.classes.indexOf(unitClass);
            if (other === -1) return;
            const literals = [first.literals[position]!, second.literals[other]!];
            this.builder.notAll(literals.filter((literal) => literal !== null));
          });
      });
    });
  }

  #choose(family: Family): Choice {
    const classes = [...new Set(family.units.map((unit) => this.#classOf[unit]!))];
    if (classes.length === 1) return { classes, literals: [null] };
    const [{ activity, slot }] = family.members as [Member];
    const hinted = this.#classOf[this.hint.units[activity]![slot]!]!;
    return { classes, literals: this.builder.choice(classes.length, classes.indexOf(hinted)) };
  }

  #addDurations(family: Family, { classes, literals }: Choice): void {
    for (const { activity, slot } of family.members) {
      const { slots, fixed } = this.problem.activities[activity]!;
      const { units, durations } = slots[slot]!;
      if (durations === undefined || fixed !== null || new Set(durations).size === 1) continue;
      classes.forEach((unitClass, at) => {
        const unit = family.units.find((candidate) => this.#classOf[candidate] === unitClass)!;
        const ticks = durations[units.indexOf(unit)]!;
        const [start, end] = [this.#starts[activity]!, this.#ends[activity]!];
        this.builder.distance(start, end, ticks, ticks, literals[at]);
      });
    }
  }

  /** Within a family: one activity at a time, and no stranger uses a unit that is kept for members. */
  #addSharing({ members, guestOf }: Family): void {
    if (members.length < 2) return;
    const { ancestors } = this.timing;
    const isFixed = ({ activity }: Member): boolean => this.problem.activities[activity]!.fixed !== null;
    const inOrder = (a: Member, b: Member): boolean =>
      (isFixed(a) && isFixed(b)) ||
      ancestors(a.activity).has(b.activity) ||
      ancestors(b.activity).has(a.activity);
    const own = new Map(members.map((member) => [member, this.#ownInterval(member)]));
    if (members.some((a, at) => members.slice(at + 1).some((b) => !inOrder(a, b))))
      this.builder.share(
        [...own.values()].flatMap((interval) => interval ?? []),
        1,
      );
    for (const keeper of members) {
      if (keeper.keeps.length === 0) continue;
      const strangers = members.filter(
        (member) =>
          member !== keeper &&
          !guestOf(member, keeper) &&
          !(isFixed(member) && isFixed(keeper)) &&
          !ancestors(keeper.activity).has(member.activity),
      );
      if (strangers.length === 0) continue;
      const kept = this.#stretch({ first: keeper, until: [...new Set([keeper.activity, ...keeper.keeps])] });
      if (kept === null) continue;
      const interval = this.builder.interval(kept, null);
      for (const stranger of strangers) {
        const visit = own.get(stranger);
        if (visit != null) this.builder.share([interval, visit], 1);
      }
    }
  }

  #ownInterval({ activity }: Member): number | null {
    const stretch = this.#stretchTo(activity, this.#ends[activity]!, this.hint.ends[activity]!);
    return stretch === null ? null : this.builder.interval(stretch, null);
  }

  /** @returns null when it ends before 0 */
  #stretch({ first, until }: Pick<Occupancy, 'first' | 'until'>): Stretch | null {
    const hinted = Math.max(...until.map((activity) => this.hint.ends[activity]!));
    const [last] = until;
    if (until.length === 1) return this.#stretchTo(first.activity, this.#ends[last!]!, hinted);
    const { activities } = this.problem;
    const { heads, durations } = this.timing;
    const least = Math.max(0, ...until.map((activity) => heads[activity]! + durations[activity]!));
    const most = Math.max(...until.map((activity) => this.#latest[activities[activity]!.run]!));
    const end = this.builder.expression(least, Math.max(least, most), Math.max(least, hinted));
    for (const activity of until) this.builder.distance(this.#ends[activity]!, end, 0, null);
    return this.#stretchTo(first.activity, end, Math.max(least, hinted));
  }

  #stretchTo(first: number, end: CpExpression, hintedEnd: number): Stretch | null {
    // Times before 0 are not compared: the overlap happened.
    const begun = this.problem.activities[first]!.fixed !== null;
    const start = begun ? constant(Math.max(0, this.#starts[first]!.offset)) : this.#starts[first]!;
    if (end.vars.length === 0 && start.vars.length === 0)
      return end.offset <= Math.max(0, start.offset)
        ? null
        : { start, size: constant(end.offset - start.offset), end };
    if (end.vars[0] === start.vars[0]) return { start, size: constant(end.offset - start.offset), end };
    const hintedStart = begun ? start.offset : this.hint.starts[first]!;
    const most = Math.max(...this.#latest);
    return { start, size: this.builder.expression(0, Math.max(0, most), hintedEnd - hintedStart), end };
  }

  #addPrecedences(): void {
    const { activities } = this.problem;
    activities.forEach((activity, index) => {
      if (activity.fixed !== null) return;
      const start = this.#starts[index]!;
      // After fixed activities, `maxLag` and `follows` are wishes, and the earliest start includes the minimum lag.
      for (const { activity: before, minLag, maxLag } of activity.predecessors)
        if (activities[before]!.fixed === null)
          this.builder.distance(this.#ends[before]!, start, minLag, maxLag);
      const { follows } = activity;
      if (follows !== null && activities[follows]!.fixed === null)
        this.builder.distance(this.#ends[follows]!, start, 0, 0);
    });
  }

  #addObjective(): void {
    const { runs, activities, makespanWeight } = this.problem;
    const { completions } = this.timing;
    const hinted = runs.map(() => 0);
    activities.forEach(({ run }, index) => (hinted[run] = Math.max(hinted[run]!, this.hint.ends[index]!)));
    const objective = this.builder.proto.objective;
    const add = (expression: CpExpression, weight: number): void => {
      const scaled = Math.floor(weight * this.#scale + 1e-9);
      if (scaled === 0) return;
      objective.vars.push(...expression.vars);
      objective.coeffs.push(...expression.vars.map(() => scaled));
      objective.offset += scaled * expression.offset;
    };
    const waited = new Set(
      activities.flatMap((activity) =>
        edgesInto(activity).flatMap(({ before, lag }) =>
          activity.fixed === null && lag >= 0 && activities[before]!.run === activity.run ? [before] : [],
        ),
      ),
    );
    const ends = runs.map((_, run) =>
      this.builder.expression(
        completions[run]!,
        Math.max(completions[run]!, this.#latest[run]!),
        hinted[run]!,
      ),
    );
    activities.forEach((activity, index) => {
      if (activity.fixed === null && !waited.has(index))
        this.builder.distance(this.#ends[index]!, ends[activity.run]!, 0, null);
    });
    ends.forEach((end, run) => add(end, runs[run]!.weight));
    if (makespanWeight > 0) {
      const least = Math.max(0, ...completions);
      const makespan = this.builder.expression(
        least,
        Math.max(least, ...this.#latest),
        Math.max(0, ...hinted),
      );
      for (const end of ends) this.builder.distance(end, makespan, 0, null);
      add(makespan, makespanWeight);
    }
  }

  #scheduleFrom({ solution }: CpResponse): Schedule | null {
    if (solution.length === 0) return null;
    const value = ({ vars, coeffs, offset }: CpExpression): number =>
      vars.reduce((sum, variable, at) => sum + coeffs[at]! * Number(solution[variable]), offset);
    const starts = this.#starts.map(value);
    const ends = this.#ends.map(value);
    const units = dealUnits({
      problem: this.problem,
      families: this.#families,
      classOf: this.#classOf,
      chosen: this.#choices.map(({ classes, literals }) => {
        const at = literals.findIndex((literal) => literal === null || Number(solution[literal]) === 1);
        return classes[at]!;
      }),
      starts,
      ends,
      wished: this.hint.units,
    });
    return { starts, ends, units, objective: objectiveOf(this.problem, ends).total };
  }

  #lowerBoundFrom({ bestObjectiveBound, status }: CpResponse): number {
    if (status === 'INFEASIBLE' || status === 'MODEL_INVALID' || !Number.isFinite(bestObjectiveBound))
      return 0;
    // Weights were rounded down, and an integral objective has an integral bound.
    const bound = bestObjectiveBound / this.#scale;
    return Math.max(0, this.#whole ? Math.ceil(bound - 1e-6 * Math.max(1, Math.abs(bound))) : bound - 1e-6);
  }
}

/** The latest end of each run that the objective of the hint allows if all others end as early as possible. */
function latestEnds(problem: Problem, { completions }: Timing, hint: Schedule): number[] {
  const { runs, makespanWeight, activities } = problem;
  const least = runs.reduce((sum, { weight }, run) => sum + weight * completions[run]!, 0);
  const slack = hint.objective - least;
  // A schedule without idle time ends by then.
  let longest = Math.max(0, ...hint.ends);
  for (const activity of activities) {
    const lags = activity.predecessors.map(({ minLag }) => minLag);
    longest += Math.max(...possibleDurations(activity)) + Math.max(0, activity.release, ...lags);
  }
  return runs.map(({ weight }, run) => {
    const price = weight + makespanWeight;
    const spent = slack + weight * completions[run]!;
    return price > 0 ? Math.min(longest, Math.floor(spent / price + 1e-9)) : longest;
  });
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
