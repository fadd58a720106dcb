import type {
  AttemptState,
  FileDescription,
  JsonObject,
  RunState,
  TaskRunState,
  TrialState,
} from '@lab/contracts';
import type { DeviceSlot, ProtocolSnapshot } from '@lab/definitions/model';
import type { Commit } from '../surroundings/history.js';

/** A committed state with its time. */
export interface Stage<State> {
  at: number;
  state: State;
}

export interface CommittedAttempt {
  id: string;
  taskRunId: string;
  number: number;
  computer: string;
  /** `<lab>.<device>`, by slot. */
  devices: Map<string, string>;
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
  files: FileDescription[];
  attempt: number;
}

/** The parameters of a run of a campaign with an optimizer. */
export interface CommittedTrial {
  number: number;
  run: string;
  inputs: Record<string, unknown>;
  outputs: Record<string, number> | null;
  stages: Stage<TrialState>[];
}

export interface CommittedRun {
  id: string;
  name: string;
  stages: Stage<RunState>[];
  campaignId?: string | null;
  parameters?: Record<string, JsonObject>;
  /** Of a campaign. */
  optimize?: boolean;
  /** Of a protocol run: the protocol that it was accepted with. */
  definitionHash?: string;
}

/** Owner of a device or resource from a moment on. */
export interface Ownership {
  at: number;
  taskRunId: string | null;
  heldByRunId: string | null;
  fence: number;
}

/** The records as the commits give them. This reading of the changes is independent of the engine's and the store's. */
export interface Committed {
  attempts: Map<string, CommittedAttempt>;
  tasks: Map<string, CommittedTask>;
  runs: Map<string, CommittedRun>;
  campaigns: Map<string, CommittedRun>;
  /** By id. */
  trials: Map<string, CommittedTrial>;
  /** By `<kind>:<key>`. */
  owners: Map<string, Ownership[]>;
  /** By hash. */
  protocols: Map<string, ProtocolSnapshot>;
  /** Changes that contradict earlier ones. */
  contradictions: { invariant: 'I2' | 'I3' | 'I11'; what: string }[];
}

const over: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled', 'skipped', 'never_ran']);

/** The last state is final. */
export function isOver(stages: readonly Stage<string>[]): boolean {
  return over.has(stages.at(-1)?.state ?? '');
}

export function readCommits(commits: readonly Commit[]): Committed {
  const committed: Committed = {
    attempts: new Map(),
    tasks: new Map(),
    runs: new Map(),
    campaigns: new Map(),
    trials: new Map(),
    owners: new Map(),
    protocols: new Map(),
    contradictions: [],
  };
  for (const { at, changes } of commits) {
    const released = new Map<string, Ownership | undefined>();
    for (const change of changes) {
      if (change.op !== 'release') continue;
      const unit = `${change.kind}:${change.key}`;
      released.set(unit, committed.owners.get(unit)?.at(-1));
    }
    for (const change of changes) read(committed, at, change);
    for (const [unit, before] of released) checkRelease(committed, unit, before);
  }
  return committed;
}

/** A device that a task took with `hold` stays with the run until every task that refers to it has ended. */
function checkRelease(
  { attempts, tasks, runs, owners, protocols, contradictions }: Committed,
  unit: string,
  before: Ownership | undefined,
): void {
  const runOf = (ownership?: Ownership): string =>
    ownership?.heldByRunId ?? tasks.get(ownership?.taskRunId ?? '')?.runId ?? '';
  const run = runs.get(runOf(before));
  if (run?.id === runOf(owners.get(unit)?.at(-1))) return;
  // A run that was resumed after its end had released everything in between.
  if (run === undefined || run.stages.some((stage) => isOver([stage]))) return;
  const sketches = protocols.get(run.definitionHash ?? '')?.protocol.tasks ?? [];
  const rows = new Map(
    [...tasks.values()].filter((row) => row.runId === run.id).map((row) => [row.name, row]),
  );
  const hadIt = (name: string, slot: string): boolean => {
    const row = rows.get(name);
    if (row === undefined || !isOver(row.stages)) return false;
    const had = [...attempts.values()].findLast(({ taskRunId }) => taskRunId === row.id);
    return unit === `device:${had?.devices.get(slot)}`;
  };
  for (const { name, devices } of sketches)
    for (const slot of Object.values(devices)) {
      if (isOver(rows.get(name)?.stages ?? [])) continue;
      for (let at: DeviceSlot | undefined = slot; at?.kind === 'reference';) {
        const { task, slot: of }: { task: string; slot: string } = at;
        at = sketches.find((each) => each.name === task)?.devices[of];
        if (at?.hold === true && hadIt(task, of))
          contradictions.push({
            invariant: 'I3',
            what: `${unit} was given up before ${run.name}/${name} had ended`,
          });
      }
    }
}

function read(committed: Committed, at: number, change: Commit['changes'][number]): void {
  const { attempts, tasks, runs, campaigns, trials, contradictions } = committed;
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
        devices: new Map(Object.entries(devices).map(([slot, { lab, name }]) => [slot, `${lab}.${name}`])),
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
    case 'putDefinition':
      if (change.row.kind === 'protocol') committed.protocols.set(change.row.hash, change.row.body);
      return;
    case 'insertTrial': {
      const { id, number, run, inputs, outputs, state } = change.row;
      if (trials.has(id)) contradictions.push({ invariant: 'I11', what: `trial ${id} is made twice` });
      trials.set(id, { number, run, inputs, outputs, stages: [{ at, state }] });
      return;
    }
    case 'updateTrial': {
      const trial = trials.get(change.id);
      if (trial === undefined) return;
      const { state, outputs } = change.patch;
      if (state !== undefined) trial.stages.push({ at, state });
      if (outputs !== undefined) trial.outputs = outputs;
      return;
    }
    case 'insertProtocolRun':
      if (
        campaigns.get(change.row.campaignId ?? '')?.optimize === true &&
        ![...trials.values()].some(({ run }) => run === change.row.name)
      )
        contradictions.push({ invariant: 'I11', what: `${change.row.name} was made before its trial` });
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

/** Owner at that moment. */
export function ownerAt(past: readonly Ownership[] | undefined, at: number): Ownership | undefined {
  return past?.findLast((ownership) => ownership.at <= at);
}
