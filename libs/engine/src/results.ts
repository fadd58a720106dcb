import {
  isTerminal,
  type AttemptCalls,
  type AttemptOutcome,
  type AttemptResult,
  type Fault,
  type Reason,
  type ResourceValue,
} from '@lab/contracts';
import { checkParameters, type TaskDefinition } from '@lab/definitions/model';
import { askAbout, failAttempt, isStopping, stopOf } from './failure-policy.js';
import type { Log } from './ports.js';
import { endTask } from './runs.js';
import type { AttemptRow, TaskRunRow } from './rows.js';
import type { Turn } from './turn.js';

type Completed = Extract<AttemptOutcome, { kind: 'completed' }>;

/**
 * Records how an attempt ended. Idempotent: an attempt that has ended, or that nobody knows, is left alone, for its
 * result was recorded before or its end was decided by a person.
 */
export function recordResult(turn: Turn, log: Log, result: AttemptResult): void {
  const attempt = turn.state.rows.attempts.get(result.attempt_id);
  const task = attempt === undefined ? undefined : turn.state.rows.taskRuns.get(attempt.taskRunId);
  if (attempt === undefined || task === undefined || isTerminal(attempt.state)) return;
  if (attempt.computer !== result.computer) {
    log.warn('result ignored: it comes from another computer than the attempt was sent to', {
      attempt: attempt.id,
      computer: result.computer,
    });
    return;
  }
  const { outcome } = result;
  const calls = result.calls ?? null;
  switch (outcome.kind) {
    case 'completed':
      return complete(turn, attempt, task, outcome, calls);
    case 'failed': {
      const { message, stack } = outcome.error;
      const reason: Reason = { code: outcome.code, message, ...(stack === undefined ? {} : { stack }) };
      const patch = outcome.files === undefined ? {} : { outputFiles: outcome.files };
      return stopped(turn, attempt, task, 'failed', reason, calls, patch);
    }
    case 'cancelled': {
      const reason: Reason =
        task.cancelRequestedAt === null
          ? { code: 'cancelled_by_agent', message: `computer ${attempt.computer} stopped the task` }
          : { code: 'cancelled_by_request', message: 'cancelled by request' };
      return stopped(turn, attempt, task, 'cancelled', reason, calls);
    }
    case 'unknown':
      return needAttention(turn, attempt, task, { code: 'outcome_unknown', message: outcome.detail }, calls);
  }
}

/** It may have begun and nobody can know how it ended: a person has to look. Its allocation stays. */
export function needAttention(
  turn: Turn,
  attempt: AttemptRow,
  task: TaskRunRow,
  reason: Reason,
  calls: AttemptCalls | null = attempt.calls,
): void {
  if (attempt.state !== 'needs_attention')
    turn.setAttempt(attempt, 'needs_attention', { reason: stopOf(attempt) ?? reason, calls });
  if (task.state === 'running') askAbout(turn, task, reason);
}

/**
 * An attempt stopped before it had completed. Why it was to stop weighs more than how it took that: after a timeout it
 * has failed; after an emergency stop nothing goes on by itself.
 */
function stopped(
  turn: Turn,
  attempt: AttemptRow,
  task: TaskRunRow,
  state: 'failed' | 'cancelled',
  reason: Reason,
  calls: AttemptCalls | null,
  patch: Pick<Partial<TaskRunRow>, 'outputFiles'> = {},
): void {
  const stop = isStopping(turn.state, task) ? null : stopOf(attempt);
  if (stop === null) {
    if (state === 'failed') return failAttempt(turn, attempt, task, reason, calls, patch);
    turn.setAttempt(attempt, 'cancelled', { reason, calls, endedAt: turn.now });
    return endTask(turn, task, 'cancelled', reason);
  }
  const message = state === 'failed' ? `${stop.message}; it ended with: ${reason.message}` : stop.message;
  const why = { ...reason, code: stop.code, message };
  if (stop.code === 'timeout') return failAttempt(turn, attempt, task, why, calls);
  turn.setAttempt(attempt, state, { reason: why, calls, endedAt: turn.now });
  askAbout(turn, task, why);
}

function complete(
  turn: Turn,
  attempt: AttemptRow,
  task: TaskRunRow,
  outcome: Completed,
  calls: AttemptCalls | null,
): void {
  const definition = turn.state.definitionOf(task);
  const outputs =
    definition === undefined
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
  // What the task says of a resource goes over what another slot of it merely passes on.
  const said = (slot: string): number => (Object.hasOwn(outcome.output_resources, slot) ? 1 : 0);
  const byWeight = Object.entries(resources.values).sort(([a], [b]) => said(a) - said(b));
  for (const [, { name, meta }] of byWeight) {
    const row = turn.state.rows.resources.get(name);
    if (row !== undefined) turn.emit({ op: 'putResource', row: { ...row, meta } });
  }
  if (faults.length === 0) {
    turn.setAttempt(attempt, 'completed', { reason: null, calls, endedAt: turn.now });
    return endTask(turn, task, 'completed', null, { ...data, outputParameters: outputs.values });
  }
  const reason: Reason = {
    code: 'invalid_output',
    message: `the task ended, but its outputs are not what its definition says: ${faults
      .slice(0, 5)
      .map((fault) => `${fault.path}: ${fault.message}`)
      .join('; ')}`,
  };
  failAttempt(turn, attempt, task, reason, calls, {
    ...data,
    outputParameters: outcome.output_parameters,
  });
}

/** What the task left in its resources; one that it does not speak of is left as the task got it. */
function outputResources(
  definition: TaskDefinition | undefined,
  task: TaskRunRow,
  given: Readonly<Record<string, ResourceValue>>,
): { values: Record<string, ResourceValue>; faults: Fault[] } {
  const faults: Fault[] = [];
  const values = new Map<string, ResourceValue>();
  const owned = new Map(Object.values(task.resources).map((resource) => [resource.name, resource]));
  for (const slot of Object.keys(definition?.output_resources ?? {})) {
    const input = Object.hasOwn(task.resources, slot) ? task.resources[slot] : undefined;
    if (input !== undefined) values.set(slot, input);
    else if (!Object.hasOwn(given, slot))
      faults.push({ path: `output_resources.${slot}`, code: 'missing_resource', message: 'is required' });
  }
  for (const [slot, resource] of Object.entries(given)) {
    const path = `output_resources.${slot}`;
    const own = owned.get(resource.name);
    if (definition !== undefined && !Object.hasOwn(definition.output_resources, slot))
      faults.push({
        path,
        code: 'unknown_resource',
        message: `the task type has no output resource "${slot}"`,
      });
    else if (own === undefined)
      faults.push({
        path,
        code: 'not_allocated',
        message: `the task did not have the resource "${resource.name}"`,
      });
    else values.set(slot, { name: own.name, type: own.type, meta: resource.meta });
  }
  return { values: Object.fromEntries(values), faults };
}
