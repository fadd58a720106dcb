import type { AttemptRow, Evidence, LedgerEntry } from './evidence.js';
import type { Motion } from './instruments.js';

/**
 * The invariants, judged from outside. The judge compares the records of instruments and tasks with the database, the
 * ledgers and the files; it never asks a process of the service. All functions are pure.
 */

type Judge = (evidence: Evidence) => Iterable<string>;

/** Functions that give the violations of an invariant, in words. */
export const invariants = {
  I1: oneAtATime,
  I2: attemptsInOrder,
  I3: oneOwner,
  I4: everythingEnds,
  I5: nothingLost,
  I6: filesIntact,
  I7: eventsGapFree,
  I8: oneLeader,
  I9: noFalseAlarms,
  I10: nothingLeft,
} satisfies Record<string, Judge>;

export type Invariant = keyof typeof invariants;

/** The violations of each invariant, in words. */
export function judge(evidence: Evidence): Record<Invariant, string[]> {
  const judged = Object.entries(invariants).map(([name, violationsOf]) => [
    name,
    [...violationsOf(evidence)],
  ]);
  return Object.fromEntries(judged) as Record<Invariant, string[]>;
}

const ended = ['completed', 'failed', 'cancelled', 'skipped', 'never_ran'];
const attemptOf = ({ call_id }: Motion): string => call_id.split('/')[0] ?? '';
const inTime = (motions: readonly Motion[]): Motion[] => [...motions].sort((a, b) => a.at - b.at);
const byId = (attempts: readonly AttemptRow[]) => new Map(attempts.map((attempt) => [attempt.id, attempt]));

/** I1: the motions of an instrument never overlap, and no call moves it twice. */
function* oneAtATime({ motions }: Evidence): Iterable<string> {
  const seen = new Set<string>();
  const last = new Map<string, Motion>();
  for (const motion of motions) {
    const { call_id: call, device, at } = motion;
    if (seen.has(call)) yield `call ${call} moved ${device} twice`;
    seen.add(call);
    const before = last.get(device);
    if (before !== undefined && at < (before.end ?? before.until))
      yield `${device}: ${call} began while ${before.call_id} moved`;
    last.set(device, motion);
  }
}

/**
 * I2: every motion belongs to a recorded attempt. It does not begin after the recorded end of the attempt, nor after a
 * motion of a later attempt of the same task.
 */
function* attemptsInOrder({ attempts, motions }: Evidence): Iterable<string> {
  const known = byId(attempts);
  const latest = new Map<string, number>();
  for (const motion of inTime(motions)) {
    const attempt = known.get(attemptOf(motion));
    if (attempt === undefined) {
      yield `${motion.call_id} moved ${motion.device}, and the database has no such attempt`;
      continue;
    }
    const { id, number, state, ended_at: endedAt, task_run_id: task } = attempt;
    if (endedAt !== null && motion.at > endedAt)
      yield `attempt ${id} moved ${motion.device} ${motion.at - endedAt} ms after its recorded end (${state})`;
    const highest = latest.get(task) ?? 0;
    if (number < highest) yield `attempt ${number} of task ${task} moved after attempt ${highest}`;
    latest.set(task, Math.max(highest, number));
    if (state === 'never_ran') yield `attempt ${id} is recorded as never run, and moved ${motion.device}`;
  }
}

/**
 * I3: an instrument that was given to another attempt never receives a call of the earlier one; the fences of a device never
 * decrease in the ledger of its agent; and no attempt begins during an emergency stop of its devices or a queue pause.
 */
