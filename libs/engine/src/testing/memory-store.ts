import {
  isTerminal,
  mayBeResumed,
  ServiceError,
  workWords,
  type DeletionScope,
  type WorkKind,
} from '@lab/contracts';
import type { Clock } from '@lab/ports';
import {
  type ArchiveRow,
  type AuditRow,
  type CampaignRow,
  type Change,
  type DeletionRow,
  type DurationSamples,
  type EndedPage,
  type EndedWork,
  type NameKind,
  type NamedWork,
  type OutboxRow,
  type ProtocolRunRow,
  type RowSet,
  type Store,
  type TaskRunRow,
  type UsageRow,
  type WorkingRows,
  applyChange,
  emptyRowSet,
  trialsOf,
  workingRowsOf,
} from '../rows/index.js';

/** A stored event with its position overall and within its aggregate. Both count from 1 without gaps. */
export interface StoredEvent extends OutboxRow {
  id: number;
  seq: number;
}

/**
 * A store in memory under the contract of {@link Store}. It outlives its engines, so a test restarts an engine on the
 * same store. It shares no object with its callers.
 */
export class MemoryStore implements Store {
  readonly events: StoredEvent[] = [];
  /** Audit entries, oldest first. */
  readonly audit: AuditRow[] = [];
  /** Archived and restored work, by id. */
  archive: ReadonlyMap<string, ArchiveRow> = new Map();
  /** Every deletion, by id. */
  readonly deletions = new Map<string, DeletionRow>();
  /** All applied commits, oldest first. */
  readonly commits: { epoch: number; changes: Change[] }[] = [];
  /** Called before each commit is applied. An error that it throws refuses the commit. */
  beforeCommit: ((changes: readonly Change[]) => void | Promise<void>) | undefined;
  /** Called after each commit was applied. An error that it throws is thrown to the caller. */
  afterCommit: ((changes: readonly Change[]) => void | Promise<void>) | undefined;
  /** Called before rows are loaded. An error that it throws is thrown to the caller. */
  beforeLoad: (() => void | Promise<void>) | undefined;
  #rows: RowSet = emptyRowSet();
  #everyOnDemandName = new Set<string>();
  #epoch = 0;
  #leader = { instance: '', expiresAt: -Infinity };
  #sequences = new Map<string, number>();

  /** @param clock determines when leases end; by default time stands still, and only leases of 0 ms end */
  constructor(private readonly clock: Clock = { now: () => 0 }) {}

  /** All committed rows, finished ones included. Read only. */
  get rows(): Readonly<RowSet> {
    return this.#rows;
  }

