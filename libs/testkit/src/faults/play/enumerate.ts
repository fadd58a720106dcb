import type { Violation } from '../../invariants/index.js';
import { diceOf } from '../plan/chance.js';
import type { PointAction, Side } from '../surroundings/fault-points.js';
import { exempt, pointList, sides } from './point-list.js';
import { scenarios } from '../plan/scenarios.js';
import type { Fault, Schedule } from '../plan/schedule.js';
import { simulate } from './simulate.js';

const actions: readonly PointAction[] = ['kill', 'stop', 'disconnect'];

/** One scenario with one process lost at one fault point. */
export interface Trial {
  scenario: string;
  point: string;
  side: Side;
  /** The process is lost when the point is reached for the n-th time, from 1. */
  n: number;
  action: PointAction;
  ms: number;
}

export interface Coverage {
  /** Number of scenarios that reach each point, by `<side> <point>`. */
  points: Map<string, number>;
  /** Points that no scenario reaches and that are not exempt. */
  uncovered: string[];
  /** Points that are reached but not listed in point-list.ts. */
  unlisted: string[];
  trials: Trial[];
}

/**
 * Finds the points that the scenarios reach, and makes the trials for each.
 *
 * @param depth number of trials for each point and action, spread over scenarios and occurrences
 */
export async function plan(depth: number): Promise<Coverage> {
  const points = new Map<string, number>();
  for (const point of pointList())
    if (exempt[point] === undefined) for (const side of sides) points.set(`${side} ${point}`, 0);
  const reachedIn = new Map<string, Pick<Trial, 'scenario' | 'n'>[]>();
  const unlisted = new Set<string>();
  for (const [scenario, schedule] of Object.entries(scenarios)) {
    const { reached } = await simulate(schedule);
    for (const [name, count] of reached) {
      const known = points.get(name);
      const [, side = '', point = ''] = /^(\S+) (.*)$/.exec(name) ?? [];
      if (known === undefined) {
        if (exempt[point] === undefined) unlisted.add(`${side} ${point}`);
        continue;
      }
      points.set(name, known + 1);
      const times = reachedIn.get(name) ?? [];
      for (const n of new Set([1, Math.ceil(count / 2), count])) times.push({ scenario, n });
      reachedIn.set(name, times);
    }
  }
  const uncovered = [...points].flatMap(([name, count]) => (count === 0 ? [name] : []));
  const trials = [...reachedIn].flatMap(([name, times]) => trialsOf(name, spreadOver(times, depth)));
  return { points, uncovered, unlisted: [...unlisted], trials };
}

/** At most `most` items, spread evenly from first to last. */
function spreadOver<Item>(items: readonly Item[], most: number): Item[] {
  if (items.length <= most) return [...items];
  return Array.from({ length: most }, (_, n) => items[Math.floor((n * items.length) / most)]).filter(
    (item) => item !== undefined,
  );
}

function trialsOf(name: string, times: readonly Pick<Trial, 'scenario' | 'n'>[]): Trial[] {
  const side = name.startsWith('before ') ? 'before' : 'after';
  const point = name.slice(side.length + 1);
  return times.flatMap(({ scenario, n }, index) =>
    actions.map((action): Trial => {
      const dice = diceOf(index, `${name} ${action}`, n);
      return { scenario, point, side, n, action, ms: Math.round(500 + 19_500 * dice * dice) };
    }),
  );
}

/** The schedule of a trial. */
export function scheduleOfTrial({ scenario, point, side, n, action, ms }: Trial): Schedule {
  const schedule = scenarios[scenario];
  if (schedule === undefined) throw new Error(`there is no scenario "${scenario}"`);
  const fault: Fault = { kind: 'point', point, side, n, action, ms };
  return { ...schedule, faults: [...schedule.faults, fault] };
}

/** Plays a trial. @returns the invariants that it broke */
export async function play(trial: Trial): Promise<Violation[]> {
  return (await simulate(scheduleOfTrial(trial))).violations;
}
