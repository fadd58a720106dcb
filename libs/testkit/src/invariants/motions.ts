import type { AttemptFact, Facts, Motion, Ownership, StopFact } from './facts.js';
import { groupBy } from './lists.js';

/** Until an agent that heard of a stop has stopped the process of every device, in milliseconds. */
const stopMs = 1_000;

/** I1 */
export function* oneMotionAtATime({ motions }: Facts): Iterable<string> {
  const seen = new Set<string>();
  const last = new Map<string, Motion>();
  for (const motion of motions) {
    const { call, device, at } = motion;
    if (seen.has(`${device} ${call}`)) yield `${device} did ${call} twice`;
    seen.add(`${device} ${call}`);
    const before = last.get(device);
    if (before !== undefined && at < (before.end ?? Infinity))
      yield `${device} began ${call} during ${before.call}`;
    last.set(device, motion);
  }
}

/** I2 */
export function* attemptsInOrder({ attempts, motions, executions, tasks }: Facts): Iterable<string> {
  const byId = new Map(attempts.map((attempt) => [attempt.id, attempt]));
  const latest = new Map<string, number>();
  for (const { attempt: id, device, call, at } of byTime(motions)) {
    if (id === null) continue;
    const attempt = byId.get(id);
    if (attempt === undefined) {
      yield `${device} began ${call} of no attempt that was recorded`;
      continue;
    }
    const { settledAt, state, number, task } = attempt;
    if (settledAt !== null && at > settledAt)
      yield `${device} began ${call} ${at - settledAt} ms after the end of its attempt was recorded (${state})`;
    if (state === 'never_ran') yield `attempt ${id} is recorded as never begun and moved ${device}`;
    const highest = latest.get(task) ?? 0;
    if (number < highest) yield `attempt ${number} of task ${task} moved ${device} after attempt ${highest}`;
    latest.set(task, Math.max(highest, number));
  }
  const known = new Set(tasks.map(({ id }) => id));
  const siblings = groupBy(attempts, ({ task }) => task);
  const runs = new Map<string, number>();
  for (const { attempt: id, beganAt } of executions) {
    runs.set(id, (runs.get(id) ?? 0) + 1);
    const attempt = byId.get(id);
    if (attempt === undefined) {
      yield `attempt ${id} ran and was never recorded`;
      continue;
    }
    if (attempt.state === 'never_ran') yield `attempt ${id} ran and is recorded as never begun`;
    if (!known.has(attempt.task)) yield `attempt ${id} is of no task run`;
    if (beganAt === undefined) continue;
    for (const { id: other, number, overAt } of siblings.get(attempt.task) ?? [])
      if (number < attempt.number && overAt !== undefined && (overAt ?? Infinity) > beganAt)
        yield `attempt ${id} ran before ${other} was over`;
  }
  for (const [id, count] of runs) if (count > 1) yield `attempt ${id} ran ${count} times`;
}

/** I3 */
export function* oneOwner(facts: Facts): Iterable<string> {
  const { motions, attempts, calls = [], owners } = facts;
  const past = new Map<string, string[]>();
  for (const { device, attempt } of byTime(motions)) {
    if (attempt === null) continue;
    const had = past.get(device) ?? [];
    const present = had.at(-1);
    if (present === attempt) continue;
    if (had.includes(attempt)) yield `${attempt} moved ${device} after the device was given to ${present}`;
    past.set(device, [...had, attempt]);
  }
  const highest = new Map<string, number>();
  for (const { computer, device, call, fence } of calls) {
    const key = `${computer} ${device}`;
    const before = highest.get(key) ?? 0;
    if (fence < before) yield `${computer}: ${call} called ${device} with fence ${fence} after ${before}`;
    highest.set(key, Math.max(fence, before));
  }
  if (owners === undefined) return;
  const byId = new Map(attempts.map((attempt) => [attempt.id, attempt]));
  for (const motion of motions)
    if (motion.attempt !== null) yield* movedByOwner(motion, byId.get(motion.attempt), owners);
}

function* movedByOwner(
  { device, call, at, end }: Motion,
  attempt: AttemptFact | undefined,
  owners: ReadonlyMap<string, readonly Ownership[]>,
): Iterable<string> {
  const past = owners.get(`device:${device}`);
  const owner = ownerAt(past, at);
  if (attempt === undefined) yield `${device} began ${call} of no attempt that was recorded`;
  else if (owner?.taskRunId !== attempt.task)
    yield `${device} began ${call}, but ${owner?.taskRunId ?? 'nobody'} had the device`;
  else if (owner.fence !== attempt.fences?.get(device)) yield `${device} began ${call} under an old fence`;
  if (attempt === undefined || end === undefined || attempt.decided) return;
  if (ownerAt(past, end)?.taskRunId !== attempt.task)
    yield `${device} was given away before ${call} had ended`;
}

/** Who had it at that moment. */
function ownerAt(past: readonly Ownership[] | undefined, at: number): Ownership | undefined {
  return past?.findLast((ownership) => ownership.at <= at);
}

/** stop */
export function* nothingMovesWhenStopped({ motions, attempts, stops = [] }: Facts): Iterable<string> {
  for (const stop of stops) {
    const { id, scope, from, until } = stop;
    for (const { id: attempt, createdAt, devices } of attempts)
      if (createdAt > from && createdAt < until && devices.some((device) => covers(stop, device)))
        yield `attempt ${attempt} was begun while people had stopped ${scope} (${id})`;
    for (const { device, at, call } of motions) {
      const heard = stop.heardAt?.(device);
      if (heard === undefined || !covers(stop, device)) continue;
      if (at > Math.max(heard, from) + stopMs && at < until)
        yield `${device} began ${call} while it was stopped (${id})`;
    }
  }
}

/** Whether a stop is about a device; a pause of the queue is about every one. */
function covers({ scope }: StopFact, device: string): boolean {
  const lab = device.slice(0, device.indexOf('.'));
  return ['all', 'queue', `lab:${lab}`, `device:${device}`].includes(scope);
}

function byTime(motions: readonly Motion[]): Motion[] {
  return [...motions].sort((a, b) => a.at - b.at);
}

/** I10 */
export function* nothingLeft({ allocations, left }: Facts): Iterable<string> {
  for (const { unit, taskRunId, heldByRunId } of allocations)
    if (taskRunId !== null || heldByRunId !== null) yield `${unit} is still allocated`;
  yield* left;
}

/** I8 */
export function* onlyTheLeaderWrites({ writes = [], leaderships = [] }: Facts): Iterable<string> {
  let highest = 0;
  for (const { what, at, epoch } of writes) {
    const leader = leaderships.findLast((each) => each.at <= at);
    if (epoch < highest) yield `epoch ${epoch} wrote ${what} after epoch ${highest}`;
    else if (leader !== undefined && leader.epoch !== epoch)
      yield `epoch ${epoch} wrote ${what} while epoch ${leader.epoch} led`;
    highest = Math.max(highest, epoch);
  }
}

/** I9 */
export function* noNeedlessQuestions({ questions = [], needlessShare = 0 }: Facts): Iterable<string> {
  const needless = questions.filter((question) => question.needless);
  if (needless.length <= questions.length * needlessShare) return;
  for (const { what } of needless) yield `${what}, and nothing had been lost`;
}
