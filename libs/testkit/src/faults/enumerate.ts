import type { Violation } from './checker.js';
import { diceOf } from './chance.js';
import type { PointAction, Side } from './fault-points.js';
import { exempt, pointList, sides } from './point-list.js';
import { scenarios } from './scenarios.js';
import type { Fault, Schedule } from './schedule.js';
import { simulate } from './simulate.js';

const actions: readonly PointAction[] = ['kill', 'stop', 'disconnect'];

/** One play of a scenario with a process lost at one point. */
export interface Trial {
  scenario: string;
  point: string;
  side: Side;
  /** At which time of reaching it, from 1. */
  n: number;
  action: PointAction;
  ms: number;
}

export interface Coverage {
  /** Every point with its side, and in how many scenarios it is reached. */
  points: Map<string, number>;
  /** Of those, the ones that are reached nowhere and not exempt. */
  uncovered: string[];
  /** Points that are reached and in no list: a source was forgotten. */
  unlisted: string[];
  trials: Trial[];
}

/** Finds out which points the scenarios reach, and what is to be tried at each. */
export async function plan(): Promise<Coverage> {
  const points = new Map<string, number>();
  for (const point of pointList())
    if (exempt[point] === undefined) for (const side of sides) points.set(`${side} ${point}`, 0);
  const trials: Trial[] = [];
  const unlisted = new Set<string>();
  for (const [scenario, schedule] of Object.entries(scenarios)) {
    const { reached } = await simulate(schedule);
    for (const [name, count] of reached) {
      const side = name.slice(0, name.indexOf(' ')) as Side;
      const point = name.slice(side.length + 1);
      const known = points.get(name);
      if (known === undefined) {
        if (exempt[point] === undefined) unlisted.add(name);
        continue;
      }
      points.set(name, known + 1);
      for (const n of new Set([1, Math.ceil(count / 2)]))
        for (const action of actions) {
          const dice = diceOf(trials.length, name, n);
          trials.push({ scenario, point, side, n, action, ms: Math.round(500 + 19_500 * dice * dice) });
        }
    }
  }
  const uncovered = [...points].flatMap(([name, count]) => (count === 0 ? [name] : []));
  return { points, uncovered, unlisted: [...unlisted], trials };
}

/** The schedule of a trial. */
export function scheduleOfTrial({ scenario, point, side, n, action, ms }: Trial): Schedule {
  const schedule = scenarios[scenario];
  if (schedule === undefined) throw new Error(`there is no scenario "${scenario}"`);
  const fault: Fault = { kind: 'point', point, side, n, action, ms };
  return { ...schedule, faults: [...schedule.faults, fault] };
}

/** Plays a trial. @returns what it broke */
export async function play(trial: Trial): Promise<Violation[]> {
  return (await simulate(scheduleOfTrial(trial))).violations;
}
