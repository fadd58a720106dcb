/**
 * The invariants, judged from outside: what instruments and tasks wrote down against the record, the ledgers and the
 * files, never by what a process of the service believes. Everything here is a pure function of the evidence.
 */

/**
 * @param evidence what {@link evidence.mjs} reads: `submitted` (name, accepted, over, state, cancelled: whether somebody
 *   asked for that), the rows of the record, `motions`, `returns`, `downloads`, `ledgers`, `starts` of processes, and
 *   `left` (processes and files that should be gone, in words)
 * @returns for each invariant what violates it, in words
 */
export function check(evidence) {
  return Object.fromEntries(Object.entries(invariants).map(([name, judge]) => [name, [...judge(evidence)]]));
}

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
};

const ended = ['completed', 'failed', 'cancelled', 'skipped', 'never_ran'];
const attemptOf = (motion) => motion.call_id.split('/')[0];
const inTime = (motions) => [...motions].sort((a, b) => a.at - b.at);

/** I1: the motions of an instrument never overlap, and no call moves it twice. */
function* oneAtATime({ motions }) {
  const seen = new Set();
  const last = new Map();
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

/** I2: only attempts of the record move anything, none after its end was recorded, and none after a later one of its task has. */
function* attemptsInOrder({ attempts, motions }) {
  const byId = new Map(attempts.map((attempt) => [attempt.id, attempt]));
  const latest = new Map();
  for (const motion of inTime(motions)) {
    const attempt = byId.get(attemptOf(motion));
    if (attempt === undefined) {
      yield `${motion.device} was moved by ${motion.call_id}, which no attempt of the record made`;
      continue;
    }
    const { id, number, state, ended_at: endedAt, task_run_id: task } = attempt;
    if (endedAt !== null && motion.at > endedAt)
      yield `attempt ${id} moved ${motion.device} ${motion.at - endedAt} ms after its end was recorded (${state})`;
    const highest = latest.get(task) ?? 0;
    if (number < highest) yield `attempt ${number} of task ${task} moved after attempt ${highest}`;
    latest.set(task, Math.max(highest, number));
    if (state === 'never_ran') yield `attempt ${id} is said never to have run, and moved ${motion.device}`;
  }
}

/**
 * I3: an instrument that was given to another attempt never hears of the earlier one again; the fences of a device never
 * fall in the ledger of its agent; and nothing is given to anybody while people have stopped it.
 */
function* oneOwner({ motions, attempts, ledgers, halts }) {
  const owners = new Map();
  for (const motion of inTime(motions)) {
    const past = owners.get(motion.device) ?? [];
    const present = past[past.length - 1];
    const id = attemptOf(motion);
    if (present === id) continue;
    if (past.includes(id)) yield `${motion.device} was moved by ${id} after it was given to ${present}`;
    owners.set(motion.device, [...past, id]);
  }
  for (const { computer, records } of ledgers) {
    const highest = new Map();
    for (const record of records) {
      if (record.type !== 'call_begin' || record.call.computer !== undefined) continue;
      const { device, fence, callId } = record.call;
      if (fence === undefined) continue;
      if (fence < (highest.get(device) ?? 0))
        yield `${computer}: ${callId} called ${device} with fence ${fence} after ${highest.get(device)}`;
      highest.set(device, Math.max(fence, highest.get(device) ?? 0));
    }
  }
  for (const { scope, at, released_at: until } of halts)
    for (const attempt of attempts)
      if (
        attempt.created_at > at &&
        attempt.created_at < (until ?? Infinity) &&
        Object.values(attempt.devices).some((device) => covers(scope, device))
      )
        yield `attempt ${attempt.id} was begun while people had stopped ${scope}`;
}

/** Whether a stop is about a device; a pause of the queue is about everything. */
function covers(scope, { lab, name }) {
  return ['all', 'queue', `lab:${lab}`, `device:${lab}.${name}`].includes(scope);
}

/** I4: what was accepted has ended, and so has everything of the record; and nothing is cancelled but by request. */
function* everythingEnds({ submitted, tasks, runs }) {
  for (const { name, accepted, over, state, cancelled } of submitted) {
    if (!accepted) continue;
    if (!over) yield `${name} is ${state ?? 'not to be read'}`;
    if (state === 'cancelled' && !cancelled) yield `${name} was cancelled, and nobody had asked for that`;
  }
  for (const { name, id, state } of [...tasks, ...runs])
    if (!ended.includes(state)) yield `${name} (${id}) is ${state} in the record`;
}

/**
 * I5: what a task returned is in the record once, and as it returned it; no record says more than was done; and what an
 * agent has in its ledger as the result of an attempt is what the record has, unless a person decided about it before.
 */
function* nothingLost({ tasks, attempts, returns, motions, ledgers, attention }) {
  const byTask = new Map();
  for (const attempt of attempts.filter(({ state }) => state === 'completed')) {
    if (byTask.has(attempt.task_run_id)) yield `task ${attempt.task_run_id} completed twice`;
    byTask.set(attempt.task_run_id, attempt.id);
  }
  const made = new Map();
  for (const motion of motions)
    if (motion.end !== undefined) made.set(attemptOf(motion), (made.get(attemptOf(motion)) ?? 0) + 1);
  for (const { id, name, type, state, output_parameters: outputs } of tasks) {
    if (state !== 'completed') continue;
    const attempt = byTask.get(id);
    if (attempt === undefined) {
      yield `task ${name} is completed by no attempt`;
      continue;
    }
    if (outputs?.moved !== undefined && (made.get(attempt) ?? 0) !== outputs.moved)
      yield `task ${name} says ${outputs.moved} motions; the instruments made ${made.get(attempt) ?? 0}`;
    if (type !== 'work') continue;
    const returned = returns.get(attempt);
    if (returned === undefined) yield `task ${name} is completed and never returned`;
    else if (returned.token !== outputs.token)
      yield `task ${name} returned ${returned.token}; the record has ${outputs.token}`;
  }
  const states = new Map(attempts.map(({ id, state }) => [id, state]));
  const decided = new Set(
    attention.filter(({ resolution }) => resolution?.action).map(({ attempt_id: id }) => id),
  );
  for (const { computer, records } of ledgers)
    for (const { type, attemptId, outcome } of records)
      if (
        type === 'result' &&
        outcome.kind === 'completed' &&
        states.get(attemptId) !== 'completed' &&
        !decided.has(attemptId)
      )
        yield `${computer} has the result of attempt ${attemptId}, which is ${states.get(attemptId)} in the record`;
}

/** I6: a file is the same where it was made, in the record, and as it is downloaded. */
function* filesIntact({ tasks, attempts, returns, downloads }) {
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
      yield `task ${task.name}: its file is downloaded with ${got?.status} and another content`;
  }
}

