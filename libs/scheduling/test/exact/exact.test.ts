import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { problemWithWitness } from '../problem-with-witness.js';
import { checkSchedule } from '../../src/check-schedule.js';
import { objectiveOf, type Activity, type Problem } from '../../src/problem/problem.js';
import { cpModelOf } from '../../src/exact/cp-model.js';
import type { CpExpression, CpModelProto } from '../../src/exact/cp-model-proto.js';
import { lowerBound } from '../../src/exact/lower-bound.js';

const random = fc.record({
  seed: fc.nat(1_000_000),
  activities: fc.integer({ min: 1, max: 24 }),
  moment: fc.constantFrom(0, 0, 8, 20),
});

/** The constraints of a model that values of its variables violate, read from the model alone. */
function violations({ variables, constraints }: CpModelProto, values: readonly number[]): string[] {
  const value = ({ vars, coeffs, offset }: CpExpression): number =>
    vars.reduce((sum, variable, at) => sum + coeffs[at]! * values[variable]!, offset);
  const holds = (literal: number): boolean => values[literal] === 1;
  const inDomain = (number: number, [least, most]: readonly number[]): boolean =>
    number >= least! && number <= most!;
  const present = (indexes: readonly number[]): { start: number; end: number }[] =>
    indexes.flatMap((index) => {
      const { enforcementLiteral = [], interval } = constraints[index]!;
      return enforcementLiteral.every(holds)
        ? [{ start: value(interval!.start), end: value(interval!.end) }]
        : [];
    });
  const faults = variables.flatMap(({ domain }, index) =>
    inDomain(values[index]!, domain)
      ? []
      : [`variable ${index}: ${values[index]} is not in ${domain.join('..')}`],
  );
  constraints.forEach(({ enforcementLiteral = [], ...constraint }, index) => {
    const fail = (kind: string): void => void faults.push(`constraint ${index}: ${kind}`);
    if (!enforcementLiteral.every(holds)) return;
    const { interval, linear, exactlyOne, noOverlap, cumulative } = constraint;
    if (interval !== undefined) {
      const size = value(interval.size);
      if (size < 0 || value(interval.start) + size !== value(interval.end)) fail('interval');
    }
    if (linear !== undefined && !inDomain(value({ ...linear, offset: 0 }), linear.domain)) fail('linear');
    if (exactlyOne !== undefined && exactlyOne.literals.filter(holds).length !== 1) fail('exactlyOne');
    if (noOverlap !== undefined) {
      const own = present(noOverlap.intervals);
      own.forEach((a, at) =>
        own.slice(at + 1).forEach((b) => {
          if (a.start < b.end && b.start < a.end) fail('noOverlap');
        }),
      );
    }
    if (cumulative !== undefined) {
      const own = present(cumulative.intervals);
      const capacity = value(cumulative.capacity);
      for (const { start } of own)
        if (own.filter((other) => other.start <= start && other.end > start).length > capacity)
          fail('cumulative');
    }
  });
  return faults;
}

const activity = (duration: number, units: number[], more: Partial<Activity> = {}): Activity => ({
  run: 0,
  duration,
  release: 0,
  predecessors: [],
  follows: null,
  slots: [{ units, sameAs: null, keptUntil: [] }],
  fixed: null,
  ...more,
});

