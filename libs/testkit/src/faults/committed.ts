import type { AttemptState, FileRecord, JsonObject, RunState, TaskRunState } from '@lab/contracts';
import type { Commit } from './history.js';

/** A state that was committed, with when. */
export interface Stage<State> {
  at: number;
  state: State;
}

export interface CommittedAttempt {
  id: string;
  taskRunId: string;
  number: number;
  computer: string;
  /** By `<lab>.<device>`. */
  fences: Map<string, number>;
  computers: Set<string>;
  stages: Stage<AttemptState>[];
}

export interface CommittedTask {
  id: string;
  name: string;
  runId: string | null;
  stages: Stage<TaskRunState>[];
  outputs: JsonObject | null;
  files: FileRecord[];
  attempt: number;
}

export interface CommittedRun {
  id: string;
  name: string;
  stages: Stage<RunState>[];
}

/** Who had a device or resource, from each moment on. */
export interface Ownership {
  at: number;
  taskRunId: string | null;
  heldByRunId: string | null;
  fence: number;
}

/** What the commits say, told anew from their changes alone: a reading of its own beside the engine's and the store's. */
export interface Committed {
  attempts: Map<string, CommittedAttempt>;
  tasks: Map<string, CommittedTask>;
  runs: Map<string, CommittedRun>;
  campaigns: Map<string, CommittedRun>;
  /** By `<kind>:<key>`. */
  owners: Map<string, Ownership[]>;
  /** Steps that contradict what was committed before. */
  contradictions: { invariant: 'I2' | 'I3'; what: string }[];
}

const over: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled', 'skipped', 'never_ran']);

/** Nothing can follow. */
export function isOver(stages: readonly Stage<string>[]): boolean {
  return over.has(stages.at(-1)?.state ?? '');
}

export function readCommits(commits: readonly Commit[]): Committed {
  const committed: Committed = {
    attempts: new Map(),
    tasks: new Map(),
    runs: new Map(),
    campaigns: new Map(),
    owners: new Map(),
    contradictions: [],
  };
  for (const commit of commits) for (const change of commit.changes) read(committed, commit.at, change);
  return committed;
}

function read(committed: Committed, at: number, change: Commit['changes'][number]): void {
  const { attempts, tasks, runs, campaigns, contradictions } = committed;
  switch (change.op) {
    case 'insertAttempt': {
      const { id, taskRunId, number, computer, devices, state } = change.row;
      for (const other of attempts.values())
        if (other.taskRunId === taskRunId && !isOver(other.stages))
          contradictions.push({
            invariant: 'I2',
            what: `attempt ${id} was made while ${other.id} was not over`,
          });
      const bindings = Object.values(devices);
      attempts.set(id, {
        id,
        taskRunId,
        number,
        computer,
        fences: new Map(bindings.map(({ lab, name, fence }) => [`${lab}.${name}`, fence])),
        computers: new Set([computer, ...bindings.map((device) => device.computer)]),
        stages: [{ at, state }],
      });
      return;
    }
    case 'updateAttempt': {
      const attempt = attempts.get(change.id);
      if (change.patch.state !== undefined) attempt?.stages.push({ at, state: change.patch.state });
      return;
    }
    case 'insertTaskRun': {
      const { id, name, runId, state, attempt } = change.row;
      tasks.set(id, { id, name, runId, stages: [{ at, state }], outputs: null, files: [], attempt });
      return;
    }
    case 'updateTaskRun': {
      const task = tasks.get(change.id);
      if (task === undefined) return;
      const { state, outputParameters, outputFiles, attempt } = change.patch;
      if (state !== undefined) task.stages.push({ at, state });
      if (outputParameters !== undefined) task.outputs = outputParameters;
      if (outputFiles !== undefined) task.files = outputFiles;
      if (attempt !== undefined) task.attempt = attempt;
      return;
    }
    case 'insertProtocolRun':
      runs.set(change.row.id, { ...change.row, stages: [{ at, state: change.row.state }] });
      return;
    case 'updateProtocolRun':
      if (change.patch.state !== undefined)
        runs.get(change.id)?.stages.push({ at, state: change.patch.state });
      return;
    case 'insertCampaign':
      campaigns.set(change.row.id, { ...change.row, stages: [{ at, state: change.row.state }] });
      return;
    case 'updateCampaign':
      if (change.patch.state !== undefined)
        campaigns.get(change.id)?.stages.push({ at, state: change.patch.state });
      return;
    case 'claim':
    case 'pass':
    case 'hold':
    case 'release':
      own(committed, at, change);
      return;
  }
}

type OwnershipChange = Extract<Commit['changes'][number], { op: 'claim' | 'pass' | 'hold' | 'release' }>;

function own({ owners, contradictions }: Committed, at: number, change: OwnershipChange): void {
  const key = `${change.kind}:${change.key}`;
  const past = owners.get(key) ?? [];
  owners.set(key, past);
  const now = past.at(-1) ?? { at, taskRunId: null, heldByRunId: null, fence: 0 };
  const wrong = (what: string): void => void contradictions.push({ invariant: 'I3', what: `${key} ${what}` });
  if (change.op === 'claim' && (now.taskRunId !== null || now.heldByRunId !== null))
    wrong(`was claimed for ${change.taskRunId} while ${now.taskRunId ?? now.heldByRunId ?? ''} had it`);
  if (change.op === 'pass' && now.heldByRunId !== change.runId)
    wrong(`was passed on in ${change.runId}, which did not hold it`);
  if ('fence' in change && change.fence <= now.fence)
    wrong(`was given fence ${change.fence} after ${now.fence}`);
  if (change.op === 'claim')
    past.push({ at, taskRunId: change.taskRunId, heldByRunId: null, fence: change.fence });
  else if (change.op === 'pass') past.push({ ...now, at, taskRunId: change.taskRunId, fence: change.fence });
  else if (change.op === 'hold') past.push({ ...now, at, heldByRunId: change.runId });
  else past.push({ ...now, at, taskRunId: null, heldByRunId: null });
}

/** Who had it at that moment. */
export function ownerAt(past: readonly Ownership[] | undefined, at: number): Ownership | undefined {
  return past?.findLast((ownership) => ownership.at <= at);
}
