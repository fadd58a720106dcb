import { isTerminal, mayBeResumed, ServiceError } from '@lab/contracts';
import { applyChange } from '../apply-change.js';
import type { Clock, EndedWork, NameKind, Store, WorkingRows } from '../ports.js';
import type { DurationSamples } from '../durations.js';
import { copyRowSet, emptyRowSet, trialsOf, workingRowsOf, type RowSet } from '../row-set.js';
import type { AuditRow, Change, OutboxRow } from '../rows.js';

/** An event as stored: with its place in the whole and within its aggregate, both from 1 and without gaps. */
export interface StoredEvent extends OutboxRow {
  id: number;
  seq: number;
}

/**
 * The store's twin in memory. It outlives the engines that use it, so that a restart is a new engine on the same store.
 *
 * @guarantees the contract of {@link Store}; nothing it hands out or was handed is shared with it.
 */
export class MemoryStore implements Store {
  readonly events: StoredEvent[] = [];
  /** The acts of people, oldest first. */
  readonly audit: AuditRow[] = [];
  /** Every commit that was applied, oldest first. */
  readonly commits: { epoch: number; changes: Change[] }[] = [];
  /** Called with every commit before it is applied; what it throws is thrown, and nothing is applied. */
  beforeCommit: ((changes: readonly Change[]) => void | Promise<void>) | undefined;
  /** Called after a commit was applied; what it throws is thrown although everything was applied. */
  afterCommit: ((changes: readonly Change[]) => void | Promise<void>) | undefined;
  /** Called before rows are loaded; what it throws is thrown. */
  beforeLoad: (() => void | Promise<void>) | undefined;
  #rows: RowSet = emptyRowSet();
  #everyOnDemandName = new Set<string>();
  #epoch = 0;
  #leader = { instance: '', expiresAt: -Infinity };
  #sequences = new Map<string, number>();

  /** @param clock by which leases end; without one time stands still, and only a lease of no time is ever over */
  constructor(private readonly clock: Clock = { now: () => 0 }) {}

  /** The rows as committed, finished ones included. To be read only. */
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
    const next = copyRowSet(this.#rows);
    for (const change of own) applyChange(next, change);
    this.#rows = next;
    this.commits.push({ epoch, changes: own });
    for (const change of own) {
      if (change.op === 'tell') this.#record(change.event);
      if (change.op === 'audit') this.audit.push(change.row);
      if (change.op === 'insertTaskRun' && change.row.runId === null)
        this.#everyOnDemandName.add(change.row.name);
    }
    await this.afterCommit?.(own);
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
    });
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

function byId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : 1;
}
