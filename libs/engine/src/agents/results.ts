import {
  isTerminal,
  ServiceError,
  type AttemptOutcome,
  type AttemptResult,
  type Fault,
  type Reason,
  type ResultProblem,
} from '@lab/contracts';
import { checkParameters } from '@lab/definitions/model';
import type { Log } from '@lab/ports';
import { deviceKey } from '../labs/index.js';
import type { AttemptRow, TaskRunRow } from '../rows/index.js';
import type { Turn } from '../turn/index.js';
import {
  type AttemptEnd,
  type Durations,
  askAbout,
  endTask,
  failAttempt,
  isStopping,
  outputResources,
  putResources,
  stopOf,
} from '../work/index.js';
import type { AgentDirectory } from './agent-directory.js';

type Completed = Extract<AttemptOutcome, { kind: 'completed' }>;

/**
 * Records how an attempt ended. An unknown or ended one stays: its result was recorded, or a person decided.
 *
 * @throws ServiceError `stale_message` when the incarnation that reports it cannot have the attempt in its ledger
 */
export function recordResult(
  turn: Turn,
  ports: { log: Log; directory: AgentDirectory; durations: Durations },
  result: AttemptResult,
): void {
  const attempt = turn.state.rows.attempts.get(result.attempt_id);
  const task = attempt === undefined ? undefined : turn.state.rows.taskRuns.get(attempt.taskRunId);
  if (attempt === undefined || task === undefined || isTerminal(attempt.state)) return;
  if (attempt.computer !== result.computer) {
    ports.log.warn('result ignored: it comes from another computer than the attempt was sent to', {
      attempt: attempt.id,
      computer: result.computer,
    });
    return;
  }
  demandIncarnation(turn, attempt, result);
  const { outcome } = result;
  const calls = result.calls ?? null;
  const reported = endOf(ports.directory, attempt, result, turn.now);
  const runtime = result.runtime ?? null;
  const end: AttemptEnd = { calls, runtime, endedAt: reported ?? turn.now };
  switch (outcome.kind) {
    case 'completed':
      return complete(turn, ports.durations, attempt, task, outcome, end);
    case 'failed': {
      const { message: said, stack } = outcome.error;
      const message = withFullDisk(said, attempt.computer);
      const reason: Reason = { code: outcome.code, message, ...(stack === undefined ? {} : { stack }) };
      const patch = outcome.files === undefined ? {} : { outputFiles: outcome.files };
      return stopped(turn, ports.directory, attempt, task, 'failed', reason, end, patch);
    }
    case 'cancelled': {
      const reason: Reason =
        task.cancelRequestedAt === null
          ? { code: 'cancelled_by_agent', message: `computer ${attempt.computer} stopped the task` }
          : { code: 'cancelled_by_request', message: 'cancelled by request' };
      return stopped(turn, ports.directory, attempt, task, 'cancelled', reason, end);
    }
    case 'unknown':
      return needAttention(
        turn,
        attempt,
        task,
        { code: 'outcome_unknown', message: outcome.detail },
        { calls, runtime, endedAt: reported },
      );
  }
}

/**
 * The incarnation to which the attempt was sent may report its result, and so may the present agent of the computer, whose
 * ledger has what an earlier incarnation left.
 */
function demandIncarnation({ state }: Turn, attempt: AttemptRow, { computer, inc }: AttemptResult): void {
  const present = state.rows.agents.get(computer)?.inc;
  if (inc === attempt.inc || inc === present) return;
  throw new ServiceError(
    'stale_message',
    `incarnation ${inc} of computer ${computer} cannot report attempt ${attempt.id}: incarnation ${attempt.inc} got it, ` +
      `and incarnation ${present ?? 0} is registered; register first`,
  );
}

/** Names the computer of a task that failed because a disk is full. */
function withFullDisk(message: string, computer: string): string {
  return /\bENOSPC\b/.test(message) ? `the disk of computer ${computer} is full: ${message}` : message;
}

/**
 * When the process of an attempt ended, by the clock of the engine; null: nobody knows. A message that was late makes
 * the clock of its agent look slow, so the greater offset is the better one.
 */
function endOf(
  directory: AgentDirectory,
  attempt: AttemptRow,
  { ended_ms: ended, wall_ms: wall }: AttemptResult,
  now: number,
): number | null {
  if (ended === undefined || wall === undefined) return null;
  const offset = Math.max(wall - now, directory.get(attempt.computer)?.clock.ms ?? -Infinity);
  return Math.min(now, Math.max(attempt.createdAt, Math.round(ended - offset)));
}

/**
 * Asks a person about an attempt that may have begun and whose outcome is unknown. It keeps its devices and resources.
 *
 * @param end what its agent reported of its end; its time is null if nobody knows when the process ended
 */
