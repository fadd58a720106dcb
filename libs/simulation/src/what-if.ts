import {
  awaitsAgent,
  isUsable,
  ServiceError,
  type DeviceRecord,
  type ProtocolRunSubmission,
  type SimulatedScheduler,
  type WhatIfRecord,
} from '@lab/contracts';
import {
  Durations,
  expectedEnd,
  type AttemptRow,
  type Definitions,
  type DurationSamples,
  type TaskRunRow,
  type WorkingRows,
} from '@lab/engine';
import { courseOf, type Luck } from './courses.js';
import { Laboratory, type SimulationPorts } from './laboratory.js';
import { policyOf } from './policies.js';
import { stuckTasks } from './record.js';

/** A laboratory at one moment. */
export interface Present {
  /** Milliseconds since 1970. */
  now: number;
  rows: WorkingRows;
  /** How long tasks took so far. */
  samples: DurationSamples[];
  devices: readonly Pick<DeviceRecord, 'lab_name' | 'name' | 'state'>[];
}

/** How far ahead is looked, in milliseconds. */
const horizonMs = 30 * 86_400_000;
/** Most other runs and tasks that are told of. */
const maxOthers = 500;
/** Runs to come of a campaign without a limit that are played through. */
const runsOfEndless = 100;
/** More tasks than this are not played through. */
const maxTasks = 5_000;

/**
 * Refuses to play through what is too much, which can be asked before anything of it is copied.
 *
 * @param going tasks that are going on
 * @throws ServiceError `invalid`
 */
export function requirePlayable(going: number): void {
  if (going <= maxTasks) return;
  const message = `${going} tasks are going on, but at most ${maxTasks} are played through`;
  throw refusal('', 'too_large', message);
}

/**
 * What would become of a protocol run if it was submitted at a moment, beside all that goes on then: the moment is
 * played through twice, without the run and with it.
 *
 * @throws ServiceError what the engine answers to such a submission; `invalid` when too much is going on; `aborted` when
 *   `shouldStop` said so
 */
export async function whatIf(
  submission: ProtocolRunSubmission,
  present: Present,
  definitions: Definitions,
  scheduler: SimulatedScheduler,
  ports: SimulationPorts,
): Promise<WhatIfRecord> {
  if (submission.resume === true) throw refusal('resume', 'not_supported', 'only a new run can be tried out');
  requirePlayable(present.rows.taskRuns.length);
  const without = await playOn(present, definitions, scheduler, ports);
  const together = await playOn(present, definitions, scheduler, ports, submission);
  const { rows } = together.store;
  const run = rows.protocolRuns.get(rows.protocolRunNames.get(submission.name) ?? '');
  const tasks = [...(rows.tasksOfRun.get(run?.id ?? '')?.values() ?? [])].flatMap(
    (id) => rows.taskRuns.get(id) ?? [],
  );
  const stuck = stuckTasks(together).filter(({ task }) => task.startsWith(`${submission.name}/`));
  return {
    at: iso(present.now) ?? '',
    scheduler: scheduler.type ?? 'greedy',
    name: submission.name,
    estimated_start: iso(run?.startedAt),
    estimated_end: run?.state === 'completed' ? iso(run.endedAt) : null,
    tasks: tasks.map((task) => ({
      name: task.name,
      type: task.type,
      devices: Object.fromEntries(
        Object.entries(task.devices).map(([slot, { lab_name, name }]) => [slot, `${lab_name}.${name}`]),
      ),
      resources: Object.fromEntries(Object.entries(task.resources).map(([slot, { name }]) => [slot, name])),
      estimated_start: iso(task.startedAt),
      estimated_end: iso(task.endedAt),
    })),
    others: othersOf(present.rows, without, together),
    notes: [
      ...stuck.map(({ task, waits_for }) => `${task} would wait for ever: ${waits_for.join('; ')}`),
      ...(run?.reason === null || run?.reason === undefined ? [] : [run.reason.message]),
    ],
  };
}

/** Of campaigns that have no end only so many runs to come: those are more than what is asked about waits for. */
function foreseeable(rows: WorkingRows): WorkingRows {
  const campaigns = rows.campaigns.map((row) =>
    row.maxProtocolRuns === 0 ? { ...row, maxProtocolRuns: row.runsStarted + runsOfEndless } : row,
  );
  return { ...rows, campaigns };
}

