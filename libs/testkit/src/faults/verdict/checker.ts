import type { AttemptState } from '@lab/contracts';
import { drainedComputer, type AttemptRow } from '@lab/engine';
import {
  isFinal,
  judge,
  type AttemptFact,
  type EventFact,
  type Facts,
  type Motion,
  type SearchedRunFact,
  type Violation,
} from '../../invariants/index.js';
import { keyOf, readCommits, type Committed, type Records } from './committed.js';
import { byHand, type History, type InstrumentEntry } from '../surroundings/history.js';
import { deviceNames, labName } from '../plan/laboratory.js';
import { computerOf } from '../plan/schedule.js';

/** What the simulation knows of its end, beside the history. */
export interface Ending {
  /** Work that is not over 60 s after the last fault although people were asked nothing. */
  late: readonly string[];
  /** Work that is not over although people answered every question. */
  unfinished: readonly string[];
  /** Processes, files and ledger entries that are left behind. */
  leftovers: readonly string[];
}

/** Judges a history by the shared invariants. */
export function check(history: History, ending: Ending): Violation[] {
  return judge(factsOf(history, ending));
}

/** The devices that an outage covers: one, or those of a drained computer. */
function keysUnder(device: string): string[] {
  const computer = drainedComputer({ device });
  if (computer === undefined) return [device];
  return deviceNames.map((name) => `${labName}.${name}`).filter((key) => computerOf(key) === computer);
}

/** The neutral facts of a simulation. */
function factsOf(history: History, { late, unfinished, leftovers }: Ending): Facts {
  const records = readCommits(history.commits);
  const { attempts, tasks, runs, campaigns, outages, owners, reservations, trials } = records;
  const submitted = { protocolRun: runs, campaign: campaigns, onDemandTask: tasks };
  return {
    motions: [...history.instruments].flatMap(([device, log]) => motionsOf(device, log)),
    attempts: [...attempts.values()].map(attemptFact),
    tasks: [...tasks.values()].map(({ stages, outputParameters, outputFiles, ...task }) => ({
      ...task,
      outputs: outputParameters,
      files: outputFiles,
      decided: stages.some(({ state }) => state === 'needs_attention'),
    })),
    executions: history.executions.map(({ attempt, beganAt, returned, files }) => ({
      ...{ attempt, beganAt, files },
      returned: returned === undefined ? undefined : { outputs: returned.outputs, exact: true },
    })),
    submissions: history.acceptances.map(({ kind, name, id }) => {
      const found = submitted[kind].get(id);
      return { name, state: found?.name === name ? found.state : undefined };
    }),
    unfinished: [
      ...late.map((what) => `${what} 60 s after the faults`),
      ...unfinished.map((what) => `${what} after people settled everything`),
    ],
    owners,
    stops: [
      ...outages.flatMap(({ device, ...times }) =>
        keysUnder(device).map((key) => ({ id: 'outage', scope: `device:${key}`, ...times })),
      ),
      ...[...reservations].map(([id, { device, ...times }]) => ({ id, scope: `device:${device}`, ...times })),
      ...[...history.stops].flatMap(([id, { scope, engagedAt, releasedAt = Infinity, heardAt }]) => {
        if (engagedAt === undefined) return [];
        const heard = (device: string): number | undefined => heardAt.get(computerOf(device));
        return [{ id, scope, from: engagedAt, until: releasedAt, heardAt: heard }];
      }),
    ],
    results: history.durableResults.map(({ computer, attempt, outcome }) => ({
      ...{ computer, attempt },
      outcome: outcome.kind,
      recordedAs: endOf[outcome.kind],
    })),
    stored: history.stored,
    events: history.events.map(({ aggregate, seq, id, type, body }): EventFact => {
      const archived = type.endsWith('.archived') ? { archivedState: String(body['state']) } : {};
      return { aggregate, seq, id, type, ...archived };
    }),
    states: statesOf(records),
    writes: history.commits.map(({ at, epoch }, index) => ({ what: `commit ${index + 1}`, at, epoch })),
    leaderships: history.leaderships,
    questions: questionsOf(history, records),
    trials: [...trials.values()],
    searchedRuns: searchedRunsOf(records),
    allocations: [...owners].map(([unit, past]) => ({
      unit,
      taskRunId: past.at(-1)?.taskRunId ?? null,
      heldByRunId: past.at(-1)?.heldByRunId ?? null,
    })),
    left: leftovers,
    found: [
      ...records.contradictions,
      ...history.defects.map((what) => ({ invariant: 'defect' as const, what })),
    ],
  };
}