export function needAttention(
  turn: Turn,
  attempt: AttemptRow,
  task: TaskRunRow,
  reason: Reason,
  end: Pick<AttemptRow, 'calls' | 'runtime' | 'endedAt'> = attempt,
): void {
  const { calls, runtime, endedAt } = end;
  if (attempt.state !== 'needs_attention')
    turn.setAttempt(attempt, 'needs_attention', {
      ...{ reason: stopOf(attempt) ?? reason, calls, runtime, endedAt },
    });
  if (task.state === 'running') askAbout(turn, task, reason);
}

/**
 * Settles an attempt that ended before it completed. The reason for a stop takes precedence over the reported end:
 * after a timeout the attempt has failed; after an emergency stop a person decides.
 */
function stopped(
  turn: Turn,
  directory: AgentDirectory,
  attempt: AttemptRow,
  task: TaskRunRow,
  state: 'failed' | 'cancelled',
  reason: Reason,
  end: AttemptEnd,
  patch: Pick<Partial<TaskRunRow>, 'outputFiles'> = {},
): void {
  const doubt = doubtOf(directory, attempt);
  if (doubt !== null) {
    const message = `${reason.message}; ${doubt}`;
    return needAttention(turn, attempt, task, { code: 'outcome_unknown', message }, end);
  }
  const stop = isStopping(turn.state, task) ? null : (stopOf(attempt) ?? emergencyStopOf(directory, attempt));
  if (stop === null) {
    if (state === 'failed') return failAttempt(turn, attempt, task, reason, end, patch);
    turn.setAttempt(attempt, 'cancelled', { reason, ...end });
    return endTask(turn, task, 'cancelled', reason, { endedAt: end.endedAt });
  }
  const message = state === 'failed' ? `${stop.message}; it ended with: ${reason.message}` : stop.message;
  const why = { ...reason, code: stop.code, message };
  if (stop.code === 'timeout') return failAttempt(turn, attempt, task, why, end);
  turn.setAttempt(attempt, state, { reason: why, ...end });
  askAbout(turn, task, why);
}

/**
 * The reason if the effect of a call of the attempt is unknown: the device may still move, so nobody else may get it.
 * The agent of the attempt waits for its own devices, but cannot know about devices of other agents.
 */
function doubtOf(directory: AgentDirectory, attempt: AttemptRow): string | null {
  for (const { computer, lab, name } of Object.values(attempt.devices)) {
    const key = deviceKey(lab, name);
    const calls = directory.get(computer)?.devices.get(key)?.doubt?.in_doubt ?? [];
    const call = calls.find(({ attempt_id: id }) => id === attempt.id);
    if (call !== undefined) return `whether ${call.function} of device ${key} took effect is not known`;
  }
  return null;
}

/** An emergency stop that an agent obeys and the engine has not recorded yet. */
function emergencyStopOf(directory: AgentDirectory, attempt: AttemptRow): Reason | null {
  for (const { computer, lab, name } of Object.values(attempt.devices)) {
    const halted = directory.get(computer)?.devices.get(deviceKey(lab, name))?.halted;
    if (halted !== undefined) return { code: 'emergency_stop', message: halted };
  }
  return null;
}

function complete(
  turn: Turn,
  durations: Durations,
  attempt: AttemptRow,
  task: TaskRunRow,
  outcome: Completed,
  end: AttemptEnd,
): void {
  const definition = turn.state.definitionOf(task);
  const outputs =
    definition === undefined || definition.unchecked_outputs === true
      ? { values: outcome.output_parameters, faults: [] }
      : checkParameters(definition.output_parameters, outcome.output_parameters, {
          path: 'output_parameters',
        });
  const resources = outputResources(definition, task, outcome.output_resources);
  const faults = [...outputs.faults, ...resources.faults];
  const data = {
    outputFiles: outcome.files.map(({ name, size, sha256 }) => ({ name, size, sha256 })),
    outputResources: resources.values,
  };
  putResources(turn, resources.values, outcome.output_resources);
  const { problem } = outcome;
  if (faults.length === 0 && problem === undefined) {
    turn.setAttempt(attempt, 'completed', { reason: null, ...end });
    const protocol = turn.state.rows.protocolRuns.get(task.runId ?? '')?.type ?? null;
    turn.afterCommit(() =>
      durations.observe(protocol, protocol === null ? task.type : task.name, end.endedAt - attempt.createdAt),
    );
    return endTask(turn, task, 'completed', null, {
      ...data,
      outputParameters: outputs.values,
      endedAt: end.endedAt,
    });
  }
  const reason = { code: problem?.code ?? 'invalid_output', message: mismatch(problem, faults) };
  failAttempt(turn, attempt, task, reason, end, {
    ...data,
    outputParameters: outcome.output_parameters,
  });
}

/** Why the result of a task that ended is not accepted: what was wrong with it, and each output that is missing or wrong. */
function mismatch(problem: ResultProblem | undefined, faults: readonly Fault[]): string {
  const outputs = faults
    .slice(0, 5)
    .map((fault) => `${fault.path}: ${fault.message}`)
    .join('; ');
  if (problem === undefined) return `the task ended, but its outputs do not match its definition: ${outputs}`;
  return `the task ended, but its result is not whole: ${problem.message}${outputs === '' ? '' : `; ${outputs}`}`;
}