function* oneOwner({ motions, attempts, ledgers, stops }: Evidence): Iterable<string> {
  const owners = new Map<string, string[]>();
  for (const motion of inTime(motions)) {
    const past = owners.get(motion.device) ?? [];
    const present = past.at(-1);
    const id = attemptOf(motion);
    if (present === id) continue;
    if (past.includes(id)) yield `${id} moved ${motion.device} after it was given to ${present}`;
    owners.set(motion.device, [...past, id]);
  }
  for (const { computer, records } of ledgers) {
    const highest = new Map<string, number>();
    for (const { type, call } of records) {
      if (type !== 'call_begin' || call === undefined || call.computer !== undefined) continue;
      const { device, fence, callId } = call;
      if (fence === undefined) continue;
      if (fence < (highest.get(device) ?? 0))
        yield `${computer}: ${callId} called ${device} with fence ${fence} after ${highest.get(device)}`;
      highest.set(device, Math.max(fence, highest.get(device) ?? 0));
    }
  }
  for (const { scope, at, released_at: until } of stops)
    for (const attempt of attempts)
      if (
        attempt.created_at > at &&
        attempt.created_at < (until ?? Infinity) &&
        Object.values(attempt.devices).some((device) => covers(scope, device))
      )
        yield `attempt ${attempt.id} began during a stop of ${scope}`;
}

/** Whether a stop holds for a device. A queue pause holds for all. */
const covers = (scope: string, { lab, name }: { lab: string; name: string }): boolean =>
  ['all', 'queue', `lab:${lab}`, `device:${lab}.${name}`].includes(scope);

/** I4: all accepted work has ended, and nothing is cancelled without a request. */
function* everythingEnds({ submitted, tasks, runs }: Evidence): Iterable<string> {
  for (const { name, accepted, over, record, cancelled } of submitted) {
    if (!accepted) continue;
    if (!over) yield `${name} is ${record?.state ?? 'unreadable'}`;
    if (record?.state === 'cancelled' && !cancelled) yield `${name} was cancelled without a request`;
  }
  for (const { name, id, state } of [...tasks, ...runs])
    if (!ended.includes(state)) yield `${name} (${id}) is ${state} in the database`;
}

/**
 * I5: the database has the result of every completed task once, as the task returned it, and no more motions than the
 * instruments made. It has every completed result of a ledger, unless a person decided about the attempt before.
 */
function* nothingLost(evidence: Evidence): Iterable<string> {
  const { tasks, attempts, returns, motions, ledgers, attention } = evidence;
  const byTask = new Map<string, string>();
  for (const attempt of attempts.filter(({ state }) => state === 'completed')) {
    if (byTask.has(attempt.task_run_id)) yield `task ${attempt.task_run_id} completed twice`;
    byTask.set(attempt.task_run_id, attempt.id);
  }
  const made = new Map<string, number>();
  for (const motion of motions)
    if (motion.end !== undefined) made.set(attemptOf(motion), (made.get(attemptOf(motion)) ?? 0) + 1);
  for (const { id, name, type, state, output_parameters: outputs } of tasks) {
    if (state !== 'completed') continue;
    const attempt = byTask.get(id);
    if (attempt === undefined) {
      yield `task ${name} is completed without a completed attempt`;
      continue;
    }
    if (outputs?.moved !== undefined && (made.get(attempt) ?? 0) !== outputs.moved)
      yield `task ${name} reports ${outputs.moved} motions; the instruments made ${made.get(attempt) ?? 0}`;
    if (type !== 'work') continue;
    const returned = returns.get(attempt);
    if (returned === undefined) yield `task ${name} is completed and never returned`;
    else if (returned.token !== outputs?.token)
      yield `task ${name} returned ${returned.token}; the database has ${outputs?.token}`;
  }
  const states = new Map(attempts.map(({ id, state }) => [id, state]));
  const decided = new Set(attention.filter((item) => item.resolution?.action).map((item) => item.attempt_id));
  for (const { computer, records } of ledgers)
    for (const { type, attemptId = '', outcome } of records)
      if (
        type === 'result' &&
        outcome?.kind === 'completed' &&
        states.get(attemptId) !== 'completed' &&
        !decided.has(attemptId)
      )
        yield `${computer} has the result of attempt ${attemptId}, which the database has as ${states.get(attemptId)}`;
}

