import { awaitsPerson, isActive, isQueued, isTerminal, isUnclear } from '@lab/contracts';
import type { ProtocolSnapshot, TaskDefinition, TaskSnapshot } from '@lab/definitions/model';
import {
  type AllocationKind,
  type AllocationRow,
  type CampaignRow,
  type Change,
  type DeletionRow,
  type DrainRow,
  type EndedWork,
  type ProtocolRunRow,
  type QueuePauseRow,
  type RowSet,
  type TaskRunRow,
  type UsageRow,
  type WorkingRows,
  allocationKey,
  applyChange,
  emptyRowSet,
  indexCampaign,
  indexRun,
  indexTaskRun,
  rowSetOf,
  usageKey,
  waitingForQuota,
} from '../rows/index.js';
import { Deadlines } from './deadlines.js';

/**
 * The engine's memory: all unfinished rows, uncommitted decisions included, with indexes. Only {@link apply} changes
 * it. After {@link load} everything is due, so the engine decides from the rows alone what a failed commit discarded.
 */
export class WorkingState {
  rows: RowSet = emptyRowSet();
  /** Task runs in the queue. */
  readonly queued = new Set<string>();
  /** Task runs that need a person's attention. */
  readonly unclear = new Set<string>();
  /** Queued task runs that are new since the last dispatch looked at them. */
  readonly arrivals = new Set<string>();
  /** Allocation deadlines of queued on-demand tasks. */
  readonly deadlines = new Deadlines();
  readonly dueRuns = new Set<string>();
  readonly dueCampaigns = new Set<string>();
  /** Trials that are new or have another state, by id, since the optimizers were last informed. */
  readonly changedTrials = new Set<string>();
  /** A change may let a queued task start. */
  dispatchDue = false;
  /** A change affects plans, although it lets no queued task start. */
  planDue = false;
  readonly #runsOfCampaign = new Map<string, Set<string>>();
  readonly #heldByRun = new Map<string, Set<string>>();
  #over = nothing();

