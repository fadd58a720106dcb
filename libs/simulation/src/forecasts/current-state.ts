import {
  awaitsAgent,
  isUsable,
  ServiceError,
  type DeviceRecord,
  type SimulatedScheduler,
} from '@lab/contracts';
import {
  Durations,
  expectedEnd,
  isOfRollout,
  type AttemptRow,
  type Definitions,
  type DurationSamples,
  type Engine,
  type TaskRunRow,
  type WorkingRows,
} from '@lab/engine';
import { Laboratory, type Luck, type SimulationPorts, courseOf, policyOf } from '../laboratory/index.js';

/** The state of a laboratory at one moment. */
export interface CurrentState {
  /** Milliseconds since 1970. */
  now: number;
  rows: WorkingRows;
  /** Observed durations of tasks so far. */
  samples: DurationSamples[];
  devices: readonly Pick<DeviceRecord, 'lab_name' | 'name' | 'state'>[];
}

/** Simulated time, in milliseconds. */
const horizonMs = 30 * 86_400_000;
/** Number of coming runs that are simulated of a campaign without a limit. */
const runsOfEndless = 100;
/** Greatest number of simulated tasks. */
const maxTasks = 5_000;

/**
 * Refuses to simulate too much unfinished work. The check needs no copy of the rows.
 *
 * @param going number of unfinished tasks
 * @throws ServiceError `invalid`
 */
export function requirePlayable(going: number): void {
  if (going <= maxTasks) return;
  const message = `${going} tasks are going on, but at most ${maxTasks} are played through`;
  throw new ServiceError('invalid', 'This cannot be simulated.', {
    faults: [{ path: '', code: 'too_large', message }],
  });
}

/** A time in milliseconds since 1970 as ISO 8601 in UTC. */
export function iso(at: number | null | undefined): string | null {
  return at === null || at === undefined ? null : new Date(at).toISOString();
}

/**
 * Limits the coming runs of campaigns without a limit. The submission in question does not wait for more. A rollout takes each
 * computer for minutes only and has no known end, so it is left out.
 */
function foreseeable(rows: WorkingRows): WorkingRows {
  const campaigns = rows.campaigns.map((row) =>
    row.maxProtocolRuns === 0 ? { ...row, maxProtocolRuns: row.runsStarted + runsOfEndless } : row,
  );
  return { ...rows, campaigns, rollouts: [], outages: rows.outages.filter((row) => !isOfRollout(row)) };
}

/**
 * Simulates a laboratory from one moment until all work is over, or for 30 days.
 *
 * @param submit submits further work at that moment; absent: none
 * @throws ServiceError as the engine for the submission; `aborted` when `shouldStop` returned true
 */
export async function playOn(
  current: CurrentState,
  definitions: Definitions,
  scheduler: SimulatedScheduler,
  ports: SimulationPorts,
  submit?: (engine: Engine) => Promise<unknown>,
): Promise<Laboratory> {
  const { now, samples } = current;
  const rows = foreseeable(current.rows);
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
    current.devices.flatMap(({ lab_name, name, state }) => (isUsable(state) ? [] : [`${lab_name}.${name}`])),
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
    submit?.(laboratory.engine).catch((error: unknown) => laboratory.fail(error));
    await laboratory.run(now + horizonMs);
    laboratory.history.close();
    return laboratory;
  } finally {
    await laboratory.stop();
  }
}

/** A running attempt with its expected remaining time. */
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
    parameters: task.inputParameters,
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
