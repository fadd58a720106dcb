import type { JsonObject, SimulationScenario, TaskStart } from '@lab/contracts';
import type { RowSet, TaskRunRow } from '@lab/engine';
import type { ProtocolSnapshot, TaskDefinition } from '@lab/definitions/model';
import { chanceOf } from './chance.js';
import { type Course, noCalls, someCalls } from './simulated-agents.js';
import type { Twins } from './twins.js';
import { filesOf, outputsOf } from './values.js';

/** Durations and failures of the attempts of a simulation. */
export interface Luck {
  jitter: number;
  seed: number;
  /** Seconds by label, by `<protocol>.<task>` or by task type. */
  durations: Readonly<Record<string, number>>;
  /** Seconds that follow from a parameter, for tasks without an entry in `durations`. */
  paces?: NonNullable<SimulationScenario['paces']>;
  failures: NonNullable<SimulationScenario['failures']>;
  /** Calls of twins; absent: none. */
  calls?: SimulationScenario['calls'];
  /** Expected seconds of a task without an entry in `durations`; null: as its protocol declares. */
  expected: (task: TaskRunRow) => number | null;
}

/** A started attempt, as its agent gets it. */
export type Started = Pick<
  TaskStart,
  'attempt_id' | 'task_run_id' | 'label' | 'task_type' | 'devices' | 'parameters' | 'resources'
>;

/** Assumed duration in seconds of a task with no known duration. */
const unknownDuration = 1;

/**
 * How an attempt ends if nothing stops it. Depends only on the task, the number of the attempt and the seed, and for a task with calls on
 * the state of the twins.
 *
 * @param rows the committed rows
 * @param twins the twins and the time in milliseconds; absent: no task has calls
 */
export function courseOf(
  rows: RowSet,
  luck: Luck,
  start: Started,
  twins?: { twins: Twins; now: number },
): Course {
  const task = rows.taskRuns.get(start.task_run_id);
  const run = task === undefined || task.runId === null ? undefined : rows.protocolRuns.get(task.runId);
  const body = rows.definitions.get(run?.definitionHash ?? task?.definitionHash ?? '')?.body;
  const protocol = body !== undefined && 'protocol' in body ? body : undefined;
  const names = namesOf(start, task, run?.type);
  const attempt = String(rows.attempts.get(start.attempt_id)?.number ?? 1);
  const { seed, jitter } = luck;
  const chance = (what: string): number => chanceOf(seed, what, start.label, attempt);
  const called = twins && callsOf(luck, names, start, twins);
  const expected = called?.seconds ?? expectedSeconds(luck, names, start, task, protocol);
  const ms = Math.round(expected * 1000 * (1 + jitter * (2 * chance('duration') - 1)));
  for (const [index, failure] of luck.failures.entries()) {
    if (!names.includes(failure.task) || chance(`failure ${index}`) >= failure.probability) continue;
    const acted = failure.effects !== false && Object.keys(start.devices).length > 0;
    return {
      ms: Math.round(ms * chance(`moment ${index}`)),
      outcome: { kind: 'failed', code: 'task_error', error: { message: 'failed in the simulation' } },
      calls: acted ? someCalls : noCalls,
    };
  }
  const definition =
    body === undefined ? undefined : 'protocol' in body ? body.tasks[start.task_type] : body.task;
  return {
    ms,
    outcome: {
      kind: 'completed',
      output_parameters: {
        ...(definition === undefined ? {} : outputsOf(definition, task?.name ?? start.label, protocol)),
        ...called?.outputs,
      },
      output_resources: definition === undefined ? {} : newResources(definition, start),
      files: filesOf(task?.name ?? start.label, protocol),
    },
    calls: someCalls,
  };
}

/** Names by which a scenario may refer to the task, the most specific first. */
function namesOf(start: Started, task: TaskRunRow | undefined, protocol: string | undefined): string[] {
  return [
    start.label,
    ...(protocol === undefined || task === undefined ? [] : [`${protocol}.${task.name}`]),
    start.task_type,
  ];
}

/** What the calls of a task amount to. @returns undefined when it has none; no seconds: `durations` names the task */
function callsOf(
  { calls = [], durations }: Luck,
  names: readonly string[],
  start: Started,
  { twins, now }: { twins: Twins; now: number },
): { seconds: number | undefined; outputs: JsonObject } | undefined {
  const numbered = calls.map((call, index) => ({ call, index }));
  const name = names.find((each) => calls.some(({ task }) => task === each));
  if (name === undefined) return undefined;
  const { ms, outputs } = twins.course(
    numbered.filter(({ call }) => call.task === name),
    { devices: start.devices, parameters: start.parameters },
    now,
  );
  const isGiven = names.some((each) => Object.hasOwn(durations, each));
  return { seconds: isGiven ? undefined : ms / 1000, outputs };
}

function expectedSeconds(
  luck: Luck,
  names: readonly string[],
  { parameters }: Started,
  task: TaskRunRow | undefined,
  protocol: ProtocolSnapshot | undefined,
): number {
  for (const name of names)
    if (Object.hasOwn(luck.durations, name)) return luck.durations[name] ?? unknownDuration;
  for (const name of names) {
    const pace = luck.paces?.find((each) => each.task === name);
    const value = parameters[pace?.parameter ?? ''];
    if (pace !== undefined && typeof value === 'number')
      return Math.max(0, (pace.base ?? 0) + pace.each * value);
  }
  const known = task === undefined ? null : luck.expected(task);
  if (known !== null) return known;
  return protocol?.protocol.tasks.find(({ name }) => name === task?.name)?.duration ?? unknownDuration;
}

/** Output resources that a task passes on under another handle than that of the input. */
function newResources(definition: TaskDefinition, start: Started): TaskStart['resources'] {
  const own = Object.values(start.resources);
  return Object.fromEntries(
    Object.entries(definition.output_resources).flatMap(([slot, { type }]) => {
      if (Object.hasOwn(start.resources, slot)) return [];
      const resource = own.find((each) => each.type === type);
      return resource === undefined ? [] : [[slot, resource]];
    }),
  );
}
