import {
  allLabs,
  isQueued,
  isTerminal,
  isUnclear,
  simulatedWaits,
  type SchedulerType,
  type SimulatedRunRecord,
  type SimulatedTaskRecord,
  type SimulatedUnitRecord,
  type SimulationRecord,
  type WaitCause,
  type SimulatedWait,
  type WaitingTimes,
} from '@lab/contracts';
import type { LabDefinition } from '@lab/definitions/model';
import { allocationKey, type TaskRunRow } from '@lab/engine';
import type { Laboratory, TaskHistory } from '../laboratory/index.js';
import { noWaiting, waitingOf } from './waiting.js';

/** Greatest number of stuck tasks in a record. */
const maxStuck = 100;

export interface RecordParts {
  outcome: SimulationRecord['outcome'];
  /** Milliseconds since 1970. */
  beginning: number;
  labs: readonly LabDefinition[];
  scheduler: SchedulerType;
  jitter: number;
  seed: number;
}

/** The record of a finished simulation. */
export function recordOf(laboratory: Laboratory, parts: RecordParts): SimulationRecord {
  const { history, store, policy, clock } = laboratory;
  const since = (at: number): number => Math.round(at - parts.beginning) / 1000;
  const tasks: SimulatedTaskRecord[] = [];
  const waiting = noWaiting();
  const byState: SimulationRecord['tasks_by_state'] = {};
  let first = Infinity;
  let last = -Infinity;
  let ran = 0;
  for (const task of history.tasks.values()) {
    const row = store.rows.taskRuns.get(task.id);
    if (row === undefined) continue;
    const waited = inSeconds(waitingOf(task, policy.slots.get(task.id), history.units, clock.now()));
    for (const cause of simulatedWaits) waiting[cause] += waited[cause];
    byState[row.state] = (byState[row.state] ?? 0) + 1;
    for (const { start, end } of task.spells) {
      first = Math.min(first, start);
      last = Math.max(last, end);
      ran += end - start;
    }
    tasks.push(taskRecord(task, row, waited, since));
  }
  const makespan = last > first ? (last - first) / 1000 : 0;
  return {
    scheduler: parts.scheduler,
    jitter: parts.jitter,
    seed: parts.seed,
    outcome: parts.outcome,
    makespan,
    end: last === -Infinity ? 0 : since(last),
    parallelism: { max: history.maxParallel, average: makespan === 0 ? 0 : round(ran / 1000 / makespan) },
    tasks_total: tasks.length,
    tasks_by_state: byState,
    waiting: rounded(waiting),
    protocol_runs: runRecords(laboratory, since),
    tasks,
    units: unitRecords(laboratory, parts.labs, makespan, since),
    stuck: parts.outcome === 'completed' ? [] : stuckTasks(laboratory),
    events: laboratory.happenings.map(({ at, ...event }) => ({ at: since(at), ...event })),
    planning: {
      plans: policy.plans,
      total_ms: round(policy.totalMs),
      max_ms: round(policy.maxMs),
    },
  };
}

function taskRecord(
  task: TaskHistory,
  row: TaskRunRow,
  waited: WaitingTimes,
  since: (at: number) => number,
): SimulatedTaskRecord {
  const spell = task.spells.at(-1);
  return {
    label: task.label,
    type: row.type,
    protocol_run: task.run,
    priority: row.priority,
    state: row.state,
    attempts: row.attempt,
    ready: task.readyAt === null ? null : since(task.readyAt),
    start: spell === undefined ? null : since(spell.start),
    end: spell === undefined || !spell.ended ? null : since(spell.end),
    devices: Object.fromEntries(
      Object.entries(row.devices).map(([slot, { lab_name, name }]) => [slot, `${lab_name}.${name}`]),
    ),
    resources: Object.fromEntries(Object.entries(row.resources).map(([slot, { name }]) => [slot, name])),
    waited,
  };
}

function runRecords({ store }: Laboratory, since: (at: number) => number): SimulatedRunRecord[] {
  const { protocolRuns, campaigns } = store.rows;
  const orNull = (at: number | null): number | null => (at === null ? null : since(at));
  return [...protocolRuns.values()].map((run) => ({
    name: run.name,
    type: run.type,
    campaign: run.campaignId === null ? null : (campaigns.get(run.campaignId)?.name ?? null),
    priority: run.priority,
    state: run.state,
    submitted: since(run.createdAt),
    start: orNull(run.startedAt),
    end: orNull(run.endedAt),
  }));
}

function unitRecords(
  { history }: Laboratory,
  labs: readonly LabDefinition[],
  makespan: number,
  since: (at: number) => number,
): SimulatedUnitRecord[] {
  const units = labs.flatMap((lab) => [
    ...Object.keys(lab.devices).map((name) => ({ kind: 'device' as const, name: `${lab.name}.${name}` })),
    ...Object.keys(lab.resources).map((name) => ({ kind: 'resource' as const, name })),
  ]);
  units.sort((a, b) => order(a.kind, b.kind) || order(a.name, b.name));
  return units.map(({ kind, name }) => {
    const spells = history.units.get(allocationKey(kind, name)) ?? [];
    const total = (what: string): number =>
      spells.reduce((sum, spell) => (spell.what === what ? sum + spell.end - spell.start : sum), 0) / 1000;
    const busy = total('use');
    return {
      kind,
      name,
      busy,
      held: total('hold'),
      out: total('out'),
      utilisation: makespan === 0 ? 0 : round(busy / makespan),
      timeline: spells.map(({ what, by, start, end }) => ({
        what,
        by,
        start: since(start),
        end: since(end),
      })),
    };
  });
}

/** How long a task waited and for what, in seconds. */
export function waitedBy({ history, policy, clock }: Laboratory, task: string): WaitingTimes {
  const known = history.tasks.get(task);
  if (known === undefined) return noWaiting();
  return rounded(inSeconds(waitingOf(known, policy.slots.get(task), history.units, clock.now())));
}

/**
 * Why unfinished tasks are stuck, without tasks that only wait for other stuck tasks.
 *
 * @param rights of the reader: reasons name no work of laboratories that the reader may not see
 */
export function stuckTasks(
  { history, store, engine }: Laboratory,
  rights = allLabs,
): SimulationRecord['stuck'] {
  const waits = new Map(
    engine.views
      .schedule({ rights, limit: history.tasks.size })
      .tasks.map(({ label, waits_for }) => [label, waits_for.map(inWords)]),
  );
  const stuck: SimulationRecord['stuck'] = [];
  for (const task of history.tasks.values()) {
    const row = store.rows.taskRuns.get(task.id);
    if (row === undefined || isTerminal(row.state) || stuck.length >= maxStuck) continue;
    if (isUnclear(row.state))
      stuck.push({
        task: task.label,
        waits_for: [`a person: ${row.reason?.message ?? 'it needs attention'}`],
      });
    else if (isQueued(row.state)) stuck.push({ task: task.label, waits_for: waits.get(task.label) ?? [] });
  }
  return stuck;
}

function inWords({ message, candidates = [] }: WaitCause): string {
  const each = candidates.map(({ unit, why }) => `${unit}: ${why}`).join(', ');
  return each === '' ? message : `${message} (${each})`;
}

function inSeconds(times: WaitingTimes): WaitingTimes {
  return Object.fromEntries(Object.entries(times).map(([cause, ms]) => [cause, ms / 1000])) as Record<
    SimulatedWait,
    number
  >;
}

function rounded(times: WaitingTimes): WaitingTimes {
  return Object.fromEntries(Object.entries(times).map(([cause, s]) => [cause, round(s)])) as Record<
    SimulatedWait,
    number
  >;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
