import { expect } from 'vitest';
import { checkPlan } from '../src/check-plan.js';
import { checkTimetable } from '../src/check-timetable.js';
import { inlineSearcher } from '../src/cpsat/inline-searcher.js';
import { CpsatPolicy, type CpsatKnobs } from '../src/cpsat/policy.js';
import type { Clock } from '@lab/ports';
import type { ExactSolver, Searcher } from '../src/cpsat/ports.js';
import type { Plan, Snapshot } from '../src/policy.js';
import { origin } from './snapshots.js';

export const usual: CpsatKnobs = { time_limit: 5, seed: 1, resolution: 0.1, frozen_window: 30 };

export interface World {
  policy: CpsatPolicy;
  /** Every log message above the level of information. */
  said: string[];
  asked: () => number;
  /** One call of the policy. */
  plan: (snapshot: Snapshot) => Plan;
  /**
   * Calls the policy with the same snapshot as often as it asks for.
   *
   * @returns the last plan, and the starts of each plan
   */
  planAll: (snapshot: Snapshot) => { plan: Plan; starts: string[][] };
}

export function world(
  ports: { searcher?: Searcher | null; exact?: ExactSolver | null; clock?: Clock } = {},
  knobs: Partial<CpsatKnobs> = {},
): World {
  const said: string[] = [];
  let asked = 0;
  const say = (message: string, fields: unknown = {}): void =>
    void said.push(`${message} ${JSON.stringify(fields)}`);
  const policy = new CpsatPolicy(
    {
      clock: ports.clock ?? { now: () => origin },
      searcher: ports.searcher === undefined ? inlineSearcher({ rounds: 40 }) : ports.searcher,
      exact: ports.exact ?? null,
      log: { info: () => undefined, warn: say, error: say },
    },
    { ...usual, ...knobs },
  );
  policy.begin(() => (asked += 1));
  const plan = (shot: Snapshot): Plan => {
    const made = policy.plan(shot);
    expect(checkPlan(shot, made)).toEqual([]);
    if (made.timetable?.madeAt === shot.now)
      expect(checkTimetable(shot, made.timetable, (knobs.resolution ?? usual.resolution) * 1_000)).toEqual(
        [],
      );
    return made;
  };
  const planAll = (shot: Snapshot): ReturnType<World['planAll']> => {
    const starts: string[][] = [];
    for (;;) {
      const made = plan(shot);
      starts.push(started(made));
      if (made.wakeAt !== shot.now + 1) return { plan: made, starts };
      expect(starts.length).toBeLessThan(100);
    }
  };
  return { policy, said, asked: () => asked, plan, planAll };
}

export const started = (plan: Plan): string[] => plan.assignments.map((each) => each.task).sort();
export const unitsOf = (plan: Plan, id: string): Record<string, string> | undefined =>
  plan.assignments.find((each) => each.task === id)?.units;
export const startOf = (plan: Plan, id: string): number | undefined => {
  const place = plan.timetable?.tasks.find((each) => each.task === id);
  return place === undefined ? undefined : (place.start - origin) / 1_000;
};
export const whyNot = (plan: Plan, id: string): string | undefined =>
  plan.timetable?.unplanned.find((each) => each.task === id)?.reason;