async function playOn(
  present: Present,
  definitions: Definitions,
  scheduler: SimulatedScheduler,
  ports: SimulationPorts,
  submission?: ProtocolRunSubmission,
): Promise<Laboratory> {
  const { now, samples } = present;
  const rows = foreseeable(present.rows);
  const durations = new Durations();
  durations.load(samples);
  const laboratory: Laboratory = new Laboratory({
    definitions,
    policy: (parts) => policyOf(scheduler, parts),
    ports,
    courseOf: (start) => courseOf(laboratory.store.rows, luck, start),
    now,
    rows,
    samples,
  });
  const { store } = laboratory;
  const expected = (task: TaskRunRow): number | null => {
    const run = task.runId === null ? undefined : store.rows.protocolRuns.get(task.runId);
    return run === undefined
      ? durations.of(null, task.type, null).expected
      : durations.of(run.type, task.name, null).expected;
  };
  const luck: Luck = { jitter: 0, seed: 1, durations: {}, failures: [], expected };
  const out = new Set(
    present.devices.flatMap(({ lab_name, name, state }) => (isUsable(state) ? [] : [`${lab_name}.${name}`])),
  );
  try {
    await laboratory.engine.start('simulation');
    await laboratory.agents.begin(definitions.labs(), {
      sessionOf: (computer) => rows.agents.find((agent) => agent.computer === computer)?.session,
      isOut: (device) => out.has(device),
      going: rows.attempts.flatMap((attempt) => goingOn(laboratory, attempt, luck)),
    });
    for (const device of out) laboratory.history.outOfOrder(device, true);
    await laboratory.settle();
    if (submission !== undefined) {
      const submitted = laboratory.engine.submitProtocolRun(submission);
      submitted.catch((error: unknown) => laboratory.fail(error));
    }
    await laboratory.run(now + horizonMs);
    laboratory.history.close();
    return laboratory;
  } finally {
    await laboratory.stop();
  }
}

/** An attempt that goes on, with the time that it is expected to take from now on. */
function goingOn({ store, clock }: Laboratory, attempt: AttemptRow, luck: Luck) {
  const task = store.rows.taskRuns.get(attempt.taskRunId);
  if (task === undefined || !awaitsAgent(attempt.state)) return [];
  const run = task.runId === null ? undefined : store.rows.protocolRuns.get(task.runId);
  const course = courseOf(store.rows, luck, {
    attempt_id: attempt.id,
    task_run_id: task.id,
    label: run === undefined ? task.name : `${run.name}/${task.name}`,
    task_type: task.type,
    devices: attempt.devices,
    resources: task.resources,
  });
  const now = clock.now();
  const { end } = expectedEnd(task.startedAt ?? now, course.ms / 1000, now);
  return [
    {
      id: attempt.id,
      to: { computer: attempt.computer, inc: attempt.inc, epoch: attempt.epoch },
      devices: Object.values(attempt.devices).map(({ lab, name }) => `${lab}.${name}`),
      course: { ...course, ms: end - now },
    },
  ];
}

function othersOf(
  { campaigns, protocolRuns, taskRuns }: WorkingRows,
  without: Laboratory,
  together: Laboratory,
): WhatIfRecord['others'] {
  const nameOf = new Map(campaigns.map(({ id, name }) => [id, name]));
  const compare = (
    kind: WhatIfRecord['others'][number]['kind'],
    { id, name }: { id: string; name: string },
    campaign: string | null,
  ): WhatIfRecord['others'][number] => {
    const table = { campaign: 'campaigns', protocol_run: 'protocolRuns', task: 'taskRuns' } as const;
    const endOf = ({ store }: Laboratory): number | null => {
      const row = store.rows[table[kind]].get(id);
      return row?.state === 'completed' ? row.endedAt : null;
    };
    const [before, after] = [endOf(without), endOf(together)];
    const delay = before === null || after === null ? null : (after - before) / 1000;
    return { kind, name, campaign, without: iso(before), with: iso(after), delay };
  };
  return [
    ...campaigns.map((row) => compare('campaign', row, null)),
    ...protocolRuns.map((row) =>
      compare('protocol_run', row, row.campaignId === null ? null : (nameOf.get(row.campaignId) ?? null)),
    ),
    ...taskRuns.filter((row) => row.runId === null).map((row) => compare('task', row, null)),
  ].slice(0, maxOthers);
}

function refusal(path: string, code: string, message: string): ServiceError {
  return new ServiceError('invalid', 'This cannot be simulated.', { faults: [{ path, code, message }] });
}

function iso(at: number | null | undefined): string | null {
  return at === null || at === undefined ? null : new Date(at).toISOString();
}
