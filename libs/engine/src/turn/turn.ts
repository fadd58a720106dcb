import type { RunState, TaskRunState } from '@lab/contracts';
import type {
  AttemptRow,
  CampaignRow,
  Change,
  EndedWork,
  NameKind,
  ProtocolRunRow,
  TaskRunRow,
} from '../rows/index.js';
import { type Told, eventOf, ofCampaign, ofRun, ofTask } from './row-events.js';
import type { WorkingState } from './working-state.js';

/** Names that the store was asked about before the turn. */
export type TakenNames = ReadonlyMap<NameKind, ReadonlySet<string>>;

export function endedKey(kind: 'protocolRun' | 'campaign', name: string): string {
  return `${kind}/${name}`;
}

/**
 * One round of decisions. What is emitted is true in memory at once and committed together at the end; effects happen
 * after the commit, and not at all when it fails.
 */
export class Turn {
  readonly changes: Change[] = [];
  readonly effects: (() => void)[] = [];
  /** Attempts that this turn decided to start. */
  readonly started = new Set<string>();

  constructor(
    readonly state: WorkingState,
    /** Milliseconds since 1970; the same during the whole turn. */
    readonly now: number,
    private readonly takenNames: TakenNames,
    private readonly endedWork: ReadonlyMap<string, EndedWork>,
  ) {}

  /**
   * Attempts, trials, attention items, stops and resources are told of with their change; of tasks, runs and campaigns
   * one says when they are whole.
   *
   * @throws ServiceError when the change contradicts the state: a defect, or a conflict that nobody checked for.
   */
  emit(change: Change): void {
    this.state.apply(change);
    this.changes.push(change);
    this.tell(eventOf(this.state, change));
  }

  /** Takes back what was over and forgotten. To be followed at once by the changes that open it again. */
  recall(work: EndedWork, campaign?: CampaignRow): void {
    this.state.recall(work, campaign);
  }

  /**
   * Does as `act` does up to its first change, which is not made: whatever a command can be refused for it is refused
   * for before that, so what returns would have been accepted.
   *
   * @throws ServiceError what `act` would be refused with
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

  /** Did the store know the name before the turn? Only for names that the command asked for. */
  isTaken(kind: NameKind, name: string): boolean {
    return this.takenNames.get(kind)?.has(name) ?? false;
  }

  /** What is over, as the store said before the turn; undefined when it is not over. Only for a name that the command asked for. */
  ended(kind: 'protocolRun' | 'campaign', name: string): EndedWork | undefined {
    return this.endedWork.get(endedKey(kind, name));
  }

  setTask(task: TaskRunRow, state: TaskRunState, patch: Partial<Omit<TaskRunRow, 'id' | 'name'>> = {}): void {
    this.emit({ op: 'updateTaskRun', id: task.id, patch: { ...patch, state } });
    this.tellTask(task.id);
  }

  setRun(
    run: ProtocolRunRow,
    state: RunState,
    patch: Partial<Omit<ProtocolRunRow, 'id' | 'name'>> = {},
  ): void {
    this.emit({ op: 'updateProtocolRun', id: run.id, patch: { ...patch, state } });
    this.tellRun(run.id);
  }

  setCampaign(
    campaign: CampaignRow,
    state: RunState,
    patch: Partial<Omit<CampaignRow, 'id' | 'name'>> = {},
  ): void {
    this.emit({ op: 'updateCampaign', id: campaign.id, patch: { ...patch, state } });
    this.tellCampaign(campaign.id);
  }

  setAttempt(
    attempt: AttemptRow,
    state: AttemptRow['state'],
    patch: Partial<Omit<AttemptRow, 'id' | 'taskRunId' | 'number'>> = {},
  ): void {
    this.emit({ op: 'updateAttempt', id: attempt.id, patch: { ...patch, state } });
  }

  tellTask(id: string): void {
    this.tell(ofTask(this.state, id));
  }

  tellRun(id: string): void {
    this.tell(ofRun(this.state, id));
  }

  tellCampaign(id: string): void {
    this.tell(ofCampaign(this.state, id));
  }

  tell(told: Told | undefined): void {
    if (told !== undefined) this.changes.push({ op: 'tell', event: { ...told, at: this.now } });
  }
}

/** Thrown in place of a change. */
class FirstChange extends Error {}

/** A turn that is over where it would change something. */
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

  override tell(): never {
    throw new FirstChange();
  }
}
