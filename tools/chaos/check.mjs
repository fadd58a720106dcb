import { createHash } from 'node:crypto';
import pg from 'pg';
import { readMotions, readReturns } from './instruments.mjs';

/**
 * The invariants, judged from outside: the logs of the instruments and tasks against the database and the files, never
 * by what a process of the service believes.
 *
 * @param parts.work what was submitted and decided; parts.devices names of the instruments; parts.folder of their logs;
 *   parts.url of the gateway; parts.leftovers processes that should be gone; parts.ledgers what `svc doctor ledger` said
 * @returns for each invariant the violations in words, and what was counted on the way
 */
export async function check({ databaseUrl, work, devices, folder, url, leftovers, ledgers }) {
  const found = Object.fromEntries(invariants.map((name) => [name, []]));
  const violated = (name, text) => found[name].push(text);
  const history = await readHistory(databaseUrl);
  const motions = devices.flatMap((name) => readMotions(folder, name).motions);
  const returns = readReturns(folder);

  oneAtATime(motions, violated);
  attemptsInOrder(history, motions, violated);
  everySubmissionEnds(work, violated);
  nothingLost(history, returns, motions, violated);
  const files = await filesIntact(history, returns, url, violated);
  eventsGapFree(history, violated);
  oneLeader(history, violated);
  noFalseAlarms(history, motions, violated);
  nothingLeft(history, leftovers, ledgers, violated);
  return {
    violations: found,
    counted: {
      motions: motions.length,
      attempts: history.attempts.length,
      task_runs: history.tasks.length,
      files,
      questions: history.attention.length,
    },
  };
}

export const invariants = ['I1', 'I2', 'I3', 'I4', 'I5', 'I6', 'I7', 'I8', 'I9', 'I10'];

async function readHistory(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const rows = async (text) => (await client.query(text)).rows;
    return {
      tasks: await rows('select * from task_run'),
      runs: await rows('select * from protocol_run'),
      attempts: await rows('select * from attempt order by created_at, id'),
      allocations: await rows('select * from allocation'),
      attention: await rows('select * from attention order by opened_at'),
      events: await rows('select aggregate, seq::int, type from outbox order by id'),
    };
  } finally {
    await client.end();
  }
}

const attemptOf = (motion) => motion.call_id.split('/')[0];

/** I1: the motions of an instrument never overlap, and no call moves it twice. */
function oneAtATime(motions, violated) {
  const seen = new Set();
  const last = new Map();
  for (const motion of motions) {
    if (seen.has(motion.call_id)) violated('I1', `call ${motion.call_id} moved ${motion.device} twice`);
    seen.add(motion.call_id);
    const before = last.get(motion.device);
    if (before !== undefined && motion.at < (before.end ?? before.until))
      violated('I1', `${motion.device}: ${motion.call_id} began while ${before.call_id} moved`);
    last.set(motion.device, motion);
  }
}

/**
 * I2: no attempt moves anything after a later one of its task has begun to. I3: an instrument that was given to another
 * attempt never hears of the earlier one again.
 */
function attemptsInOrder({ attempts }, motions, violated) {
  const byId = new Map(attempts.map((attempt) => [attempt.id, attempt]));
  const latest = new Map();
  const owners = new Map();
  for (const motion of [...motions].sort((a, b) => a.at - b.at)) {
    const attempt = byId.get(attemptOf(motion));
    if (attempt === undefined) {
      violated('I2', `${motion.device} was moved by ${motion.call_id}, which no attempt of the record made`);
      continue;
    }
    const highest = latest.get(attempt.task_run_id) ?? 0;
    if (attempt.number < highest)
      violated(
        'I2',
        `attempt ${attempt.number} of task ${attempt.task_run_id} moved after attempt ${highest}`,
      );
    latest.set(attempt.task_run_id, Math.max(highest, attempt.number));
    if (attempt.state === 'never_ran')
      violated('I2', `attempt ${attempt.id} is said never to have run, and moved ${motion.device}`);
    const past = owners.get(motion.device) ?? [];
    const present = past[past.length - 1];
    if (present !== attempt.id) {
      if (past.includes(attempt.id))
        violated('I3', `${motion.device} was moved by ${attempt.id} after it was given to ${present}`);
      owners.set(motion.device, [...past, attempt.id]);
    }
  }
}

/** I4: what was accepted has ended. */
function everySubmissionEnds(work, violated) {
  for (const [name, each] of work.submitted)
    if (each.accepted && !each.over) violated('I4', `${name} is ${each.record?.state ?? 'not to be read'}`);
}

