import type { Violation } from '../../invariants/index.js';
import { check } from '../verdict/checker.js';
import { endOfFaults, injectFaults } from './inject.js';
import type { Schedule } from '../plan/schedule.js';
import { World } from './world.js';

/** Time for all processes to start, in milliseconds. */
const bootMs = 3_000;
/** All work must be over this long after the last fault, in milliseconds (I4). */
const quiesceMs = 60_000;
/** The simulation checks this often whether all is quiet, in milliseconds. */
const stepMs = 500;
/** After this many rounds of questions to people the simulation gives up. */
const rounds = 40;
/** Longest orderly stop of the agents, in milliseconds. */
const stopMs = 60_000;

export interface Outcome {
  violations: Violation[];
  /** The trace, oldest line first. */
  lines: readonly string[];
  /** Number of alarms of the clock. */
  events: number;
  /** Fault points that were reached, `<side> <point>`, each with how often. */
  reached: ReadonlyMap<string, number>;
}

/** Plays a schedule to its end and judges it. The same schedule always gives the same trace.
 *
 * @param prepare changes the world before it starts, for example to break an invariant on purpose */
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
    // Nothing was asked, and waiting changed nothing: further rounds would not help.
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

/** All work is over, results are acknowledged, calls are stored, spools are empty, and every agent runs. */
function isQuiet(world: World): boolean {
  if (world.people.waiting || world.people.unfinished().length > 0) return false;
  for (const { agent, spool } of world.computers.values()) {
    if (agent === undefined || agent.trouble !== undefined) return false;
    if (agent.attempts().length > 0 || agent.undelivered > 0 || spool.size > 0) return false;
  }
  return true;
}

/** Stops everything in order. @returns what is left although nothing should be */
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
    // An agent that dies while it stops counts as stopped.
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
  left.push(...unrecorded(world));
  for (const { engine } of orchestrators.values()) void engine?.stop();
  await time.advance(stepMs);
  return left;
}

/** Motions without a stored record, and records without an end, although every agent has delivered what it knows. */
function unrecorded({ history }: World): string[] {
  const { effects, instruments } = history;
  const motions = [...instruments].flatMap(([device, log]) =>
    log
      .filter(({ what, tag }) => what === 'begin' && !effects.has(tag))
      .map(({ tag }) => `the motion ${tag} of ${device} without a record`),
  );
  const endless = [...effects].filter(([, state]) => state === 'running');
  return [...motions, ...endless.map(([tag]) => `the record of the call ${tag} without an end`)];
}