/** I6: a file is the same where the task wrote it, in its record, and in its download. */
function* filesIntact({ tasks, attempts, returns, downloads }: Evidence): Iterable<string> {
  for (const { id, task_run_id: taskId, state } of attempts) {
    const returned = returns.get(id);
    if (state !== 'completed' || returned === undefined || returned.bytes === 0) continue;
    const task = tasks.find((each) => each.id === taskId);
    const file = task?.output_files[0];
    if (file?.size !== returned.bytes || file.sha256 !== returned.sha256) {
      yield `task ${task?.name}: the record of its file differs from the file`;
      continue;
    }
    const got = downloads.get(taskId);
    if (got?.status !== 200 || got.size !== returned.bytes || got.sha256 !== returned.sha256)
      yield `task ${task?.name}: the download of its file has status ${got?.status} or another content`;
  }
}

/** I7: the events of a record are numbered from 1 without gap, in order. */
function* eventsGapFree({ events }: Evidence): Iterable<string> {
  const last = new Map<string, number>();
  for (const { aggregate, seq } of events) {
    const expected = (last.get(aggregate) ?? 0) + 1;
    if (seq !== expected) yield `${aggregate} has event ${seq} in the place of ${expected}`;
    last.set(aggregate, seq);
  }
}

/** I8: a leader makes no attempt after the next leader has made one. */
function* oneLeader({ attempts }: Evidence): Iterable<string> {
  let highest = 0;
  for (const attempt of attempts) {
    const epoch = Number(attempt.epoch);
    if (epoch < highest) yield `attempt ${attempt.id} of epoch ${epoch} was made after epoch ${highest}`;
    highest = Math.max(highest, epoch);
  }
}

/** Reasons that ask a person even when the task moved nothing: its agent was given up, or people stopped it. */
const unconditional = ['agent_lost', 'agent_stopped', 'emergency_stop'];

/**
 * I9: at most one attention item in a hundred is needless. An item about a task is needless when the task moved nothing and
 * its agent did not end while it ran; an item about a device is needless when the device received no effect. An agent
 * removes settled records when it opens its ledger again, so a ledger that was opened since proves nothing.
 */
function* noFalseAlarms({ attention, attempts, motions, ledgers, starts }: Evidence): Iterable<string> {
  const moved = new Set(motions.map(attemptOf));
  const known = byId(attempts);
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
  const asked = attention.filter(({ kind }) => kind !== 'agent');
  const needless = asked.filter(({ kind, attempt_id: id, device, computer, reason, opened_at: at }) => {
    if (kind === 'device') return !called.has(device ?? '') && !openedAgain([computer], at);
    const attempt = known.get(id ?? '');
    if (attempt === undefined || attempt.state === 'never_ran') return true;
    if (openedAgain([attempt.computer, ...Object.values(attempt.devices).map((each) => each.computer)], at))
      return false;
    const moves = moved.has(attempt.id) || called.has(attempt.id);
    return !(moves || unconditional.includes(reason.code) || cutShort(attempt, at));
  });
  if (needless.length > asked.length / 100)
    for (const { kind, attempt_id: id, device, reason } of needless)
      yield `one of ${asked.length} items was needless: about ${kind} ${device ?? id} (${reason.code}: ${reason.message})`;
}

/** I10: in the end nothing is held, nothing runs, and nothing waits for an acknowledgement or for removal. */
function* nothingLeft({ allocations, attention, ledgers, left }: Evidence): Iterable<string> {
  for (const row of allocations)
    if (row.task_run_id !== null || row.held_by_run_id !== null) yield `${row.kind} ${row.key} is held`;
  for (const item of attention) if (item.state === 'open') yield `attention item ${item.id} is open`;
  for (const { computer, damage, openAttempts, openCalls, stops } of ledgers) {
    if (damage !== null) yield `the ledger of ${computer} is damaged: ${damage}`;
    for (const each of openAttempts) yield `the ledger of ${computer} has an open attempt: ${each}`;
    for (const each of openCalls) yield `the ledger of ${computer} has an open call: ${each}`;
    for (const each of stops) yield `the agent of ${computer} still keeps a stop of ${each}`;
  }
  yield* left;
}