/** I5: what a task returned is in the record once, and as it returned it; no record says more than was done. */
function nothingLost({ tasks, attempts }, returns, motions, violated) {
  const completed = new Map();
  for (const attempt of attempts)
    if (attempt.state === 'completed') {
      if (completed.has(attempt.task_run_id)) violated('I5', `task ${attempt.task_run_id} completed twice`);
      completed.set(attempt.task_run_id, attempt.id);
    }
  const ended = new Map();
  for (const motion of motions)
    if (motion.end !== undefined) ended.set(attemptOf(motion), (ended.get(attemptOf(motion)) ?? 0) + 1);
  for (const task of tasks) {
    if (task.state !== 'completed') continue;
    const attempt = completed.get(task.id);
    if (attempt === undefined) {
      violated('I5', `task ${task.name} is completed by no attempt`);
      continue;
    }
    const wanted = task.output_parameters?.moved;
    if (wanted !== undefined && (ended.get(attempt) ?? 0) !== wanted)
      violated(
        'I5',
        `task ${task.name} says ${wanted} motions; the instruments made ${ended.get(attempt) ?? 0}`,
      );
    if (task.type !== 'work') continue;
    const returned = returns.get(attempt);
    if (returned === undefined) violated('I5', `task ${task.name} is completed and never returned`);
    else if (returned.token !== task.output_parameters.token)
      violated(
        'I5',
        `task ${task.name} returned ${returned.token}; the record has ${task.output_parameters.token}`,
      );
  }
}

/** I6: a file is the same where it was made, in the record, and as it is downloaded. */
async function filesIntact({ tasks, runs, attempts }, returns, url, violated) {
  const completed = new Map(
    attempts.filter((each) => each.state === 'completed').map((each) => [each.task_run_id, each.id]),
  );
  const runNames = new Map(runs.map((run) => [run.id, run.name]));
  let files = 0;
  for (const task of tasks) {
    const returned = returns.get(completed.get(task.id));
    if (task.type !== 'work' || task.state !== 'completed' || !returned) continue;
    const [file] = task.output_files;
    if (returned.bytes === 0) continue;
    if (file?.size !== returned.bytes || file.sha256 !== returned.sha256) {
      violated('I6', `task ${task.name}: the record of its file differs from the file`);
      continue;
    }
    const run = task.run_id === null ? '' : `?protocol_run_name=${runNames.get(task.run_id)}`;
    const answer = await fetch(`${url}/api/tasks/${task.name}/files/data.bin${run}`);
    const sha256 = createHash('sha256')
      .update(Buffer.from(await answer.arrayBuffer()))
      .digest('hex');
    if (answer.status !== 200 || sha256 !== returned.sha256)
      violated('I6', `task ${task.name}: its file is downloaded with ${answer.status} and another content`);
    files += 1;
  }
  return files;
}

/** I7: the events of a record are numbered from 1 without gap, in order. */
function eventsGapFree({ events }, violated) {
  const last = new Map();
  for (const { aggregate, seq } of events) {
    const expected = (last.get(aggregate) ?? 0) + 1;
    if (seq !== expected) violated('I7', `event ${seq} of ${aggregate} where ${expected} was due`);
    last.set(aggregate, seq);
  }
}

/** I8: leaders follow each other; none decides after the next has. */
function oneLeader({ attempts }, violated) {
  let highest = 0;
  for (const attempt of attempts) {
    const epoch = Number(attempt.epoch);
    if (epoch < highest)
      violated('I8', `attempt ${attempt.id} of epoch ${epoch} was made after epoch ${highest}`);
    highest = Math.max(highest, epoch);
  }
}

/** I9: at most one question in a hundred is about a task that cannot have been in the middle of anything. */
function noFalseAlarms({ attention, attempts }, motions, violated) {
  const moved = new Set(motions.map(attemptOf));
  const states = new Map(attempts.map((attempt) => [attempt.id, attempt.state]));
  const asked = attention.filter((item) => item.kind === 'task');
  const needless = asked.filter(
    (item) => !moved.has(item.attempt_id) && states.get(item.attempt_id) === 'never_ran',
  );
  if (needless.length > Math.max(1, asked.length / 100))
    violated('I9', `${needless.length} of ${asked.length} questions were about tasks that never ran`);
}

/** I10: when all is over nothing is held, nothing runs, and nothing is left to be acknowledged. */
function nothingLeft({ allocations, attention }, leftovers, ledgers, violated) {
  for (const row of allocations)
    if (row.task_run_id !== null || row.held_by_run_id !== null)
      violated('I10', `${row.kind} ${row.key} is held`);
  for (const item of attention) if (item.state === 'open') violated('I10', `question ${item.id} is open`);
  for (const { pid, command } of leftovers)
    violated('I10', `process ${pid} is left: ${command.slice(0, 120)}`);
  for (const { computer, open, damaged } of ledgers) {
    if (open > 0) violated('I10', `the ledger of ${computer} has ${open} attempts that are not acknowledged`);
    if (damaged) violated('I10', `the ledger of ${computer} is damaged`);
  }
}
