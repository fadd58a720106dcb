import { isTerminal, type RunState, type TaskRunState } from '@lab/contracts';
import type {
  AttemptRow,
  CampaignRow,
  Change,
  EndedWork,
  NameKind,
  PatchOf,
  ProtocolRunRow,
  TaskRunRow,
} from '../rows/index.js';
import { type NewEvent, eventOf, ofCampaign, ofRun, ofTask } from './row-events.js';
import type { WorkingState } from './working-state.js';

/** Names that the store had when the turn began. */
export type TakenNames = ReadonlyMap<NameKind, ReadonlySet<string>>;

export function endedKey(kind: 'protocolRun' | 'campaign', name: string): string {
  return `${kind}/${name}`;
}

/** Changes take effect in the memory at once and are committed together. Effects run after a successful commit. */
export class Turn {
  readonly changes: Change[] = [];
  readonly effects: (() => void)[] = [];
  /** Attempts that this turn has decided to start. */
  readonly started = new Set<string>();

  constructor(
    readonly state: WorkingState,
    /** Milliseconds since 1970; constant during the turn. */
    readonly now: number,
    private readonly takenNames: TakenNames,
    private readonly endedWork: ReadonlyMap<string, EndedWork>,
  ) {}

  /**
   * Applies a change and adds it to the commit. For tasks, runs and campaigns the caller publishes the event once the
   * row is complete.
   *
   * @throws ServiceError when the change contradicts the state
   */
  emit(change: Change): void {
    this.state.apply(change);
    this.changes.push(change);
    this.publish(eventOf(this.state, change));
  }

  /** Loads finished work into the memory again. The caller must reopen it at once by further changes. */
  recall(work: EndedWork, campaign?: CampaignRow): void {
    this.state.recall(work, campaign);
  }

  /**
   * Runs `act` up to its first change, which is not made. Commands make all checks before that, so the command would be
   * accepted.
   *
   * @throws ServiceError the error with which `act` is refused
   */
  rehearse(act: (turn: Turn) => unknown): void {
    const rehearsal = new Rehearsal(this.state, this.now, this.takenNames, this.endedWork);
    try {
      act(rehearsal);
    } catch (error) {
      if (!(error instanceof FirstChange)) throw error;
    }
  }

  /** Runs `act` after the commit. */
  afterCommit(act: () => void): void {
    this.effects.push(act);
  }

  /** Says whether the store knew the name before the turn. Only for names that the command asked for. */
  isTaken(kind: NameKind, name: string): boolean {
    return this.takenNames.get(kind)?.has(name) ?? false;
  }

  /** Finished work of a name that the command asked for; undefined: it is not over. */
  ended(kind: 'protocolRun' | 'campaign', name: string): EndedWork | undefined {
    return this.endedWork.get(endedKey(kind, name));
  }

  setTask(task: TaskRunRow, state: TaskRunState, patch: PatchOf<TaskRunRow> = {}): void {
    this.emit({ op: 'updateTaskRun', id: task.id, patch: { ...patch, state } });
    this.publishTask(task.id);
  }

  setRun(run: ProtocolRunRow, state: RunState, patch: PatchOf<ProtocolRunRow> = {}): void {
    this.emit({ op: 'updateProtocolRun', id: run.id, patch: { ...patch, state } });
    this.publishRun(run.id);
  }

  setCampaign(campaign: CampaignRow, state: RunState, patch: PatchOf<CampaignRow> = {}): void {
    this.emit({ op: 'updateCampaign', id: campaign.id, patch: { ...patch, state } });
    this.publishCampaign(campaign.id);
    const drain = isTerminal(state) ? this.state.drainOf(campaign.id) : undefined;
    if (drain !== undefined)
      this.emit({ op: 'putDrain', row: { ...drain, endedAt: this.now, endedBy: 'service' } });
  }

  setAttempt(
    attempt: AttemptRow,
    state: AttemptRow['state'],
    patch: Partial<Omit<AttemptRow, 'id' | 'taskRunId' | 'number'>> = {},
  ): void {
    this.emit({ op: 'updateAttempt', id: attempt.id, patch: { ...patch, state } });
  }

  publishTask(id: string): void {
    this.publish(ofTask(this.state, id));
  }

  publishRun(id: string): void {
    this.publish(ofRun(this.state, id));
  }

  publishCampaign(id: string): void {
    this.publish(ofCampaign(this.state, id));
  }

  publish(event: NewEvent | undefined): void {
    if (event !== undefined) this.changes.push({ op: 'tell', event: { ...event, at: this.now } });
  }
}

/** Thrown in place of a change. */
class FirstChange extends Error {}

/** A turn that ends instead of making its first change. */
class Rehearsal extends Turn {
  override emit(): never {
    throw new FirstChange();
  }

  override recall(): never {
    throw new FirstChange();
  }

  override afterCommit(): never {
    throw new FirstChange();
  }

  override publish(): never {
    throw new FirstChange();
  }
}