/** The motions in the log of one instrument. Two calls never have the same tag, so a tag names the call. */
function motionsOf(device: string, log: readonly InstrumentEntry[]): Motion[] {
  const motions: Motion[] = [];
  for (const { what, at, tag } of log) {
    const attempt = tag.startsWith(byHand) ? null : tag.slice(0, tag.lastIndexOf('#'));
    if (what === 'begin') motions.push({ device, call: tag, attempt, at, end: undefined });
    else {
      const begun = motions.findLast(({ call, end }) => call === tag && end === undefined);
      if (begun !== undefined) begun.end = at;
    }
  }
  return motions;
}

function attemptFact({ stages, devices, ...attempt }: Committed<AttemptRow>): AttemptFact {
  const ends = stages.filter(({ state }) => isFinal(state));
  const isAsked = ({ state }: { state: string }): boolean => state === 'needs_attention';
  const fences = new Map(Object.values(devices).map((device) => [keyOf(device), device.fence]));
  return {
    ...attempt,
    task: attempt.taskRunId,
    createdAt: stages[0]?.at ?? 0,
    settledAt: stages.find((stage) => isFinal(stage.state) || isAsked(stage))?.at ?? null,
    overAt: isFinal(attempt.state) ? (stages.at(-1)?.at ?? null) : null,
    decided: stages.some(isAsked),
    devices: [...fences.keys()],
    fences,
    ends: ends.length,
  };
}

/** States that the record may show for a result. Outputs may not fit, and an attempt stopped at its timeout has failed. */
const endOf: Readonly<Record<string, readonly AttemptState[]>> = {
  completed: ['completed', 'failed'],
  failed: ['failed'],
  cancelled: ['cancelled', 'failed'],
};

function statesOf({ attempts, tasks, runs, campaigns }: Records): Map<string, string> {
  const kinds = { attempt: attempts, task_run: tasks, protocol_run: runs, campaign: campaigns };
  return new Map(
    Object.entries(kinds).flatMap(([kind, rows]) =>
      [...rows.values()].map(({ id, state }) => [`${kind}/${id}`, state] as const),
    ),
  );
}

/** A question is needless unless a process of the attempt was lost during the attempt, or people stopped it. */
function questionsOf({ losses }: History, { attempts }: Records): NonNullable<Facts['questions']> {
  return [...attempts.values()].flatMap(({ id, stages, computer, devices }) => {
    const asked = stages.find(({ state }) => state === 'needs_attention');
    const made = stages[0]?.at ?? 0;
    if (asked === undefined) return [];
    const bindings = Object.values(devices);
    const processes = [computer, ...bindings.map((device) => device.computer), ...bindings.map(keyOf)];
    const isExplained = losses.some(
      ({ at, until, kind, who }) =>
        until >= made &&
        at <= asked.at &&
        kind !== 'orchestrator' &&
        (kind === 'stop' || processes.includes(who)),
    );
    return [{ what: `a person was asked about attempt ${id}`, needless: !isExplained }];
  });
}

function searchedRunsOf({ runs, campaigns, tasks }: Records): SearchedRunFact[] {
  const searched = [...runs.values()].filter(
    ({ campaignId }) => campaigns.get(campaignId ?? '')?.optimize === true,
  );
  return searched.map((run) => {
    const own = [...tasks.values()].filter(({ runId }) => runId === run.id);
    return {
      ...run,
      over: isFinal(run.state),
      expected: ({ inputs, number }) =>
        Object.fromEntries(Object.keys(inputs).map((name) => [name, number * 3])),
      measured: new Map(
        own.map(({ name, outputParameters }) => [`${name}.effects`, outputParameters?.['effects']]),
      ),
    };
  });
}
