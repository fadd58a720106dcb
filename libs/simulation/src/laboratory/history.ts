import { isActive, isTerminal, isQueued, type TaskRunState } from '@lab/contracts';
import { allocationKey, type Change, type RowSet, type TaskRunRow } from '@lab/engine';

/** A period in which only devices, resources or the plan kept a task from starting. Milliseconds since 1970. */
export interface Wait {
  from: number;
  to: number;
}

export interface TaskHistory {
  id: string;
  /** `<protocol run>/<task>`, or the name of the on-demand task. */
  label: string;
  run: string | null;
  createdAt: number;
  /** When the task was first queued; null: never. */
  readyAt: number | null;
  waits: Wait[];
  /** Periods in which an attempt ran. */
  spells: { start: number; end: number; ended: boolean }[];
}

/** A use of a device or resource. */
export interface UnitSpell {
  what: 'use' | 'hold' | 'out';
  /** Label of the task that used it, or name of the run that held it; null: it was out of order. */
  by: string | null;
  start: number;
  end: number;
}

/** Records, from the commits, when each task waited and ran and how each device and resource was used. */
export class History {
  readonly tasks = new Map<string, TaskHistory>();
  /** By allocation key: `device:<lab>.<device>` or `resource:<name>`. */
  readonly units = new Map<string, UnitSpell[]>();
  /** Number of unfinished tasks, runs and campaigns. */
  open = 0;
  /** Rises with every start and end of a task. */
  progress = 0;
  /** Greatest number of tasks that ran at the same time. */
  maxParallel = 0;
  #running = 0;
  readonly #present = new Map<string, UnitSpell>();
  readonly #unitsOf = new Map<string, Set<string>>();
  readonly #out = new Set<string>();

  /**
   * @param rows the committed rows, read after every noted commit
   * @param now reads the clock
   * @param onRunOver called with the name of each run that ends
   */
  constructor(
    private readonly rows: RowSet,
    private readonly now: () => number,
    private readonly onRunOver: (name: string) => void = () => undefined,
  ) {
    for (const row of rows.campaigns.values()) if (!isTerminal(row.state)) this.open += 1;
    for (const row of rows.protocolRuns.values()) if (!isTerminal(row.state)) this.open += 1;
    for (const row of rows.taskRuns.values()) this.#adopt(row);
    for (const row of rows.allocations.values()) {
      const key = allocationKey(row.kind, row.key);
      if (row.taskRunId !== null) this.#owns(row.taskRunId, key);
      this.#look(key);
    }
  }