  load(rows: WorkingRows): void {
    this.rows = rowSetOf(rows);
    for (const set of [this.queued, this.unclear, this.dueRuns, this.dueCampaigns, this.arrivals])
      set.clear();
    for (const index of [this.changedTrials, this.deadlines, this.#runsOfCampaign, this.#heldByRun])
      index.clear();
    this.#over = nothing();
    for (const row of this.rows.campaigns.values()) this.dueCampaigns.add(row.id);
    for (const row of this.rows.protocolRuns.values()) this.#indexRun(row);
    for (const row of this.rows.taskRuns.values()) this.#indexTask(row);
    for (const row of this.rows.allocations.values()) this.#indexHold(row);
    this.dispatchDue = true;
  }

  /** @throws ServiceError as {@link applyChange} does; the state is unchanged then */
  apply(change: Change): void {
    const before =
      change.op === 'release' || change.op === 'hold' ? this.allocation(change.kind, change.key) : undefined;
    const was = change.op === 'updateProtocolRun' ? this.rows.protocolRuns.get(change.id)?.state : undefined;
    applyChange(this.rows, change);
    switch (change.op) {
      case 'insertCampaign':
        this.dueCampaigns.add(change.row.id);
        break;
      case 'updateCampaign':
        this.dueCampaigns.add(change.id);
        if (change.patch.pausedAt !== undefined)
          for (const id of this.#runsOfCampaign.get(change.id) ?? []) this.dueRuns.add(id);
        if (change.patch.state !== undefined && isTerminal(change.patch.state))
          this.#over.campaigns.add(change.id);
        break;
      case 'insertTrial':
        this.changedTrials.add(change.row.id);
        this.dueCampaigns.add(change.row.campaignId);
        break;
      case 'updateTrial':
        this.changedTrials.add(change.id);
        break;
      case 'insertProtocolRun':
        this.#indexRun(change.row);
        break;
      case 'updateProtocolRun': {
        const row = this.rows.protocolRuns.get(change.id);
        if (row !== undefined) this.#indexRun(row);
        if (was !== undefined && awaitsPerson(was)) this.dispatchDue = true;
        if (change.patch.state !== undefined && awaitsPerson(change.patch.state)) this.planDue = true;
        break;
      }
      case 'insertTaskRun':
        this.#indexTask(change.row);
        break;
      case 'updateTaskRun': {
        const row = this.rows.taskRuns.get(change.id);
        if (row !== undefined) this.#indexTask(row);
        const { state } = change.patch;
        if (state !== undefined && (isTerminal(state) || isUnclear(state))) this.planDue = true;
        break;
      }
      case 'updateAttempt':
        if (change.patch.state !== undefined && isTerminal(change.patch.state))
          this.#over.attempts.add(change.id);
        break;
      case 'hold':
      case 'release': {
        const row = this.allocation(change.kind, change.key);
        const key = allocationKey(change.kind, change.key);
        if (before !== undefined && before.heldByRunId !== null)
          this.#heldByRun.get(before.heldByRunId)?.delete(key);
        if (row !== undefined) this.#indexHold(row);
        this.dispatchDue = true;
        break;
      }
      case 'putAttention':
        if (change.row.state !== 'open') this.#over.attention.add(change.row.id);
        break;
      case 'putEmergencyStop':
      case 'putQueuePause':
      case 'putOutage':
      case 'putReservation':
        this.dispatchDue = true;
        break;
      case 'putDrain':
        this.dispatchDue = true;
        for (const id of change.row.campaignId === null
          ? this.rows.campaigns.keys()
          : [change.row.campaignId])
          this.dueCampaigns.add(id);
        break;
      default:
        break;
    }
  }

  /** The store has counted anew what is used, which every decision of this memory had reached. Campaigns may find room. */
  recount(usage: readonly UsageRow[]): void {
    this.rows.usage.clear();
    for (const row of usage) this.rows.usage.set(usageKey(row.kind, row.name), row);
    for (const { id, reason } of this.rows.campaigns.values())
      if (reason?.code === waitingForQuota) this.dueCampaigns.add(id);
  }

  /** Loads finished work into the memory again. The caller must reopen it at once by further changes. */
  recall({ protocolRuns, taskRuns, trials, definitions }: EndedWork, campaign?: CampaignRow): void {
    if (campaign !== undefined) indexCampaign(this.rows, campaign);
    for (const row of protocolRuns) indexRun(this.rows, row);
    for (const row of taskRuns) indexTaskRun(this.rows, row);
    for (const row of trials) this.rows.trials.set(row.id, row);
    for (const row of definitions) this.rows.definitions.set(row.hash, row);
  }

  /** Removes finished work from the memory. Called after its commit. */
  forgetWhatIsOver(): void {
    const { runs, tasks, attempts, campaigns, attention } = this.#over;
    this.#over = nothing();
    for (const id of attention) this.rows.attention.delete(id);
    for (const id of attempts) this.rows.attempts.delete(id);
    for (const id of tasks) this.#forgetTask(id);
    for (const id of runs) {
      const run = this.rows.protocolRuns.get(id);
      for (const task of this.rows.tasksOfRun.get(id)?.values() ?? []) this.#forgetTask(task);
      this.rows.tasksOfRun.delete(id);
      this.rows.protocolRuns.delete(id);
      this.#heldByRun.delete(id);
      if (run !== undefined) this.rows.protocolRunNames.delete(run.name);
    }
    for (const id of campaigns) {
      const campaign = this.rows.campaigns.get(id);
      this.rows.campaigns.delete(id);
      this.#runsOfCampaign.delete(id);
      if (campaign?.optimize === true)
        for (const trial of this.rows.trials.values())
          if (trial.campaignId === id) this.rows.trials.delete(trial.id);
      if (campaign !== undefined) this.rows.campaignNames.delete(campaign.name);
    }
  }

  /** Task runs of a run, in the order of its protocol. */
  tasksOf(runId: string): TaskRunRow[] {
    const tasks: TaskRunRow[] = [];
    for (const id of this.rows.tasksOfRun.get(runId)?.values() ?? []) {
      const row = this.rows.taskRuns.get(id);
      if (row !== undefined) tasks.push(row);
    }
    return tasks;
  }

  taskOf(runId: string, name: string): TaskRunRow | undefined {
    const id = this.rows.tasksOfRun.get(runId)?.get(name);
    return id === undefined ? undefined : this.rows.taskRuns.get(id);
  }

  /** Unfinished runs of a campaign. */
  openRunsOf(campaignId: string): ProtocolRunRow[] {
    const runs: ProtocolRunRow[] = [];
    for (const id of this.#runsOfCampaign.get(campaignId) ?? []) {
      const row = this.rows.protocolRuns.get(id);
      if (row !== undefined && !isTerminal(row.state)) runs.push(row);
    }
    return runs;
  }

  allocation(kind: AllocationKind, key: string): AllocationRow | undefined {
    return this.rows.allocations.get(allocationKey(kind, key));
  }

  /** Runs that hold a device or resource, in use or between two tasks. */
  *holders(): Iterable<string> {
    for (const [id, keys] of this.#heldByRun) if (keys.size > 0) yield id;
  }

  /** Allocations that a run holds, in use or between two tasks. */
  heldBy(runId: string): AllocationRow[] {
    const rows: AllocationRow[] = [];
    for (const key of this.#heldByRun.get(runId) ?? []) {
      const row = this.rows.allocations.get(key);
      if (row !== undefined) rows.push(row);
    }
    return rows;
  }

  /** Says whether nothing of the run may start, because the run or its campaign is paused. */
  isPaused(run: ProtocolRunRow): boolean {
    if (run.pausedAt !== null) return true;
    const campaign = run.campaignId === null ? undefined : this.rows.campaigns.get(run.campaignId);
    return campaign !== undefined && campaign.pausedAt !== null;
  }

  /** The queue pause in force; undefined: there is none. */
  queuePause(): QueuePauseRow | undefined {
    for (const pause of this.rows.queuePauses.values()) if (pause.resumedAt === null) return pause;
    return undefined;
  }

  /** The drain in force of a campaign, or of all work if the id is null; undefined: there is none. */
  drainOf(campaignId: string | null): DrainRow | undefined {
    for (const drain of this.rows.drains.values())
      if (drain.endedAt === null && drain.campaignId === campaignId) return drain;
    return undefined;
  }

  /** The drain that keeps new runs of the campaign from beginning; undefined: they may begin. Null: no campaign. */
  drainOver(campaignId: string | null): DrainRow | undefined {
    if (this.rows.drains.size === 0) return undefined;
    return this.drainOf(null) ?? (campaignId === null ? undefined : this.drainOf(campaignId));
  }

  /** The deletion of a work that is planned or running; undefined: there is none. */
  deletionOf(workId: string): DeletionRow | undefined {
    for (const deletion of this.rows.deletions.values()) if (deletion.workId === workId) return deletion;
    return undefined;
  }

  /** Says whether a running task uses the allocation now. */
  isInUse(allocation: AllocationRow): boolean {
    if (allocation.taskRunId === null) return false;
    const task = this.rows.taskRuns.get(allocation.taskRunId);
    return task !== undefined && isActive(task.state);
  }

  protocolOf(run: { definitionHash: string }): ProtocolSnapshot | undefined {
    const row = this.rows.definitions.get(run.definitionHash);
    return row?.kind === 'protocol' ? row.body : undefined;
  }

  taskTypeOf(task: { definitionHash: string }): TaskSnapshot | undefined {
    const row = this.rows.definitions.get(task.definitionHash);
    return row?.kind === 'task' ? row.body : undefined;
  }

  /** The task type as it was when the task or its run was accepted. */
  definitionOf(task: TaskRunRow): TaskDefinition | undefined {
    const run = task.runId === null ? undefined : this.rows.protocolRuns.get(task.runId);
    return run === undefined ? this.taskTypeOf(task)?.task : this.protocolOf(run)?.tasks[task.type];
  }

  /** The name that people use: `<protocol run>/<task>`, or the name of the on-demand task. */
  labelOf(task: TaskRunRow): string {
    const run = task.runId === null ? undefined : this.rows.protocolRuns.get(task.runId);
    return run === undefined ? task.name : `${run.name}/${task.name}`;
  }

  #forgetTask(id: string): void {
    this.rows.taskRuns.delete(id);
    this.queued.delete(id);
    this.arrivals.delete(id);
    this.deadlines.delete(id);
  }

  #indexRun(row: ProtocolRunRow): void {
    this.dueRuns.add(row.id);
    if (isTerminal(row.state)) this.#over.runs.add(row.id);
    if (row.campaignId === null) return;
    const runs = this.#runsOfCampaign.get(row.campaignId) ?? new Set<string>();
    runs.add(row.id);
    this.#runsOfCampaign.set(row.campaignId, runs);
    this.dueCampaigns.add(row.campaignId);
  }

  #indexTask(row: TaskRunRow): void {
    if (isQueued(row.state)) {
      if (!this.queued.has(row.id)) this.arrivals.add(row.id);
      this.queued.add(row.id);
      this.dispatchDue = true;
      const at = allocationDeadline(row);
      if (at !== undefined) this.deadlines.set(row.id, at);
    } else if (this.queued.delete(row.id)) {
      this.arrivals.delete(row.id);
      this.deadlines.delete(row.id);
    }
    if (isUnclear(row.state)) this.unclear.add(row.id);
    else this.unclear.delete(row.id);
    if (row.runId !== null) this.dueRuns.add(row.runId);
    else if (isTerminal(row.state)) this.#over.tasks.add(row.id);
  }

  #indexHold(row: AllocationRow): void {
    if (row.heldByRunId === null) return;
    const keys = this.#heldByRun.get(row.heldByRunId) ?? new Set<string>();
    keys.add(allocationKey(row.kind, row.key));
    this.#heldByRun.set(row.heldByRunId, keys);
  }
}

/** The moment after which an on-demand task may not start, in milliseconds since 1970. Each retry sets it anew. */
function allocationDeadline(task: TaskRunRow): number | undefined {
  return task.allocationTimeout === null
    ? undefined
    : Math.max(task.queuedAt ?? task.createdAt, task.retryAt ?? 0) + Math.ceil(task.allocationTimeout * 1000);
}

function nothing() {
  return {
    runs: new Set<string>(),
    tasks: new Set<string>(),
    attempts: new Set<string>(),
    campaigns: new Set<string>(),
    attention: new Set<string>(),
  };
}
