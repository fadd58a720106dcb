import { jsonEqual } from '@lab/ports';
import type { AttemptFact, ExecutionFact, Facts, FileFact, TaskFact } from './facts.js';
import { groupBy, isFinal } from './lists.js';

/** I4 */
export function* everythingEnds({ submissions, tasks, unfinished = [] }: Facts): Iterable<string> {
  for (const { name, state, cancelRequested } of submissions) {
    if (state === undefined) yield `${name} was accepted and is not in the record`;
    else if (!isFinal(state)) yield `${name} is ${state}`;
    if (state === 'cancelled' && cancelRequested === false)
      yield `${name} was cancelled, and nobody had asked for that`;
  }
  for (const { id, name, state } of tasks) if (!isFinal(state)) yield `${name} (${id}) is ${state}`;
  yield* unfinished;
}

/** I5 */
export function* resultsRecordedAsTheyEnded(facts: Facts): Iterable<string> {
  const { attempts, tasks, results = [], executions, motions } = facts;
  const byId = new Map(attempts.map((attempt) => [attempt.id, attempt]));
  for (const { computer, attempt: id, outcome, recordedAs } of results) {
    const attempt = byId.get(id);
    if (attempt === undefined) yield `${computer} kept a result of ${id}, which was never recorded`;
    else if (!attempt.decided && recordedAs?.includes(attempt.state) === false)
      yield `${computer} has the result ${outcome} of attempt ${id}, which is recorded as ${attempt.state}`;
  }
  const returned = new Map(
    executions.flatMap((run) => (run.returned === undefined ? [] : [[run.attempt, run.returned] as const])),
  );
  const made = new Map<string | null, number>();
  for (const { attempt, end } of motions)
    if (end !== undefined) made.set(attempt, (made.get(attempt) ?? 0) + 1);
  for (const { id, ends = 1 } of attempts) if (ends > 1) yield `the end of attempt ${id} is recorded twice`;
  const completedBy = groupBy(
    attempts.filter(({ state }) => state === 'completed'),
    ({ task }) => task,
  );
  for (const task of tasks) {
    const completed = completedBy.get(task.id) ?? [];
    if (completed.length > 1) yield `task ${task.name} (${task.id}) completed twice`;
    if (task.state === 'completed' && completed.length === 0 && task.decided !== true)
      yield `task ${task.name} is completed by no attempt`;
    for (const attempt of completed) {
      if (attempt.decided) continue;
      const said = returned.get(attempt.id);
      if (said === undefined) yield `attempt ${attempt.id} is recorded as completed and did not complete`;
      else if (isShown(task, attempt) && !recorded(task, said))
        yield `attempt ${attempt.id} returned ${JSON.stringify(said.outputs)}, not ${JSON.stringify(task.outputs)}`;
      const count = made.get(attempt.id) ?? 0;
      if (isShown(task, attempt) && task.motions !== undefined && task.motions !== count)
        yield `task ${task.name} says ${task.motions} motions; the instruments made ${count}`;
    }
  }
}

/** The record of the task shows this attempt. */
function isShown(task: TaskFact, { number }: AttemptFact): boolean {
  return task.state === 'completed' && (task.attempt ?? number) === number;
}

function recorded({ outputs }: TaskFact, said: NonNullable<ExecutionFact['returned']>): boolean {
  if (said.exact) return jsonEqual(outputs, said.outputs);
  return Object.entries(said.outputs).every(([name, value]) => jsonEqual(outputs?.[name], value));
}

/** I6 */
export function* filesIntact({ attempts, tasks, executions, stored }: Facts): Iterable<string> {
  const byId = new Map(attempts.map((attempt) => [attempt.id, attempt]));
  const byTask = new Map(tasks.map((task) => [task.id, task]));
  for (const { attempt: id, files } of executions) {
    const attempt = byId.get(id);
    if (attempt?.state !== 'completed' || attempt.decided) continue;
    const task = byTask.get(attempt.task);
    for (const file of files) {
      const inRecord = task?.files.find(({ name }) => name === file.name);
      if (!same(inRecord, file)) yield `${id}/${file.name} is not recorded as written`;
      if (stored !== undefined && !same(stored.get(`${id}/${file.name}`), file))
        yield `${id}/${file.name} is not stored as written`;
    }
  }
}

const same = (a: FileFact | undefined, b: FileFact): boolean => a?.size === b.size && a.sha256 === b.sha256;

/** I7 */
export function* eventsComplete({
  events = [],
  states = new Map<string, string | undefined>(),
}: Facts): Iterable<string> {
  const lastSeq = new Map<string, number>();
  const lastType = new Map<string, string>();
  const archived = new Set<string>();
  let last = -1;
  for (const { aggregate, seq, id = last + 1, type, archivedState } of events) {
    if (id <= last) yield `event ${id} comes after event ${last}`;
    last = id;
    const expected = (lastSeq.get(aggregate) ?? 0) + 1;
    if (seq !== expected) yield `event ${seq} of ${aggregate} where ${expected} was due`;
    lastSeq.set(aggregate, seq);
    // A deletion changes no state, and its work may be archived.
    if (type === undefined || /\.delet(ed|ion_\w+)$/.test(type)) continue;
    if (type.endsWith('.restored')) {
      if (!archived.delete(aggregate)) yield `${aggregate} was restored and had not been archived`;
    } else if (archived.has(aggregate)) yield `${aggregate} has ${type} while it was archived`;
    else if (type.endsWith('.archived')) {
      archived.add(aggregate);
      if (!isFinal(archivedState) || lastType.get(aggregate)?.endsWith(`.${archivedState}`) !== true)
        yield `${aggregate} was archived as ${archivedState}; its last event is ${lastType.get(aggregate)}`;
    } else lastType.set(aggregate, type);
  }
  for (const [aggregate, state] of states)
    if (state !== 'created' && lastType.get(aggregate)?.endsWith(`.${state}`) !== true)
      yield `${aggregate} is ${state}; its last event is ${lastType.get(aggregate)}`;
}

/** I11 */
export function* oneTrialForEachRun({ trials = [], searchedRuns = [] }: Facts): Iterable<string> {
  const byRun = new Map(trials.map((trial) => [trial.run, trial]));
  if (byRun.size < trials.length) yield 'two trials are of the same run';
  for (const { name, state, over, parameters, expected, measured } of searchedRuns) {
    const trial = byRun.get(name);
    if (trial === undefined) {
      yield `${name} has no trial`;
      continue;
    }
    if (!jsonEqual(trial.inputs, expected(trial)))
      yield `${name} has the inputs ${JSON.stringify(trial.inputs)}`;
    for (const [input, value] of Object.entries(trial.inputs)) {
      const [task = '', parameter = ''] = input.split('.');
      if (parameters?.[task]?.[parameter] !== value)
        yield `${name} ran with ${JSON.stringify(parameters)}, not ${JSON.stringify(trial.inputs)}`;
    }
    if (state === 'completed' ? trial.state !== 'measured' : over && trial.state !== 'failed')
      yield `${name} is ${state ?? 'nowhere'} and its trial ${trial.state ?? 'nowhere'}`;
    if (trial.state !== 'measured') continue;
    for (const [output, value] of Object.entries(trial.outputs ?? {}))
      if (measured.get(output) !== value) yield `${name} was measured otherwise than ${value}`;
  }
}
