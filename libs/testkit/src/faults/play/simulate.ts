import type { Violation } from '../../invariants/index.js';
import { check } from '../verdict/checker.js';
import { endOfFaults, injectFaults } from './inject.js';
import type { Schedule } from '../plan/schedule.js';
import { World } from './world.js';

/** Until everything is up, in milliseconds. */
const bootMs = 3_000;
/** The longest that anything may take once the faults have stopped, in milliseconds. */
const quiesceMs = 60_000;
/** Whether all is quiet is looked at this often, in milliseconds. */
const stepMs = 500;
/** How often people settle what is asked of them before it counts as endless. */
const rounds = 40;
/** The longest that an orderly stop of the agents takes, in milliseconds. */
const stopMs = 60_000;

export interface Outcome {
  violations: Violation[];
  /** One line per thing that happened, oldest first. */
  lines: readonly string[];
  /** How much happened. */
  events: number;
  /** Fault points that were reached, `<side> <point>`, each with how often. */
  reached: ReadonlyMap<string, number>;
}

/** Plays a schedule to its end and checks everything. The same schedule gives the same outcome, to the letter. */
export async function simulate(schedule: Schedule, prepare?: (world: World) => void): Promise<Outcome> {
  const world = new World(schedule);
  prepare?.(world);
  const { time, history, people } = world;
  world.boot();
  await time.advance(bootMs);
  const from = time.now();
  injectFaults(world, from);
  let last = endOfFaults(schedule.faults);
  for (const act of schedule.acts) {
    last = Math.max(last, act.at);
    time.after(act.at, () => people.act(act));
  }
  await time.advanceTo(from + last);
  history.note('the faults are over');
  await untilQuiet(world, () => isQuiet(world) || people.asked);
  const late: string[] = [];
  if (!people.asked) late.push(...people.unfinished());
  for (let round = 0; round < rounds && (!isQuiet(world) || people.asked); round += 1) {
    const asked = people.asked;
    people.settle();
    await untilQuiet(world, () => (people.asked ? !people.waiting : isQuiet(world)));
    // Nothing was asked and nothing has come of waiting: more of it would not help.
    if (!asked && !people.asked) break;
  }
  history.note('people have settled what was asked');
  const unfinished = people.unfinished();
  const leftovers = await close(world);
  return {
    violations: check(history, { late, unfinished, leftovers }),
    lines: history.lines,
    events: time.steps,
    reached: world.points.reached,
  };
}

async function untilQuiet(world: World, quiet: () => boolean): Promise<void> {
  const end = world.time.now() + quiesceMs;
  do await world.time.advance(stepMs);
  while (!quiet() && world.time.now() < end);
}

/** Everything is over, acknowledged and put away, and every process is there. */
function isQuiet(world: World): boolean {
  if (world.people.waiting || world.people.unfinished().length > 0) return false;
  for (const { agent, spool } of world.computers.values())
    if (agent === undefined || agent.trouble !== undefined || agent.attempts().length > 0 || spool.size > 0)
      return false;
  return true;
}

/** Stops everything in order. @returns what is left though nothing may be */
async function close(world: World): Promise<string[]> {
  const { time, computers, orchestrators } = world;
  world.open = false;
  const left: string[] = [];
  let stopping = 0;
  for (const { name, agent, life } of computers.values()) {
    if (agent === undefined) {
      left.push(`${name} has no agent`);
      continue;
    }
    stopping += 1;
    const stopped = (): void => void (stopping -= 1);
    // One that dies while it stops has stopped as well.
    void Promise.race([
      agent.stop('the laboratory closes'),
      new Promise<void>((resolve) => life?.onEnd(resolve)),
    ]).then(stopped);
  }
  for (let waited = 0; stopping > 0 && waited < stopMs; waited += stepMs) await time.advance(stepMs);
  for (const { name, children, spool, disk } of computers.values()) {
    for (const child of children?.all ?? []) left.push(`${child.kind} process ${child.name} of ${name}`);
    for (const path of spool.keys()) left.push(`${path} in the spool of ${name}`);
    left.push(...(await disk.open()).map((what) => `${what} in the ledger of ${name}`));
  }
  for (const { engine } of orchestrators.values()) void engine?.stop();
  await time.advance(stepMs);
  return left;
}
