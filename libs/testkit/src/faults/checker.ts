import type { AttemptState } from '@lab/contracts';
import { isOver, ownerAt, readCommits, type Committed, type CommittedAttempt } from './committed.js';
import { computerOf } from './schedule.js';
import { byHand, type Execution, type History, type InstrumentEntry } from './history.js';

/** The invariants, in the words of an operator. `stop`: of emergency stops; `defect`: an error where only refusals may be. */
export const invariants = {
  I1: 'effects of an instrument never overlap, and each call reaches it at most once',
  I2: 'an attempt runs at most once, a next one only when it is certain that the one before is over, and none begins to move anything when it is said to be over',
  I3: 'a device has one owner at a time, fences rise, only the owner moves it and keeps it to the end of the motion, and a run keeps what it holds',
  I4: 'what was accepted comes to an end, or is shown to a person, within 60 s after the last fault',
  I5: 'what ended durably is recorded once, as it ended; nothing is recorded as completed that did not complete',
  I6: 'files are stored as they were written',
  I7: 'the events of a record are complete, in order, and tell its last state',
  I8: 'only the leader writes',
  I9: 'a person is asked only when something was lost that could have known',
  I10: 'in the end nothing is allocated, running, or left behind',
  I11: 'every run of a campaign with an optimizer has one trial for ever, its own, made before it and measured as it was',
  stop: 'what people have stopped does not begin to move before they release it',
  defect: 'no error is raised that is not an answer',
} as const;
export type Invariant = keyof typeof invariants;

export interface Violation {
  invariant: Invariant;
  what: string;
}

/** What is known of the end of a simulation beside its history. */
export interface Ending {
  /** When the last fault was over. */
  endedAt: number;
  /** Not over 60 s after the faults, though nothing was asked of people. */
  late: readonly string[];
  /** Not over although people settled everything. */
  unfinished: readonly string[];
  /** Processes, files and ledger entries that are left. */
  leftovers: readonly string[];
}

/** Judges a history by its instruments, commits, ledgers and answers alone. */
export function check(history: History, ending: Ending): Violation[] {
  const violations: Violation[] = [];
  const found = (invariant: Invariant, what: string): void => void violations.push({ invariant, what });
  const committed = readCommits(history.commits);
  for (const { invariant, what } of committed.contradictions) found(invariant, what);
  for (const [device, log] of history.instruments) checkInstrument(device, log, committed, found);
  checkStops(history, found);
  checkExecutions(history, committed, found);
  for (const what of ending.late) found('I4', `${what} 60 s after the faults`);
  for (const what of ending.unfinished) found('I4', `${what} after people settled everything`);
  checkAcceptances(history, committed, found);
  checkResults(history, committed, found);
  checkFiles(history, committed, found);
  checkTrials(committed, found);
  checkEvents(history, committed, found);
  checkLeaders(history, found);
  checkAttention(history, committed, found);
  for (const what of ending.leftovers) found('I10', what);
  for (const [key, past] of committed.owners) {
    const last = past.at(-1);
    if (last?.taskRunId !== null || last.heldByRunId !== null) found('I10', `${key} is still allocated`);
  }
  for (const what of history.defects) found('defect', what);
  return violations;
}

type Found = (invariant: Invariant, what: string) => void;

/** The attempt that a tag `<attempt>#<number>` names. */
function attemptOf(tag: string): string {
  return tag.slice(0, tag.lastIndexOf('#'));
}

/** A person decided about it: nothing is known of its end but that. */
function wasDecided({ stages }: CommittedAttempt): boolean {
  return stages.some(({ state }) => state === 'needs_attention');
}

function checkInstrument(
  device: string,
  log: readonly InstrumentEntry[],
  committed: Committed,
  found: Found,
): void {
  const owners = committed.owners.get(`device:${device}`);
  const begun = new Set<string>();
  let moving: InstrumentEntry | undefined;
  for (const entry of log) {
    const attempt = committed.attempts.get(attemptOf(entry.tag));
    const owner = ownerAt(owners, entry.at);
    const owned = owner?.taskRunId === attempt?.taskRunId;
    if (entry.what === 'begin') {
      if (moving !== undefined) found('I1', `${device} began ${entry.tag} during ${moving.tag}`);
      if (begun.has(entry.tag)) found('I1', `${device} did ${entry.tag} twice`);
      begun.add(entry.tag);
      moving = entry;
      if (entry.tag.startsWith(byHand)) continue;
      const over = attempt?.stages.find((stage) => isOver([stage]) || stage.state === 'needs_attention');
      if (over !== undefined && entry.at > over.at)
        found('I2', `${device} began ${entry.tag} after it was recorded that its attempt is ${over.state}`);
      if (attempt === undefined) found('I3', `${device} began ${entry.tag} of no attempt that was committed`);
      else if (!owned)
        found('I3', `${device} began ${entry.tag}, but ${owner?.taskRunId ?? 'nobody'} had it`);
      else if (owner?.fence !== attempt.fences.get(device))
        found('I3', `${device} began ${entry.tag} under an old fence`);
    } else {
      if (moving?.tag === entry.tag) moving = undefined;
      if (attempt !== undefined && !owned && !wasDecided(attempt))
        found('I3', `${device} was given away before ${entry.tag} had ended`);
    }
  }
}