  /** @param changes already applied to the rows */
  note(changes: readonly Change[]): void {
    const touched = new Set<string>();
    for (const change of changes) {
      switch (change.op) {
        case 'insertCampaign':
        case 'insertProtocolRun':
          this.open += 1;
          break;
        case 'insertTaskRun':
          this.#adopt(change.row);
          break;
        case 'updateCampaign':
        case 'updateProtocolRun': {
          // A commit sets a state only to change it, and terminal states never change.
          if (change.patch.state === undefined || !isTerminal(change.patch.state)) break;
          this.open -= 1;
          const run = this.rows.protocolRuns.get(change.id);
          if (run !== undefined) this.onRunOver(run.name);
          break;
        }
        case 'updateTaskRun':
          this.#changed(change.id, change.patch.state);
          for (const key of this.#unitsOf.get(change.id) ?? []) touched.add(key);
          break;
        case 'claim':
        case 'pass':
          this.#owns(change.taskRunId, allocationKey(change.kind, change.key));
          touched.add(allocationKey(change.kind, change.key));
          break;
        case 'hold':
        case 'release':
          touched.add(allocationKey(change.kind, change.key));
          break;
        default:
          break;
      }
    }
    for (const key of touched) this.#look(key);
  }

  /** A device goes out of order, or comes back. @param device `<lab>.<device>` */
  outOfOrder(device: string, isOut: boolean): void {
    const key = allocationKey('device', device);
    if (isOut) this.#out.add(key);
    else this.#out.delete(key);
    this.#look(key);
  }

  /** Ends all open periods at the end of the simulation. */
  close(): void {
    const now = this.now();
    for (const key of [...this.#present.keys()]) this.#put(key, undefined);
    for (const task of this.tasks.values()) {
      const row = this.rows.taskRuns.get(task.id);
      const wait = task.waits.at(-1);
      if (row !== undefined && isQueued(row.state) && wait !== undefined) wait.to = now;
      const spell = task.spells.at(-1);
      if (spell !== undefined && !spell.ended) spell.end = now;
    }
  }

  #adopt(row: TaskRunRow): void {
    if (isTerminal(row.state)) return;
    const run = row.runId === null ? undefined : this.rows.protocolRuns.get(row.runId);
    const task: TaskHistory = {
      id: row.id,
      label: run === undefined ? row.name : `${run.name}/${row.name}`,
      run: run?.name ?? null,
      createdAt: row.createdAt,
      readyAt: row.queuedAt,
      waits: [],
      spells: [],
    };
    this.tasks.set(row.id, task);
    if (run === undefined) this.open += 1;
    if (isQueued(row.state)) task.waits.push({ from: row.queuedAt ?? this.now(), to: this.now() });
    if (isActive(row.state)) this.#begin(task, row.startedAt ?? this.now());
  }

  #changed(id: string, state: TaskRunState | undefined): void {
    const task = this.tasks.get(id);
    const row = this.rows.taskRuns.get(id);
    if (task === undefined || row === undefined || state === undefined) return;
    const now = this.now();
    const spell = task.spells.at(-1);
    const isRunning = spell !== undefined && !spell.ended;
    if (isRunning && !isActive(state)) {
      spell.end = now;
      spell.ended = true;
      this.#running -= 1;
      this.progress += 1;
    }
    const wait = task.waits.at(-1);
    if (isQueued(state)) {
      task.readyAt ??= now;
      task.waits.push({ from: now, to: now });
    } else if (wait !== undefined && !isRunning) wait.to = now;
    if (state === 'running' && !isRunning) this.#begin(task, now);
    if (isTerminal(state)) {
      this.progress += 1;
      if (row.runId === null) this.open -= 1;
    }
  }

  #begin(task: TaskHistory, at: number): void {
    task.spells.push({ start: at, end: at, ended: false });
    this.progress += 1;
    this.#running += 1;
    this.maxParallel = Math.max(this.maxParallel, this.#running);
  }

  #owns(task: string, key: string): void {
    const keys = this.#unitsOf.get(task) ?? new Set<string>();
    keys.add(key);
    this.#unitsOf.set(task, keys);
  }

  /** Records the present use of a unit if it has changed. */
  #look(key: string): void {
    const row = this.rows.allocations.get(key);
    const task =
      row === undefined || row.taskRunId === null ? undefined : this.rows.taskRuns.get(row.taskRunId);
    if (task !== undefined && isActive(task.state)) {
      this.#put(key, { what: 'use', by: this.tasks.get(task.id)?.label ?? task.name });
      return;
    }
    const holder = row === undefined ? null : row.heldByRunId;
    if (this.#out.has(key)) this.#put(key, { what: 'out', by: null });
    else if (holder !== null)
      this.#put(key, { what: 'hold', by: this.rows.protocolRuns.get(holder)?.name ?? holder });
    else this.#put(key, undefined);
  }

  #put(key: string, next: { what: UnitSpell['what']; by: string | null } | undefined): void {
    const now = this.now();
    const present = this.#present.get(key);
    if (present?.what === next?.what && present?.by === next?.by) return;
    if (present !== undefined) {
      present.end = now;
      this.#present.delete(key);
      if (present.end === present.start) this.units.get(key)?.pop();
    }
    if (next === undefined) return;
    const spell = { ...next, start: now, end: now };
    const spells = this.units.get(key) ?? [];
    spells.push(spell);
    this.units.set(key, spells);
    this.#present.set(key, spell);
  }
}
