import { isTerminal, type AttemptState } from '@lab/contracts';
import {
  invariants,
  judge,
  type Facts,
  type Invariant,
  type QuestionFact,
  type Violation,
} from '@lab/testkit/invariants';
import type { AttemptRow, EventRow, Evidence, LedgerEntry } from './evidence.js';

/**
 * Turns the evidence of a run into the facts that the shared invariants judge. The facts compare the records of instruments
 * and tasks with the database, the ledgers and the files; no process of the service is asked. All functions are pure.
 */

/** Invariants that the evidence can violate. Chaos runs no campaigns (I11), and reads no logs of errors (`defect`). */
export const observed = (Object.keys(invariants) as Invariant[]).filter(
  (name) => name !== 'I11' && name !== 'defect',
);

export const violationsOf = (evidence: Evidence): Violation[] => judge(factsOf(evidence));

const nameOf = ({ lab, name }: { lab: string; name: string }): string => `${lab}.${name}`;

function factsOf(evidence: Evidence): Facts {
  const { submitted, attempts, tasks, runs, motions, ledgers, stops, events, allocations } = evidence;
  const decided = new Set(
    evidence.attention.filter((item) => item.resolution?.action).map((item) => item.attempt_id),
  );
  const records = ledgers.flatMap(({ computer, records }) =>
    records.map((entry) => ({ computer, ...entry })),
  );
  const settled = settledTimes(events);
  return {
    motions: motions.map(({ device, call_id: call, at, end, until }) => ({
      device,
      call,
      attempt: call.split('/')[0] ?? '',
      at,
      // A motion goes on to its end even if nobody watches it.
      end: end ?? until,
    })),
    attempts: attempts.map((row) => ({
      id: row.id,
      task: row.task_run_id,
      number: row.number,
      state: row.state,
      createdAt: row.created_at,
      settledAt: settled.get(row.id) ?? null,
      decided: decided.has(row.id),
      devices: Object.values(row.devices).map(nameOf),
    })),
    tasks: tasks.map(({ id, name, state, output_parameters: outputs, output_files: files }) => ({
      id,
      name,
      state,
      outputs,
      motions: outputs?.moved,
      files,
    })),
    executions: [...returned(evidence), ...unobserved(evidence)],
    submissions: submitted
      .filter(({ accepted }) => accepted)
      .map(({ name, record, cancelled }) => ({ name, state: record?.state, cancelRequested: cancelled })),
    unfinished: runs
      .filter(({ state }) => !['completed', 'failed', 'cancelled'].includes(state))
      .map(({ name, id, state }) => `${name} (${id}) is ${state}`),
    calls: records.flatMap(({ computer, type, call }) =>
      // A call to the device of another computer is also in the ledger of that computer.
      type !== 'call_begin' || call?.fence === undefined || call.computer !== undefined
        ? []
        : [{ computer, device: call.device, call: call.callId, fence: call.fence }],
    ),
    stops: stops.map(({ scope, at, released_at: until }) => ({
      id: scope,
      scope,
      from: at,
      until: until ?? Infinity,
    })),
    results: records.flatMap(({ computer, type, attemptId = '', outcome }) =>
      type !== 'result' || outcome === undefined
        ? []
        : [
            {
              computer,
              attempt: attemptId,
              outcome: outcome.kind,
              recordedAs: outcome.kind === 'completed' ? ['completed'] : undefined,
            },
          ],
    ),
    stored: storedFiles(evidence),
    events: events.map(({ aggregate, seq }, id) => ({ aggregate, seq, id })),
    writes: attempts.map(({ id, created_at: at, epoch }) => ({
      what: `attempt ${id}`,
      at,
      epoch: Number(epoch),
    })),
    questions: questionsOf(evidence),
    needlessShare: 0.01,
    allocations: allocations.map((row) => ({
      unit: `${row.kind} ${row.key}`,
      taskRunId: row.task_run_id,
      heldByRunId: row.held_by_run_id,
    })),
    left: [...leftovers(evidence)],
  };
}

/**
 * When the record first said that an attempt is over or that a person is asked, by attempt. The row of an attempt says when
 * its process ended: a call that the process made before may begin its motion after that.
 */
function settledTimes(events: readonly EventRow[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const { aggregate, type, at } of events) {
    const [kind, id = ''] = aggregate.split('/');
    const state = type.slice('attempt.'.length) as AttemptState;
    if (kind !== 'attempt' || !(isTerminal(state) || state === 'needs_attention')) continue;
    times.set(id, Math.min(at, times.get(id) ?? Infinity));
  }
  return times;
}

