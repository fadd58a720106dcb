import { ServiceError } from '@lab/contracts';
import { hintFor } from '@lab/definitions/model';
import type { LabMap } from '../labs/index.js';
import { conflict } from '../rows/index.js';
import { type Person, type Turn, type TurnLoop, type WorkingState, audit } from '../turn/index.js';

/** Request to reset the metadata of a resource. */
export interface ResetAsked {
  name: string;
  /** Person who asks, for the audit. */
  by: string;
  reason: string;
  /** Resets the resource even while a task or a protocol run holds it. */
  force: boolean;
}

/** Requests about resources. Each promise resolves after the commit. */
export class ResourceRequests {
  constructor(
    private readonly loop: TurnLoop,
    private readonly person: (by: string) => Person,
    private readonly labs: () => LabMap,
  ) {}

  /**
   * Resets a resource to the file of its laboratory. If a running task holds the resource, the values that the task
   * reports when it ends replace the reset.
   *
   * @throws ServiceError `not_found`; `wrong_state` when it is held and the reset is not forced, or its laboratory is
   *   not loaded; `invalid` when a forced reset has no reason
   */
  reset(asked: ResetAsked): Promise<{ name: string }> {
    return this.loop.submit('reset of a resource', (turn) =>
      resetResource(turn, this.person(asked.by), this.labs(), asked),
    );
  }
}

function resetResource(
  turn: Turn,
  person: Person,
  labs: LabMap,
  { name, reason, force }: ResetAsked,
): { name: string } {
  if (force && reason.trim() === '') {
    const hint = 'give the reason for the forced reset';
    const faults = [{ path: 'reason', code: 'required', message: 'is missing', hint }];
    throw new ServiceError('invalid', 'A forced reset needs a reason.', { faults });
  }
  const row = turn.state.rows.resources.get(name);
  const declared = labs.resources.get(name);
  if (row === undefined) throw unknown(name, labs);
  if (declared === undefined)
    throw conflict(
      labs.labs.has(row.lab)
        ? `the laboratory "${row.lab}" has no resource "${name}" any more`
        : `the laboratory "${row.lab}" of the resource "${name}" is not loaded`,
    );
  const holder = holderOf(turn.state, name);
  if (holder !== null && !force)
    throw conflict(`${holder} has the resource "${name}". To reset it anyway, set force and give a reason.`);
  turn.emit({ op: 'putResource', row: declared });
  // The file may have changed the type of the resource, so other tasks may now start with it.
  turn.state.dispatchDue = true;
  audit(turn, person, 'resource.reset', `resource/${name}`, {
    before: row.meta,
    after: declared.meta,
    reason,
    ...(holder === null ? {} : { held_by: holder }),
  });
  return { name };
}

function unknown(name: string, labs: LabMap): ServiceError {
  const hint = hintFor(name, labs.resources.keys());
  return new ServiceError(
    'not_found',
    `There is no resource named "${name}"${hint === undefined ? '.' : `: ${hint}`}`,
  );
}

/** The task or run that holds a resource, in words; null: none. */
function holderOf(state: WorkingState, name: string): string | null {
  const allocation = state.allocation('resource', name);
  if (allocation === undefined) return null;
  const { taskRunId, heldByRunId } = allocation;
  const task = taskRunId === null ? undefined : state.rows.taskRuns.get(taskRunId);
  if (task !== undefined && state.isInUse(allocation)) return `the task ${state.labelOf(task)}`;
  const run = heldByRunId === null ? undefined : state.rows.protocolRuns.get(heldByRunId);
  return run === undefined ? null : `the protocol run ${run.name}`;
}
