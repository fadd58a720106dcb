import { isBeingUpdated, isUntouched, mayBeginUpdates, type RolloutStepState } from '@lab/contracts';
import type { RolloutRow, RolloutStepRow } from '../rows/index.js';

/**
 * The state machine of a rollout. It is pure: it sees the present state of the computers, and returns the rollout as it
 * must be now. It is asked again at each turn, so it needs no memory of its own: a new leader goes on from the row.
 */

/** A computer of a rollout as it is now. Each field may be a getter, because most are asked for few computers only. */
export interface ComputerNow {
  /** Undefined: it is not heard. */
  agent:
    | {
        inc: number;
        version: string;
        /** Why it takes no update from the service; null: it does. */
        refusal: string | null;
        /** The version that failed last on this computer. */
        failed: { version: string; why: string } | null;
      }
    | undefined;
  /** Whether its agent may be asked now; false: it said a moment ago that it may not be. */
  mayBeAsked: boolean;
  /** Why nothing may be begun there, in words: a person drains it, or an emergency stop; null: it may. */
  barred: string | null;
  /** Tasks that run there or use a device of it, and devices that move. */
  users: readonly string[];
  /** Runs that keep a device of it between two tasks. */
  keepers: readonly string[];
  /** The devices of loaded laboratories on it, as `<lab>.<device>`, each with what is wrong; null: it is usable. */
  devices: ReadonlyMap<string, string | null>;
}

/** An open attention item. */
export interface ItemNow {
  /** Computers that it is about. */
  computers: readonly string[];
  openedAt: number;
  message: string;
}

export interface World {
  /** Milliseconds since 1970. */
  now: number;
  /** Since when this leader hears agents, in milliseconds since 1970. A silence before that proves nothing. */
  since: number;
  /** Whether every agent that is connected has been heard by now. */
  hasListened: boolean;
  computer(name: string): ComputerNow;
  items(): Iterable<ItemNow>;
}

/** Computers of a ring that are updated at once. */
export const atOnce = 3;

/** Longest time in a state, in milliseconds. */
export const limits: Partial<Record<RolloutStepState, number>> = {
  /** The fetch of the package, which the agent may have to repeat, and its files. */
  updating: 900_000,
  /** The stop of the agent, the trial of the version, the stop of one that does not serve, and the start of the one before. */
  restarting: 300_000,
  /** The start of the devices. */
  initializing: 300_000,
};

/** How long a ring waits for a computer that cannot be updated, before a person is asked, in milliseconds. */
const waitLimitMs = 86_400_000;

/** What changes at a computer with the rollout. */
export interface Act {
  act: 'drain' | 'release';
  computer: string;
}

/**
 * @param before the rollout as it is stored
 * @param row the same, or as a person or an answer has changed it
 * @returns the rollout as it must be now, `before` itself if nothing changes, and what to do in the same commit
 */
export function advance(before: RolloutRow, row: RolloutRow, world: World): { row: RolloutRow; acts: Act[] } {
  const { now } = world;
  const goesOn = mayBeginUpdates(row.state);
  let steps = row.steps.map((step) =>
    goesOn || isBeingUpdated(step.state) ? followed(step, row.version, world) : step,
  );
  let { state, halt, endedAt, endedBy } = row;
  const failureIn = (changed: readonly RolloutStepRow[]): RolloutRow['halt'] => {
    const isNew = (step: RolloutStepRow, index: number): boolean =>
      step.state === 'failed' &&
      !(row.steps[index]?.state === 'failed' && before.steps[index]?.state === 'failed');
    const found = changed.find(isNew);
    return found === undefined ? null : { computer: found.computer, reason: found.failure ?? '', at: now };
  };
  if (goesOn) {
    halt = failureIn(steps) ?? newsOf(row, steps, world);
    if (halt === null) {
      const begun = proceeded(row, steps, world);
      halt = failureIn(begun) ?? waitedTooLong(row, begun, world);
      steps = halt === null ? begun : begun.map((step, index) => unlessBegun(steps[index] ?? step, step));
    }
    if (halt !== null) state = 'halted';
    else if ((completionDue({ ...row, steps }) ?? Infinity) <= now)
      [state, endedAt, endedBy] = ['completed', now, 'service'];
  }
  if (!mayBeginUpdates(state))
    steps = steps.map((step) => (step.state === 'draining' ? into('waiting', step, now) : step));
  const isSame =
    row === before && state === row.state && steps.every((step, index) => step === row.steps[index]);
  if (isSame) return { row: before, acts: [] };
  const acts = steps.flatMap((step, index): Act[] => actsOf(before.steps[index]?.state ?? 'waiting', step));
  return { row: { ...row, state, halt, endedAt, endedBy, steps }, acts };
}

