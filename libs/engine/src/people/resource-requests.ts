import { isInline, maxInlineBytes, ServiceError, type JsonObject } from '@lab/contracts';
import { hintFor } from '@lab/definitions/model';
import type { LabMap } from '../labs/index.js';
import { type ResourceRow, conflict } from '../rows/index.js';
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

/** Request to change metadata of a resource. */
export interface SetAsked extends ResetAsked {
  /** A value replaces that of the same name; null removes it. */
  meta: JsonObject;
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

  /**
   * Changes metadata of a resource. If a running task holds it, the values that the task reports replace the change.
   *
   * @throws ServiceError `not_found`; `wrong_state` when it is held and the change is not forced; `invalid` when a forced
   *   change has no reason, or the metadata would become too large
   */
  set(asked: SetAsked): Promise<{ name: string }> {
    return this.loop.submit('change of a resource', (turn) =>
      setResource(turn, this.person(asked.by), this.labs(), asked),
    );
  }
}

function resetResource(turn: Turn, person: Person, labs: LabMap, asked: ResetAsked): { name: string } {
  const { name } = asked;
  const row = found(turn, labs, asked);
  const declared = labs.resources.get(name);
  if (declared === undefined)
    throw conflict(
      labs.labs.has(row.lab)
        ? `the laboratory "${row.lab}" has no resource "${name}" any more`
        : `the laboratory "${row.lab}" of the resource "${name}" is not loaded`,
    );
  change(turn, person, 'resource.reset', asked, row, declared);
  // The file may have changed the type of the resource, so other tasks may now start with it.
  turn.state.dispatchDue = true;
  return { name };
}

function setResource(turn: Turn, person: Person, labs: LabMap, asked: SetAsked): { name: string } {
  const { name } = asked;
  const row = found(turn, labs, asked);
  const entries = Object.entries({ ...row.meta, ...asked.meta });
  const meta = Object.fromEntries(entries.filter(([, value]) => value !== null));
  if (!isInline(meta)) {
    const message = `would make the data of "${name}" larger than ${maxInlineBytes / 1024} KiB as JSON`;
    const faults = [{ path: 'meta', code: 'isInline', message, hint: 'remove a value by null' }];
    throw new ServiceError('invalid', `The change ${message}.`, { faults });
  }
  change(turn, person, 'resource.set', asked, row, { ...row, meta });
  return { name };
}

/** The resource as it is stored. @throws ServiceError `invalid` when the request is forced without a reason; `not_found` */
function found(turn: Turn, labs: LabMap, { name, reason, force }: ResetAsked): ResourceRow {
  if (force && reason.trim() === '') {
    const hint = 'give the reason';
    const faults = [{ path: 'reason', code: 'required', message: 'is missing', hint }];
    throw new ServiceError('invalid', 'A forced change of a resource needs a reason.', { faults });
  }
  const row = turn.state.rows.resources.get(name);
  if (row === undefined) throw unknown(name, labs);
  return row;
}

/** Stores the new data of a resource, with an audit entry. @throws ServiceError `wrong_state` when it is held */
function change(
  turn: Turn,
  person: Person,
  action: 'resource.reset' | 'resource.set',
  { name, reason, force }: ResetAsked,
  before: ResourceRow,
  after: ResourceRow,
): void {
  const holder = holderOf(turn.state, name);
  if (holder !== null && !force)
    throw conflict(`${holder} has the resource "${name}". To change it anyway, set force and give a reason.`);
  turn.emit({ op: 'putResource', row: after });
  audit(turn, person, action, `resource/${name}`, {
    before: before.meta,
    after: after.meta,
    reason,
    ...(holder === null ? {} : { held_by: holder }),
  });
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