/** Until a stop that was heard has reached the process of every device, in milliseconds. */
const stopMs = 1_000;

function checkStops({ instruments, stops }: History, found: Found): void {
  for (const [id, { scope, engagedAt, releasedAt = Infinity, heardAt }] of stops)
    for (const [device, log] of instruments) {
      const heard = heardAt.get(computerOf(device));
      if (engagedAt === undefined || heard === undefined) continue;
      if (scope !== 'all' && scope !== `device:${device}`) continue;
      const from = Math.max(heard, engagedAt) + stopMs;
      for (const { what, at, tag } of log)
        if (what === 'begin' && at > from && at < releasedAt)
          found('stop', `${device} began ${tag} while it was stopped (${id})`);
    }
}

function checkExecutions({ executions }: History, { attempts, tasks }: Committed, found: Found): void {
  const times = new Map<string, number>();
  for (const { attempt: id, beganAt } of executions) {
    times.set(id, (times.get(id) ?? 0) + 1);
    const attempt = attempts.get(id);
    if (attempt === undefined) {
      found('I2', `attempt ${id} ran and was never committed`);
      continue;
    }
    const { stages, taskRunId, number } = attempt;
    if (stages.some(({ state }) => state === 'never_ran'))
      found('I2', `attempt ${id} ran and was recorded as never begun`);
    for (const other of attempts.values()) {
      if (other.taskRunId !== taskRunId || other.number >= number) continue;
      const end = isOver(other.stages) ? other.stages.at(-1)?.at : undefined;
      if (end === undefined || end > beganAt) found('I2', `attempt ${id} ran before ${other.id} was over`);
    }
    if (!tasks.has(taskRunId)) found('I2', `attempt ${id} is of no task run`);
  }
  for (const [id, count] of times) if (count > 1) found('I2', `attempt ${id} ran ${count} times`);
}

function checkAcceptances({ acceptances }: History, committed: Committed, found: Found): void {
  const tables = {
    protocolRun: committed.runs,
    campaign: committed.campaigns,
    onDemandTask: committed.tasks,
  };
  for (const { kind, name, id } of acceptances)
    if (tables[kind].get(id)?.name !== name) found('I4', `${kind} ${name} was accepted and is not there`);
}

/** What a result may be recorded as: outputs may not fit, and what was stopped for its timeout has failed. */
const endOf: Readonly<Record<string, readonly AttemptState[]>> = {
  completed: ['completed', 'failed'],
  failed: ['failed'],
  cancelled: ['cancelled', 'failed'],
};

function checkResults(history: History, { attempts, tasks }: Committed, found: Found): void {
  for (const { attempt: id, outcome } of history.durableResults) {
    const attempt = attempts.get(id);
    const last = attempt?.stages.at(-1)?.state;
    if (attempt === undefined) found('I5', `a result of ${id} was kept, which was never committed`);
    else if (last !== undefined && !wasDecided(attempt) && endOf[outcome.kind]?.includes(last) === false)
      found('I5', `attempt ${id} ended ${outcome.kind} and is recorded as ${last}`);
  }
  const returned = new Map<string, Execution>();
  for (const execution of history.executions)
    if (execution.returned !== undefined) returned.set(execution.attempt, execution);
  for (const attempt of attempts.values()) {
    if (attempt.stages.filter((stage) => isOver([stage])).length > 1)
      found('I5', `the end of attempt ${attempt.id} is recorded twice`);
    if (attempt.stages.at(-1)?.state !== 'completed' || wasDecided(attempt)) continue;
    const outputs = returned.get(attempt.id)?.returned?.outputs;
    const task = tasks.get(attempt.taskRunId);
    if (outputs === undefined)
      found('I5', `attempt ${attempt.id} is recorded as completed and did not complete`);
    else if (
      task?.attempt === attempt.number &&
      JSON.stringify(sorted(task.outputs)) !== JSON.stringify(sorted(outputs))
    )
      found(
        'I5',
        `attempt ${attempt.id} returned ${JSON.stringify(outputs)}, not ${JSON.stringify(task.outputs)}`,
      );
  }
}

function sorted(value: object | null): unknown {
  return value === null ? null : Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}

function checkFiles(history: History, { attempts, tasks }: Committed, found: Found): void {
  for (const execution of history.executions) {
    const attempt = attempts.get(execution.attempt);
    if (attempt?.stages.at(-1)?.state !== 'completed' || wasDecided(attempt)) continue;
    const task = tasks.get(attempt.taskRunId);
    for (const { name, size, sha256 } of execution.files) {
      const stored = history.stored.get(`${attempt.id}/${name}`);
      const told = task?.files.find((file) => file.name === name);
      if (stored?.sha256 !== sha256 || stored.size !== size)
        found('I6', `${attempt.id}/${name} is not stored as written`);
      if (told?.sha256 !== sha256 || told.size !== size)
        found('I6', `${attempt.id}/${name} is not recorded as written`);
    }
  }
}

