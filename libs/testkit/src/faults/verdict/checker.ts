import type { AttemptState } from '@lab/contracts';
import {
  judge,
  type AttemptFact,
  type EventFact,
  type Facts,
  type Motion,
  type SearchedRunFact,
  type Violation,
} from '../../invariants/index.js';
import { isOver, readCommits, type Committed, type CommittedAttempt } from './committed.js';
import { byHand, type History, type InstrumentEntry } from '../surroundings/history.js';
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

/** The neutral facts of a simulation. */
function factsOf(history: History, { late, unfinished, leftovers }: Ending): Facts {
  const committed = readCommits(history.commits);
  const { attempts, tasks, owners, trials } = committed;
  const records = {
    protocolRun: committed.runs,
    campaign: committed.campaigns,
    onDemandTask: tasks,
  };
  return {
    motions: [...history.instruments].flatMap(([device, log]) => motionsOf(device, log)),
    attempts: [...attempts.values()].map(attemptFact),
    tasks: [...tasks.values()].map(({ id, name, stages, attempt, outputs, files }) => ({
      ...{ id, name, attempt, outputs, files },
      state: stages.at(-1)?.state ?? 'nowhere',
      decided: stages.some(({ state }) => state === 'needs_attention'),
    })),
    executions: history.executions.map(({ attempt, beganAt, returned, files }) => ({
      ...{ attempt, beganAt, files },
      returned: returned === undefined ? undefined : { outputs: returned.outputs, exact: true },
    })),
    submissions: history.acceptances.map(({ kind, name, id }) => {
      const found = records[kind].get(id);
      return { name, state: found?.name === name ? found.stages.at(-1)?.state : undefined };
    }),
    unfinished: [
      ...late.map((what) => `${what} 60 s after the faults`),
      ...unfinished.map((what) => `${what} after people settled everything`),
    ],
    owners,
    stops: [...history.stops].flatMap(([id, { scope, engagedAt, releasedAt = Infinity, heardAt }]) => {
      if (engagedAt === undefined) return [];
      const heard = (device: string): number | undefined => heardAt.get(computerOf(device));
      return [{ id, scope, from: engagedAt, until: releasedAt, heardAt: heard }];
    }),
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
    states: statesOf(committed),
    writes: history.commits.map(({ at, epoch }, index) => ({ what: `commit ${index + 1}`, at, epoch })),
    leaderships: history.leaderships,
    questions: questionsOf(history, committed),
    trials: [...trials.values()].map((trial) => ({ ...trial, state: trial.stages.at(-1)?.state })),
    searchedRuns: searchedRunsOf(committed),
    allocations: [...owners].map(([unit, past]) => ({
      unit,
      taskRunId: past.at(-1)?.taskRunId ?? null,
      heldByRunId: past.at(-1)?.heldByRunId ?? null,
    })),
    left: leftovers,
    found: [
      ...committed.contradictions,
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

function attemptFact(attempt: CommittedAttempt): AttemptFact {
  const { id, taskRunId, number, stages, fences } = attempt;
  return {
    ...{ id, number, fences },
    task: taskRunId,
    state: stages.at(-1)?.state ?? 'nowhere',
    createdAt: stages[0]?.at ?? 0,
    settledAt: stages.find((stage) => isOver([stage]) || stage.state === 'needs_attention')?.at ?? null,
    overAt: isOver(stages) ? (stages.at(-1)?.at ?? null) : null,
    decided: stages.some(({ state }) => state === 'needs_attention'),
    devices: [...fences.keys()],
    ends: stages.filter((stage) => isOver([stage])).length,
  };
}

/** States that the record may show for a result. Outputs may not fit, and an attempt stopped at its timeout has failed. */
const endOf: Readonly<Record<string, readonly AttemptState[]>> = {
  completed: ['completed', 'failed'],
  failed: ['failed'],
  cancelled: ['cancelled', 'failed'],
};

function statesOf({ attempts, tasks, runs, campaigns }: Committed): Map<string, string | undefined> {
  const states = new Map<string, string | undefined>();
  for (const [kind, rows] of Object.entries({
    attempt: attempts,
    task_run: tasks,
    protocol_run: runs,
    campaign: campaigns,
  }))
    for (const { id, stages } of rows.values()) states.set(`${kind}/${id}`, stages.at(-1)?.state);
  return states;
}

/** A question is needless unless a process of the attempt was lost during the attempt, or people stopped it. */
function questionsOf({ losses }: History, { attempts }: Committed): NonNullable<Facts['questions']> {
  return [...attempts.values()].flatMap(({ id, stages, computers, fences }) => {
    const asked = stages.find(({ state }) => state === 'needs_attention');
    const made = stages[0]?.at ?? 0;
    if (asked === undefined) return [];
    const isExplained = losses.some(
      ({ at, until, kind, who }) =>
        until >= made &&
        at <= asked.at &&
        kind !== 'orchestrator' &&
        (kind === 'stop' || computers.has(who) || fences.has(who)),
    );
    return [{ what: `a person was asked about attempt ${id}`, needless: !isExplained }];
  });
}

function searchedRunsOf({ runs, campaigns, tasks }: Committed): SearchedRunFact[] {
  return [...runs.values()].flatMap((run) => {
    if (campaigns.get(run.campaignId ?? '')?.optimize !== true) return [];
    const own = [...tasks.values()].filter(({ runId }) => runId === run.id);
    return [
      {
        id: run.id,
        name: run.name,
        state: run.stages.at(-1)?.state,
        over: isOver(run.stages),
        parameters: run.parameters,
        expected: ({ inputs, number }) =>
          Object.fromEntries(Object.keys(inputs).map((name) => [name, number * 3])),
        measured: new Map(own.map(({ name, outputs }) => [`${name}.effects`, outputs?.['effects']])),
      },
    ];
  });
}