  lead(instance: string, leaseMs: number): Promise<number | null> {
    const now = this.clock.now();
    if (instance !== this.#leader.instance && this.#leader.expiresAt > now) return Promise.resolve(null);
    this.#epoch += 1;
    this.#leader = { instance, expiresAt: now + leaseMs };
    return Promise.resolve(this.#epoch);
  }

  renew(epoch: number, leaseMs: number): Promise<boolean> {
    if (epoch !== this.#epoch) return Promise.resolve(false);
    this.#leader.expiresAt = this.clock.now() + leaseMs;
    return Promise.resolve(true);
  }

  resign(epoch: number): Promise<void> {
    if (epoch === this.#epoch) this.#leader.expiresAt = -Infinity;
    return Promise.resolve();
  }

  async load(): Promise<WorkingRows> {
    await this.beforeLoad?.();
    return structuredClone(workingRowsOf(this.#rows));
  }

  async commit(epoch: number, changes: readonly Change[]): Promise<void> {
    const own = structuredClone(changes) as Change[];
    this.#refuseStale(epoch);
    await this.beforeCommit?.(own);
    this.#refuseStale(epoch);
    const next = copyOf(this.#rows);
    for (const change of own) applyChange(next, change);
    const archive = archiveAfter(this.archive, own, next);
    this.#rows = next;
    this.archive = archive;
    this.commits.push({ epoch, changes: own });
    for (const change of own) {
      if (change.op === 'tell') this.#record(change.event);
      if (change.op === 'audit') this.audit.push(change.row);
      if (change.op === 'putDeletion') this.deletions.set(change.row.id, change.row);
      if (change.op === 'insertTaskRun' && change.row.runId === null)
        this.#everyOnDemandName.add(change.row.name);
    }
    await this.afterCommit?.(own);
  }

  async usage(): Promise<UsageRow[]> {
    await this.beforeLoad?.();
    return structuredClone([...this.#rows.usage.values()]);
  }

  takenNames(kind: NameKind, names: readonly string[]): Promise<Set<string>> {
    const taken = {
      protocolRun: this.#rows.protocolRunNames,
      campaign: this.#rows.campaignNames,
      onDemandTask: this.#everyOnDemandName,
    }[kind];
    return Promise.resolve(new Set(names.filter((name) => taken.has(name))));
  }

  durations(most: number): Promise<DurationSamples[]> {
    const { attempts, taskRuns, protocolRuns } = this.#rows;
    const samples = new Map<string, { protocol: string | null; task: string; ms: number[] }>();
    const completed = [...attempts.values()]
      .filter((row) => row.state === 'completed' && row.reason === null)
      .sort((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0) || (a.id < b.id ? 1 : -1));
    for (const { taskRunId, createdAt, endedAt } of completed) {
      const task = taskRuns.get(taskRunId);
      if (task === undefined) continue;
      const protocol = protocolRuns.get(task.runId ?? '')?.type ?? null;
      const name = protocol === null ? task.type : task.name;
      const key = JSON.stringify([protocol, name]);
      const known = samples.get(key) ?? { protocol, task: name, ms: [] };
      if (known.ms.length < most) known.ms.push((endedAt ?? createdAt) - createdAt);
      samples.set(key, known);
    }
    return Promise.resolve([...samples.values()]);
  }

  async ended(kind: 'protocolRun' | 'campaign', name: string): Promise<EndedWork | undefined> {
    await this.beforeLoad?.();
    const rows = this.#rows;
    const run =
      kind === 'campaign' ? undefined : rows.protocolRuns.get(rows.protocolRunNames.get(name) ?? '');
    const campaign = rows.campaigns.get(
      kind === 'campaign' ? (rows.campaignNames.get(name) ?? '') : (run?.campaignId ?? ''),
    );
    const asked = kind === 'campaign' ? campaign : run;
    if (asked === undefined || !isTerminal(asked.state)) return undefined;
    const protocolRuns =
      run !== undefined
        ? [run]
        : [...rows.protocolRuns.values()]
            .filter((row) => row.campaignId === asked.id && mayBeResumed(row.state))
            .sort(byId);
    const runs = new Set(protocolRuns.map((row) => row.id));
    const hashes = new Set([asked, ...protocolRuns].map((row) => row.definitionHash));
    return structuredClone({
      campaign: campaign ?? null,
      protocolRuns,
      taskRuns: [...rows.taskRuns.values()]
        .filter((row) => row.runId !== null && runs.has(row.runId))
        .sort(byId),
      trials: kind === 'campaign' ? trialsOf(rows, [asked.id]) : [],
      definitions: [...rows.definitions.values()].filter((row) => hashes.has(row.hash)),
      archivedAt: this.#archivedAt(campaign?.id ?? asked.id),
    });
  }

  async named(kind: WorkKind, name: string): Promise<NamedWork | undefined> {
    await this.beforeLoad?.();
    const row = workIn(this.#rows, kind).findLast((each) => each.name === name);
    return row && this.#inShort(row);
  }

  async endedBefore(kind: WorkKind, { before, after, limit }: EndedPage): Promise<NamedWork[]> {
    await this.beforeLoad?.();
    return workIn(this.#rows, kind)
      .filter(({ id, state, endedAt }) => id > after && isTerminal(state) && (endedAt ?? before) < before)
      .map((row) => this.#inShort(row))
      .filter(({ id, campaign }) => campaign === null && !this.archive.has(id))
      .sort(byId)
      .slice(0, limit);
  }

  async deletableBefore(
    kind: WorkKind,
    what: DeletionScope,
    { before, after, limit }: EndedPage,
  ): Promise<NamedWork[]> {
    await this.beforeLoad?.();
    return workIn(this.#rows, kind)
      .filter(({ id, state }) => id > after && isTerminal(state))
      .filter(({ id, endedAt }) => {
        const at = what === 'files' ? endedAt : this.#archivedAt(id);
        return at !== null && at < before && !this.#deletedOrKept(id, what);
      })
      .map((row) => this.#inShort(row))
      .filter(({ campaign }) => campaign === null)
      .sort(byId)
      .slice(0, limit);
  }

  #deletedOrKept(workId: string, what: DeletionScope): boolean {
    return [...this.deletions.values()].some((row) => row.workId === workId && row.what === what);
  }

  #inShort(row: CampaignRow | ProtocolRunRow | TaskRunRow): NamedWork {
    const rows = this.#rows;
    const campaign =
      'campaignId' in row && row.campaignId !== null ? rows.campaigns.get(row.campaignId) : undefined;
    const used =
      'devices' in row
        ? [
            ...Object.values(row.devices).map(({ lab_name: lab }) => lab),
            ...Object.values(row.resources).flatMap((each) => rows.resources.get(each.name)?.lab ?? []),
          ]
        : [];
    const definition = rows.definitions.get(row.definitionHash);
    const labs = definition?.kind === 'protocol' ? definition.body.protocol.labs : used;
    return {
      id: row.id,
      name: row.name,
      state: row.state,
      owner: row.owner,
      labs: [...new Set(labs)].sort(),
      campaign: campaign?.name ?? null,
      archivedAt: this.#archivedAt(campaign?.id ?? row.id),
    };
  }

  #archivedAt(id: string): number | null {
    const row = this.archive.get(id);
    return row === undefined || row.restoredAt !== null ? null : row.archivedAt;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #refuseStale(epoch: number): void {
    if (epoch !== this.#epoch)
      throw new ServiceError('stale_message', `epoch ${epoch} was succeeded by ${this.#epoch}`);
  }

  #record(event: OutboxRow): void {
    const seq = (this.#sequences.get(event.aggregate) ?? 0) + 1;
    this.#sequences.set(event.aggregate, seq);
    this.events.push({ ...event, id: this.events.length + 1, seq });
  }
}

/** All work of a kind by creation. Of task runs, only the on-demand ones. */
function workIn(rows: RowSet, kind: WorkKind): (CampaignRow | ProtocolRunRow | TaskRunRow)[] {
  if (kind === 'campaign') return [...rows.campaigns.values()].sort(byId);
  if (kind === 'protocol_run') return [...rows.protocolRuns.values()].sort(byId);
  return [...rows.taskRuns.values()]
    .filter(({ runId }) => runId === null)
    .sort((a, b) => a.createdAt - b.createdAt || byId(a, b));
}

/** @throws ServiceError `wrong_state` when the work cannot be archived or restored */
function archiveAfter(
  before: ReadonlyMap<string, ArchiveRow>,
  changes: readonly Change[],
  rows: RowSet,
): ReadonlyMap<string, ArchiveRow> {
  const archive = new Map(before);
  for (const change of changes) {
    if (change.op === 'archive') {
      const { id, kind, name } = change.row;
      const work = workIn(rows, kind).find((row) => row.id === id);
      const what = `${workWords[kind]} "${name}"`;
      if (work === undefined || ('campaignId' in work && work.campaignId !== null))
        throw new ServiceError('wrong_state', `there is no ${what} by itself`);
      if (!isTerminal(work.state)) throw new ServiceError('wrong_state', `the ${what} is ${work.state}`);
      if (archive.get(id)?.restoredAt === null)
        throw new ServiceError('wrong_state', `the ${what} is archived already`);
      archive.set(id, change.row);
    }
    if (change.op === 'restore') {
      const row = archive.get(change.id);
      if (row?.restoredAt !== null) throw new ServiceError('wrong_state', `${change.id} is not archived`);
      archive.set(row.id, { ...row, restoredAt: change.at });
    }
  }
  return archive;
}

function byId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : 1;
}

/** A copy that changes independently of the original. Both share the rows, because rows are never mutated. */
function copyOf(set: RowSet): RowSet {
  const copies = Object.entries(set).map(([name, rows]) => [name, new Map<string, unknown>(rows)]);
  const tasksOfRun = new Map([...set.tasksOfRun].map(([run, tasks]) => [run, new Map(tasks)]));
  return { ...(Object.fromEntries(copies) as RowSet), tasksOfRun };
}