function checkTrials({ trials, runs, campaigns, tasks }: Committed, found: Found): void {
  const byRun = new Map([...trials.values()].map((trial) => [trial.run, trial]));
  if (byRun.size < trials.size) found('I11', 'two trials are of the same run');
  for (const run of runs.values()) {
    if (campaigns.get(run.campaignId ?? '')?.optimize !== true) continue;
    const trial = byRun.get(run.name);
    const state = trial?.stages.at(-1)?.state;
    const end = run.stages.at(-1)?.state;
    if (trial === undefined) {
      found('I11', `${run.name} has no trial`);
      continue;
    }
    for (const [name, value] of Object.entries(trial.inputs)) {
      const [task = '', parameter = ''] = name.split('.');
      if (value !== trial.number * 3 || run.parameters?.[task]?.[parameter] !== value)
        found('I11', `${run.name} ran with ${JSON.stringify(run.parameters)}, not ${JSON.stringify(trial)}`);
    }
    if (end === 'completed' ? state !== 'measured' : isOver(run.stages) && state !== 'failed')
      found('I11', `${run.name} is ${end ?? 'nowhere'} and its trial ${state ?? 'nowhere'}`);
    if (state !== 'measured') continue;
    for (const [name, value] of Object.entries(trial.outputs ?? {})) {
      const task = [...tasks.values()].find(
        (each) => each.runId === run.id && `${each.name}.effects` === name,
      );
      if (task?.outputs?.['effects'] !== value)
        found('I11', `${run.name} was measured otherwise than ${value}`);
    }
  }
}

function checkEvents(
  { events }: History,
  { attempts, tasks, runs, campaigns }: Committed,
  found: Found,
): void {
  const last = new Map<string, { seq: number; type: string }>();
  const states = new Map<string, string>();
  const archived = new Set<string>();
  let id = 0;
  for (const event of events) {
    if (event.id <= id) found('I7', `event ${event.id} comes after event ${id}`);
    id = event.id;
    const before = last.get(event.aggregate)?.seq ?? 0;
    if (event.seq !== before + 1) found('I7', `${event.aggregate} has event ${event.seq} after ${before}`);
    last.set(event.aggregate, event);
    checkArchive(event, states, archived, found);
  }
  const told = (aggregate: string, state: string | undefined): void => {
    const type = states.get(aggregate);
    if (state !== 'created' && type?.endsWith(`.${state}`) !== true)
      found('I7', `${aggregate} is ${state ?? 'not there'} and was last told as ${type ?? 'nothing'}`);
  };
  for (const { id: key, stages } of attempts.values()) told(`attempt/${key}`, stages.at(-1)?.state);
  for (const { id: key, stages } of tasks.values()) told(`task_run/${key}`, stages.at(-1)?.state);
  for (const { id: key, stages } of runs.values()) told(`protocol_run/${key}`, stages.at(-1)?.state);
  for (const { id: key, stages } of campaigns.values()) told(`campaign/${key}`, stages.at(-1)?.state);
}

/** What is archived is over, and stays so until it is restored. */
function checkArchive(
  { aggregate, type, body }: History['events'][number],
  states: Map<string, string>,
  archived: Set<string>,
  found: Found,
): void {
  if (type.endsWith('.restored')) {
    if (!archived.delete(aggregate)) found('I7', `${aggregate} was restored and had not been archived`);
  } else if (archived.has(aggregate)) found('I7', `${aggregate} was told as ${type} while it was archived`);
  else if (type.endsWith('.archived')) {
    archived.add(aggregate);
    const state = String(body['state']);
    if (
      !/^(completed|failed|cancelled|skipped)$/.test(state) ||
      states.get(aggregate)?.endsWith(`.${state}`) !== true
    )
      found(
        'I7',
        `${aggregate} was archived as ${state} and was last told as ${states.get(aggregate) ?? 'nothing'}`,
      );
  } else states.set(aggregate, type);
}

function checkLeaders({ commits, leaderships }: History, found: Found): void {
  for (const { at, epoch } of commits) {
    const leader = leaderships.findLast((each) => each.at <= at);
    if (leader?.epoch !== epoch) found('I8', `epoch ${epoch} wrote while epoch ${leader?.epoch ?? 0} led`);
  }
}

function checkAttention({ losses }: History, { attempts }: Committed, found: Found): void {
  for (const { id, stages, computers, fences } of attempts.values()) {
    const asked = stages.find(({ state }) => state === 'needs_attention');
    const made = stages[0]?.at ?? 0;
    if (asked === undefined) continue;
    const explained = losses.some(
      ({ at, until, kind, who }) =>
        until >= made &&
        at <= asked.at &&
        kind !== 'orchestrator' &&
        (kind === 'stop' || computers.has(who) || fences.has(who)),
    );
    if (!explained) found('I9', `a person was asked about attempt ${id}, and nothing had been lost`);
  }
}