/** A halted rollout goes on, and what failed is tried again. */
export function resumed(row: RolloutRow, now: number): RolloutRow {
  const steps = row.steps.map((step) =>
    step.state === 'failed' ? { ...into('waiting', step, now), failure: null, askedAt: null } : step,
  );
  return { ...row, state: 'running', halt: null, resumedAt: now, steps };
}

/** Whether the rollout still touches a computer, or may do so. Then no other rollout may begin. */
export function isOpen({ state, steps }: RolloutRow): boolean {
  if (state === 'completed') return false;
  return state !== 'cancelled' || steps.some((step) => isBeingUpdated(step.state));
}

/** When the ring that has not been updated yet may begin, in milliseconds since 1970; null: all are updated. */
export function ringDue({ steps, settleMs, resumedAt }: RolloutRow): { ring: number; at: number } | null {
  const ring = Math.min(...steps.filter(({ state }) => state !== 'updated').map((step) => step.ring));
  if (ring === Infinity) return null;
  const before = steps.filter((step) => step.ring < ring).map(({ since }) => since);
  const at = before.length === 0 ? -Infinity : Math.max(...before, resumedAt ?? 0) + settleMs;
  return { ring, at };
}

/**
 * When the last ring has been watched for as long as those before it, in milliseconds since 1970; null: not all computers are
 * updated. Computers that ran the version before the rollout touched them need no watch.
 */
export function completionDue({ steps, settleMs, resumedAt }: RolloutRow): number | null {
  if (steps.some(({ state }) => state !== 'updated')) return null;
  const touched = steps.filter(({ askedAt }) => askedAt !== null).map(({ since }) => since);
  return touched.length === 0 ? -Infinity : Math.max(...touched, resumedAt ?? 0) + settleMs;
}

/**
 * The first moment after `since` at which the rollout has something to do, in milliseconds since 1970.
 *
 * @param heard since when this leader hears agents
 */
export function nextOf(row: RolloutRow, since: number, heard: number): number | undefined {
  const times = row.steps.flatMap((step) => {
    const limit = limits[step.state];
    return limit === undefined ? [] : [Math.max(step.since, heard) + limit];
  });
  if (mayBeginUpdates(row.state))
    times.push(ringDue(row)?.at ?? -Infinity, completionDue(row) ?? -Infinity, waitEnd(row));
  const coming = times.filter((at) => at > since);
  return coming.length === 0 ? undefined : Math.min(...coming);
}

/** A step of which the agent was asked, or whose agent has the version. It may leave the version again until the rollout ends. */
function followed(step: RolloutStepRow, version: string, world: World): RolloutStepRow {
  const { state, computer, inc } = step;
  if (state === 'failed') return step;
  const { now } = world;
  const { agent, devices } = world.computer(computer);
  const isNew = agent?.version === version;
  if (state === 'updated')
    return agent === undefined || isNew ? step : failed(step, cameBack(computer, agent, version), now);
  if (state === 'initializing') {
    if (agent !== undefined && !isNew) return failed(step, cameBack(computer, agent, version), now);
    const faults = step.usable.flatMap((key) => {
      const fault = devices.get(key);
      return fault == null ? [] : [`${key}: ${fault}`];
    });
    if (agent !== undefined && faults.length === 0) return into('updated', step, now);
    const why =
      agent === undefined
        ? 'its agent is not heard any more'
        : `${faults.join('; ')}, which was usable before`;
    return late(step, `${computer} runs version ${version}, but ${why}`, world);
  }
  if (isNew) return followed(into('initializing', step, now), version, world);
  if (!isBeingUpdated(state)) return step;
  if (agent !== undefined && agent.inc !== inc) return failed(step, cameBack(computer, agent, version), now);
  const still = agent === undefined ? 'did not come back' : 'has not updated itself';
  return late(step, `${computer} ${still} within ${(limits[state] ?? 0) / 1_000} s`, world);
}

function cameBack(
  computer: string,
  { version, failed: last }: NonNullable<ComputerNow['agent']>,
  wanted: string,
): string {
  const why = last?.version === wanted ? `: version ${wanted} failed there: ${last.why}` : '';
  return `${computer} came back with version ${version}${why}`;
}

/** What begins, or is asked, in the ring whose time has come. */
function proceeded(row: RolloutRow, steps: readonly RolloutStepRow[], world: World): RolloutStepRow[] {
  const { now } = world;
  const due = ringDue({ ...row, steps: [...steps] });
  if (due === null || due.at > now) return [...steps];
  let free = atOnce - steps.filter(({ state }) => !isUntouched(state)).length;
  return steps.map((step) => {
    const { computer, ring, state } = step;
    if (ring !== due.ring || (state !== 'waiting' && state !== 'draining')) return step;
    if (state === 'waiting' && free <= 0) return step;
    const there = world.computer(computer);
    if (there.agent === undefined && !world.hasListened) return step;
    if (there.agent?.refusal != null)
      return failed(step, `${computer} takes no update: ${there.agent.refusal}`, now);
    const mayBegin = whyNotBegun(there) === null;
    if (state === 'waiting') {
      if (!mayBegin) return step;
      free -= 1;
      return into('draining', step, now);
    }
    if (!mayBegin) return into('waiting', step, now);
    if (there.users.length > 0 || !there.mayBeAsked) return step;
    const usable = [...there.devices].flatMap(([key, fault]) => (fault === null ? [key] : []));
    return { ...into('updating', step, now), askedAt: now, inc: there.agent?.inc ?? null, usable };
  });
}