/** I7: the events of a record are numbered from 1 without gap, in order. */
function* eventsGapFree({ events }) {
  const last = new Map();
  for (const { aggregate, seq } of events) {
    const expected = (last.get(aggregate) ?? 0) + 1;
    if (seq !== expected) yield `event ${seq} of ${aggregate} where ${expected} was due`;
    last.set(aggregate, seq);
  }
}

/** I8: leaders follow each other; none decides after the next has. */
function* oneLeader({ attempts }) {
  let highest = 0;
  for (const attempt of attempts) {
    const epoch = Number(attempt.epoch);
    if (epoch < highest) yield `attempt ${attempt.id} of epoch ${epoch} was made after epoch ${highest}`;
    highest = Math.max(highest, epoch);
  }
}

/** Asked whatever the task did: a person gave up its agent, or people stopped it half way. */
const askedAnyway = ['agent_lost', 'agent_stopped', 'emergency_stop'];

/**
 * I9: at most one question in a hundred is about a task that moved nothing and was not cut short by the end of its agent,
 * or about an instrument that was told nothing. Only ledgers that were not opened again since can speak against a question.
 */
function* noFalseAlarms({ attention, attempts, motions, ledgers, starts }) {
  const moved = new Set(motions.map(attemptOf));
  const byId = new Map(attempts.map((attempt) => [attempt.id, attempt]));
  const told = new Set(
    ledgers.flatMap(({ records }) =>
      records.flatMap(({ type, call }) =>
        type === 'call_begin' && call.kind === 'effect' ? [call.attemptId, call.device] : [],
      ),
    ),
  );
  const begun = new Set(
    ledgers.flatMap(({ records }) =>
      records.flatMap(({ type, attemptId }) => (type === 'begin' ? [attemptId] : [])),
    ),
  );
  // What is settled is collected when the ledger is opened the next time.
  const kept = new Set(
    ledgers.flatMap(({ records }) =>
      records.flatMap(({ type, attemptId }) => (type === 'accept' ? [attemptId] : [])),
    ),
  );
  const cutShort = ({ id, computer, created_at: from }, until) =>
    (begun.has(id) || !kept.has(id)) &&
    starts.some(({ name, at }) => name === `agent_${computer}` && at > from && at <= until);
  const collected = (computers, since) =>
    starts.some(({ name, at }) => at > since && computers.some((computer) => name === `agent_${computer}`));
  const asked = attention.filter(({ kind }) => kind !== 'agent');
  const needless = asked.filter(({ kind, attempt_id: id, device, computer, reason, opened_at: at }) => {
    if (kind === 'device') return !told.has(device) && !collected([computer], at);
    const attempt = byId.get(id);
    if (attempt === undefined || attempt.state === 'never_ran') return true;
    const asksOf = [attempt.computer, ...Object.values(attempt.devices).map((each) => each.computer)];
    if (collected(asksOf, at)) return false;
    return !(moved.has(id) || told.has(id) || askedAnyway.includes(reason.code) || cutShort(attempt, at));
  });
  if (needless.length > asked.length / 100)
    for (const { kind, attempt_id: id, device, reason } of needless)
      yield `one of ${asked.length} questions was needless: about ${kind} ${device ?? id} (${reason.code}: ${reason.message})`;
}

/** I10: when all is over nothing is held, nothing runs, and nothing is left to be acknowledged or swept up. */
function* nothingLeft({ allocations, attention, ledgers, left }) {
  for (const row of allocations)
    if (row.task_run_id !== null || row.held_by_run_id !== null) yield `${row.kind} ${row.key} is held`;
  for (const item of attention) if (item.state === 'open') yield `question ${item.id} is open`;
  for (const { computer, damage, openAttempts, openCalls, halts } of ledgers) {
    if (damage !== null) yield `the ledger of ${computer} is damaged: ${damage}`;
    for (const each of openAttempts) yield `the ledger of ${computer} has an open attempt: ${each}`;
    for (const each of openCalls) yield `the ledger of ${computer} has an open call: ${each}`;
    for (const each of halts) yield `the agent of ${computer} still keeps to a stop of ${each}`;
  }
  yield* left;
}