/** Types of tasks that note what they return. */
const noting = ['work', 'work_python'];

/** The executions of such tasks. */
const returned = ({ returns }: Evidence): Facts['executions'] =>
  returns.map(({ attempt, token, bytes, sha256 }) => ({
    attempt,
    returned: { outputs: { token }, exact: false },
    files: bytes === 0 ? [] : [{ name: 'data.bin', size: bytes, sha256 }],
  }));

/** Tasks of other types note nothing: their executions count as returned with unknown outputs. */
function unobserved({ tasks, attempts }: Evidence): Facts['executions'] {
  const types = new Map(tasks.map(({ id, type }) => [id, type]));
  return attempts
    .filter(
      ({ state, task_run_id: task }) => state === 'completed' && !noting.includes(types.get(task) ?? ''),
    )
    .map(({ id }) => ({ attempt: id, returned: { outputs: {}, exact: false }, files: [] }));
}

/** The files that the gateway gave, by the attempt that wrote them. */
function storedFiles({ downloads, attempts }: Evidence): NonNullable<Facts['stored']> {
  const completed = attempts.filter(({ state }) => state === 'completed');
  return new Map(
    completed.flatMap(({ id, task_run_id: task }) => {
      const got = downloads.get(task);
      return got?.status === 200 ? [[`${id}/data.bin`, got] as const] : [];
    }),
  );
}

/** Reasons that ask a person even when the task moved nothing: its agent was given up, or people stopped it. */
const unconditional = ['agent_lost', 'agent_stopped', 'emergency_stop'];

/**
 * A question about a task is needless when the task moved nothing and its agent did not end while it ran. A question about a
 * device is needless when the device received no effect. An agent removes settled records when it opens its ledger again,
 * so a ledger that was opened since the question proves nothing.
 */
function questionsOf({ attention, attempts, motions, ledgers, starts }: Evidence): QuestionFact[] {
  const moved = new Set(motions.map(({ call_id: call }) => call.split('/')[0]));
  const known = new Map(attempts.map((attempt) => [attempt.id, attempt]));
  const records = ledgers.flatMap((ledger) => ledger.records);
  const idsOf = (type: string, idOf: (entry: LedgerEntry) => (string | undefined)[]) =>
    new Set(records.filter((entry) => entry.type === type).flatMap(idOf));
  const called = idsOf('call_begin', ({ call }) =>
    call?.kind === 'effect' ? [call.attemptId, call.device] : [],
  );
  const begun = idsOf('begin', ({ attemptId }) => [attemptId]);
  const kept = idsOf('accept', ({ attemptId }) => [attemptId]);
  const cutShort = ({ id, computer, created_at: from }: AttemptRow, until: number): boolean =>
    (begun.has(id) || !kept.has(id)) &&
    starts.some(({ name, at }) => name === `agent_${computer}` && at > from && at <= until);
  const openedAgain = (computers: readonly (string | null)[], since: number): boolean =>
    starts.some(({ name, at }) => at > since && computers.some((computer) => name === `agent_${computer}`));
  const isNeedless = ({
    kind,
    attempt_id: id,
    device,
    computer,
    reason,
    opened_at: at,
  }: Evidence['attention'][0]) => {
    if (kind === 'device') return !called.has(device ?? '') && !openedAgain([computer], at);
    const attempt = known.get(id ?? '');
    if (attempt === undefined || attempt.state === 'never_ran') return true;
    if (openedAgain([attempt.computer, ...Object.values(attempt.devices).map((each) => each.computer)], at))
      return false;
    const moves = moved.has(attempt.id) || called.has(attempt.id);
    return !(moves || unconditional.includes(reason.code) || cutShort(attempt, at));
  };
  return attention
    .filter(({ kind }) => kind !== 'agent')
    .map((item) => ({
      what: `a person was asked about ${item.kind} ${item.device ?? item.attempt_id} (${item.reason.code})`,
      needless: isNeedless(item),
    }));
}

/** What waits for an acknowledgement or for removal, in words. */
function* leftovers({ attention, ledgers, left }: Evidence): Iterable<string> {
  for (const item of attention) if (item.state === 'open') yield `attention item ${item.id} is open`;
  for (const { computer, damage, openAttempts, openCalls, stops } of ledgers) {
    if (damage !== null) yield `the ledger of ${computer} is damaged: ${damage}`;
    for (const each of openAttempts) yield `the ledger of ${computer} has an open attempt: ${each}`;
    for (const each of openCalls) yield `the ledger of ${computer} has an open call: ${each}`;
    for (const each of stops) yield `the agent of ${computer} still keeps a stop of ${each}`;
  }
  yield* left;
}