/** A computer of the present ring that could not be updated for so long that a person must decide. */
function waitedTooLong(row: RolloutRow, steps: readonly RolloutStepRow[], world: World): RolloutRow['halt'] {
  const { now } = world;
  if (!world.hasListened || now < waitEnd(row)) return null;
  const ring = ringDue(row)?.ring;
  for (const { computer, ring: own, state } of steps) {
    if (own !== ring || (state !== 'waiting' && state !== 'draining')) continue;
    const there = world.computer(computer);
    const why = whyNotBegun(there) ?? (there.users.length === 0 ? null : `${there.users.join(', ')} runs`);
    if (why === null) continue;
    const reason = `${computer} could not be updated for ${waitLimitMs / 3_600_000} h: ${why}`;
    return { computer, reason, at: now };
  }
  return null;
}

/** When the present ring has waited long enough, in milliseconds since 1970. */
function waitEnd(row: RolloutRow): number {
  return Math.max(row.at, row.resumedAt ?? 0, ringDue(row)?.at ?? 0) + waitLimitMs;
}

/** Why the computer is not drained now, in words; null: it may be. */
export function whyNotBegun({ agent, barred, keepers }: ComputerNow): string | null {
  if (agent === undefined) return 'its agent is not connected';
  if (barred !== null) return barred;
  return keepers.length === 0 ? null : `${keepers.join(', ')} keeps a device of it between two tasks`;
}

/** After a failure nothing else begins in the same turn. */
function unlessBegun(before: RolloutStepRow, after: RolloutStepRow): RolloutStepRow {
  return after.state === 'failed' ? after : before;
}

/** An attention item about a computer that was opened since the computer was asked to update. */
function newsOf(
  { resumedAt }: RolloutRow,
  steps: readonly RolloutStepRow[],
  { now, items }: World,
): RolloutRow['halt'] {
  const touched = new Map(
    steps.flatMap(({ state, computer, askedAt }) =>
      askedAt !== null && (state === 'updated' || isBeingUpdated(state)) ? [[computer, askedAt]] : [],
    ),
  );
  if (touched.size === 0) return null;
  for (const { computers, openedAt, message } of items()) {
    if (openedAt <= (resumedAt ?? -Infinity)) continue;
    const computer = computers.find((name) => openedAt >= (touched.get(name) ?? Infinity));
    if (computer === undefined) continue;
    const reason = `an attention item was opened about ${computer}, which was updated: ${message}`;
    return { computer, reason, at: now };
  }
  return null;
}

function into(state: RolloutStepState, step: RolloutStepRow, now: number): RolloutStepRow {
  return { ...step, state, since: now };
}

function failed(step: RolloutStepRow, failure: string, now: number): RolloutStepRow {
  return { ...into('failed', step, now), failure };
}

function late(step: RolloutStepRow, failure: string, { now, since }: World): RolloutStepRow {
  const limit = limits[step.state] ?? Infinity;
  return now - Math.max(step.since, since) >= limit ? failed(step, failure, now) : step;
}

/** The agent has answered. @returns the rollout unless the step is in another state by now */
export function answered(
  row: RolloutRow,
  { computer, inc }: { computer: string; inc: number },
  change: (step: RolloutStepRow) => RolloutStepRow,
): RolloutRow {
  const steps = row.steps.map((step) =>
    step.computer === computer && step.inc === inc && step.state === 'updating' ? change(step) : step,
  );
  return steps.every((step, index) => step === row.steps[index]) ? row : { ...row, steps };
}

/** The agent has unpacked the version and stops. */
export const placed = (step: RolloutStepRow, now: number): RolloutStepRow => into('restarting', step, now);
/** Something runs on the computer again. */
export const busy = (step: RolloutStepRow, now: number): RolloutStepRow => ({
  ...into('draining', step, now),
  askedAt: null,
});
/** The agent refuses. */
export const refused = (step: RolloutStepRow, why: string, now: number): RolloutStepRow =>
  failed(step, `${step.computer} refuses the update: ${why}`, now);

function actsOf(before: RolloutStepState, { computer, state }: RolloutStepRow): Act[] {
  if (state === 'draining' && isUntouched(before)) return [{ act: 'drain', computer }];
  return isUntouched(state) && !isUntouched(before) ? [{ act: 'release', computer }] : [];
}