describe('the model of a problem', () => {
  it('admits every schedule that is no worse than the hint, and contains a complete hint', () => {
    fc.assert(
      fc.property(random, ({ seed, ...size }) => {
        const { problem, witness } = problemWithWitness(seed, size);
        const { proto } = cpModelOf(problem, witness);
        const { vars, values } = proto.solutionHint;
        expect(vars).toEqual(proto.variables.map((_, index) => index));
        expect(violations(proto, values)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('gives a schedule that passes the checker, whatever units the hint had', () => {
    fc.assert(
      fc.property(random, ({ seed, ...size }) => {
        const { problem, witness } = problemWithWitness(seed, size);
        const model = cpModelOf(problem, witness);
        const solution = model.proto.solutionHint.values;
        const schedule = model.scheduleFrom({ status: 'FEASIBLE', solution, bestObjectiveBound: 0 });
        expect(checkSchedule(problem, schedule!)).toEqual([]);
        expect(schedule!.objective).toBe(witness.objective);
        expect(schedule!.starts).toEqual(witness.starts);
      }),
      { numRuns: 500 },
    );
  });

  it('counts interchangeable units, and chooses only among different ones', () => {
    const pool = [0, 1, 2];
    const alike: Problem = {
      activities: [activity(5, pool), activity(5, pool), activity(5, pool), activity(5, pool)],
      units: 3,
      runs: [{ weight: 1 }],
      makespanWeight: 0,
    };
    const hint = {
      starts: [0, 0, 0, 5],
      ends: [5, 5, 5, 10],
      units: [[0], [1], [2], [0]],
      objective: 10,
    };
    const counted = cpModelOf(alike, hint).proto.constraints;
    expect(counted.filter(({ cumulative }) => cumulative !== undefined)).toHaveLength(1);
    expect(counted.some(({ exactlyOne }) => exactlyOne !== undefined)).toBe(false);

    const slower = [{ units: pool, durations: [5, 5, 9], sameAs: null, keptUntil: [] }];
    const different = {
      ...alike,
      activities: [{ ...alike.activities[0]!, slots: slower }, ...alike.activities.slice(1)],
    };
    const chosen = cpModelOf(different, hint).proto.constraints;
    expect(chosen.filter(({ exactlyOne }) => exactlyOne !== undefined).length).toBeGreaterThan(0);
  });

  it('makes one interval of a unit that passes along a chain', () => {
    const chain = [0, 1, 2, 3].map((index) =>
      activity(5, [0, 1], {
        predecessors: index === 0 ? [] : [{ activity: index - 1, minLag: 0, maxLag: null }],
        slots: [
          {
            units: [0, 1],
            sameAs: index === 0 ? null : { activity: index - 1, slot: 0 },
            keptUntil: index === 3 ? [] : [index + 1],
          },
        ],
      }),
    );
    const problem: Problem = { activities: chain, units: 2, runs: [{ weight: 1 }], makespanWeight: 1 };
    const starts = [0, 5, 10, 15];
    const ends = [5, 10, 15, 20];
    const hint = { starts, ends, units: chain.map(() => [1]), objective: 40 };
    const { constraints } = cpModelOf(problem, hint).proto;
    expect(constraints.filter(({ interval }) => interval !== undefined)).toHaveLength(1 + chain.length);
  });

  it('converts a bound to the unit of the objective, rounded up where the objective is whole', () => {
    const problem: Problem = {
      activities: [activity(5, [0])],
      units: 1,
      runs: [{ weight: 6 }],
      makespanWeight: 4,
    };
    const hint = { starts: [0], ends: [5], units: [[0]], objective: 50 };
    const response = { status: 'FEASIBLE', solution: [], bestObjectiveBound: 24.4 } as const;
    // Weights of 6 and 4 are 3 and 2 in the model.
    expect(cpModelOf(problem, hint).lowerBoundFrom(response)).toBe(49);
    expect(cpModelOf(problem, hint).scheduleFrom(response)).toBeNull();
  });

  it('refuses circular precedences', () => {
    const after = (other: number) => [{ activity: other, minLag: 0, maxLag: null }];
    const problem: Problem = {
      activities: [
        activity(1, [0], { predecessors: after(1) }),
        activity(1, [0], { predecessors: after(0) }),
      ],
      units: 1,
      runs: [{ weight: 1 }],
      makespanWeight: 1,
    };
    const hint = { starts: [0, 1], ends: [1, 2], units: [[0], [0]], objective: 4 };
    expect(() => cpModelOf(problem, hint)).toThrow(RangeError);
  });
});

describe('the lower bound', () => {
  it('is below the objective of every schedule', () => {
    fc.assert(
      fc.property(random, ({ seed, ...size }) => {
        const { problem, witness } = problemWithWitness(seed, size);
        expect(lowerBound(problem)).toBeLessThanOrEqual(witness.objective);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is the optimum of one machine without releases, whatever the weights', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ duration: fc.integer({ min: 1, max: 20 }), weight: fc.nat(9) }), {
          minLength: 1,
          maxLength: 12,
        }),
        (jobs) => {
          const problem: Problem = {
            activities: jobs.map(({ duration }, run) => activity(duration, [0], { run })),
            units: 1,
            runs: jobs,
            makespanWeight: 3,
          };
          // Smith's rule.
          const order = [...jobs.keys()].sort(
            (a, b) => jobs[b]!.weight * jobs[a]!.duration - jobs[a]!.weight * jobs[b]!.duration,
          );
          const ends: number[] = [];
          let now = 0;
          for (const job of order) ends[job] = now += jobs[job]!.duration;
          expect(lowerBound(problem)).toBe(objectiveOf(problem, ends).total);
        },
      ),
    );
  });

  it('adds up independent runs', () => {
    const busy = (unit: number, run: number) => activity(10, [unit], { run });
    const problem: Problem = {
      activities: [busy(0, 0), busy(0, 1), busy(1, 2), busy(1, 3)],
      units: 2,
      runs: [{ weight: 1 }, { weight: 1 }, { weight: 2 }, { weight: 2 }],
      makespanWeight: 5,
    };
    expect(lowerBound(problem)).toBe(10 + 20 + 2 * 10 + 2 * 20 + 5 * 20);
  });
});
