import { isUnclear, ServiceError, type AttentionDecision, type Fault, type Reason } from '@lab/contracts';
import { checkParameters } from '@lab/definitions/model';
import { type AttemptRow, type AttentionRow, type TaskRunRow, conflict } from '../rows/index.js';
import type { Turn } from '../turn/index.js';
import { endTask, giveUp, isStopping, outputResources, putResources, queueAgain } from '../work/index.js';

/**
 * Carries out the decision about a task: it completed with the given outputs, it failed, or it is tried again.
 *
 * @throws ServiceError `invalid` with every fault of the outputs; `wrong_state` when the task needs no decision, or is
 *   being stopped and cannot be tried again
 */
export function decideTask(turn: Turn, item: AttentionRow, decision: AttentionDecision, by: string): void {
  const task = turn.state.rows.taskRuns.get(item.taskRunId ?? '');
  if (task === undefined || !isUnclear(task.state)) throw conflict('the task needs no decision any more');
  const note = decision.note === undefined || decision.note === '' ? '' : `: ${decision.note}`;
  if (decision.action === 'completed') return complete(turn, task, decision, `${by} says so${note}`);
  const known = task.reason?.message ?? 'no detail';
  if (decision.action === 'failed') {
    const reason: Reason = { code: 'failed_by_person', message: `${by} decided so${note}; before: ${known}` };
    endAttempt(turn, task, 'failed', reason);
    return giveUp(turn, task, reason);
  }
  if (isStopping(turn.state, task))
    throw conflict(
      'the task is being stopped and cannot be tried again; decide that it has completed or failed',
    );
  endAttempt(turn, task, 'failed', {
    code: task.reason?.code ?? 'outcome_unknown',
    message: `${known}; ${by} decided to try it again${note}`,
  });
  queueAgain(turn, task, { reason: null, failures: 0 });
}

function complete(turn: Turn, task: TaskRunRow, decision: AttentionDecision, message: string): void {
  const definition = turn.state.definitionOf(task);
  const given = decision.output_parameters ?? {};
  const path = 'output_parameters';
  const outputs =
    definition === undefined
      ? { values: given, faults: [] }
      : checkParameters(definition.output_parameters, given, { path });
  const handed = decision.output_resources ?? {};
  const malformed = shapeFaults(handed);
  const resources =
    malformed.length > 0 ? { values: {}, faults: malformed } : outputResources(definition, task, handed);
  const faults = [...outputs.faults, ...resources.faults];
  if (faults.length > 0)
    throw new ServiceError(
      'invalid',
      `the outputs do not match the definition of ${task.type}: ${faults[0]?.path ?? ''}: ${faults[0]?.message ?? ''}`,
      { faults },
    );
  putResources(turn, resources.values, handed);
  const reason: Reason = { code: 'completed_by_person', message };
  endAttempt(turn, task, 'completed', reason);
  endTask(turn, task, 'completed', reason, {
    outputParameters: outputs.values,
    outputResources: resources.values,
  });
}

/** Checks resources that a person wrote by hand, which may have any shape. */
function shapeFaults(resources: Readonly<Record<string, unknown>>): Fault[] {
  return Object.entries(resources).flatMap(([slot, value]) => {
    const { name, meta } = value as { name?: unknown; meta?: unknown };
    const faults: Fault[] = [];
    const refuse = (key: string, message: string): void =>
      void faults.push({ path: `output_resources.${slot}.${key}`, code: 'wrong_type', message });
    if (typeof name !== 'string') refuse('name', 'must be the name of a resource');
    if (typeof meta !== 'object' || meta === null || Array.isArray(meta)) refuse('meta', 'must be an object');
    return faults;
  });
}

/** Ends the attempt of the task if it is still open. A decision does not tell when its process ended. */
function endAttempt(
  turn: Turn,
  task: TaskRunRow,
  state: Extract<AttemptRow['state'], 'completed' | 'failed'>,
  reason: Reason,
): void {
  const attempt = turn.state.rows.attempts.get(turn.state.rows.liveAttempts.get(task.id) ?? '');
  if (attempt !== undefined) turn.setAttempt(attempt, state, { reason });
}
