import type {
  AttemptRow,
  CampaignRow,
  OutageRow,
  ProtocolRunRow,
  ReservationRow,
  TaskRunRow,
  TrialRow,
} from '@lab/engine';
import type { DeviceSlot, ProtocolSnapshot } from '@lab/definitions/model';
import { isFinal, type Ownership, type Violation } from '../../invariants/index.js';
import type { Commit } from '../surroundings/history.js';

/** A row as it was committed last, with all of its committed states. */
export type Committed<Row extends { state: string }> = Row & {
  stages: { at: number; state: Row['state'] }[];
};

/** Records by id. This reading of the changes is independent of those of the engine and the store. */
export interface Records {
  attempts: Map<string, Committed<AttemptRow>>;
  tasks: Map<string, Committed<TaskRunRow>>;
  runs: Map<string, Committed<ProtocolRunRow>>;
  campaigns: Map<string, Committed<CampaignRow>>;
  trials: Map<string, Committed<TrialRow>>;
  /** Owners of a device or resource over time, by `<kind>:<key>`. */
  owners: Map<string, Ownership[]>;
  /** Times in which devices were out of service. */
  outages: { device: string; from: number; until: number }[];
  /** Reserved times of devices. No simulated task belongs to a person who reserves. */
  reservations: Map<string, { device: string; from: number; until: number }>;
  /** By hash. */
  protocols: Map<string, ProtocolSnapshot>;
  /** Changes that contradict earlier ones. */
  contradictions: Violation[];
}

export const keyOf = ({ lab, name }: { lab: string; name: string }): string => `${lab}.${name}`;

export function readCommits(commits: readonly Commit[]): Records {
  const records: Records = {
    attempts: new Map(),
    tasks: new Map(),
    runs: new Map(),
    campaigns: new Map(),
    trials: new Map(),
    owners: new Map(),
    outages: [],
    reservations: new Map(),
    protocols: new Map(),
    contradictions: [],
  };
  for (const { at, changes } of commits) {
    const released = new Map<string, Ownership | undefined>();
    for (const change of changes) {
      if (change.op !== 'release') continue;
      const unit = `${change.kind}:${change.key}`;
      released.set(unit, records.owners.get(unit)?.at(-1));
    }
    for (const change of changes) read(records, at, change);
    for (const [unit, before] of released) checkRelease(records, unit, before);
  }
  return records;
}

/** A device that a task took with `hold` stays with the run until every task that refers to it has ended. */
function checkRelease(
  { attempts, tasks, runs, owners, protocols, contradictions }: Records,
  unit: string,
  before: Ownership | undefined,
): void {
  const runOf = (ownership?: Ownership): string =>
    ownership?.heldByRunId ?? tasks.get(ownership?.taskRunId ?? '')?.runId ?? '';
  const run = runs.get(runOf(before));
  if (run?.id === runOf(owners.get(unit)?.at(-1))) return;
  // A run that was resumed after its end had released everything in between.
  if (run === undefined || run.stages.some(({ state }) => isFinal(state))) return;
  const sketches = protocols.get(run.definitionHash)?.protocol.tasks ?? [];
  const rows = new Map(
    [...tasks.values()].filter((row) => row.runId === run.id).map((row) => [row.name, row]),
  );
  const hadIt = (name: string, slot: string): boolean => {
    const row = rows.get(name);
    if (row === undefined || !isFinal(row.state)) return false;
    const had = [...attempts.values()].findLast(({ taskRunId }) => taskRunId === row.id)?.devices[slot];
    return had !== undefined && unit === `device:${keyOf(had)}`;
  };
  for (const { name, devices } of sketches)
    for (const slot of Object.values(devices)) {
      if (isFinal(rows.get(name)?.state)) continue;
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

function read(records: Records, at: number, change: Commit['changes'][number]): void {
  const { attempts, tasks, runs, campaigns, trials, protocols, contradictions } = records;
  const contradict = (invariant: 'I2' | 'I11', what: string): void =>
    void contradictions.push({ invariant, what });
  switch (change.op) {
    case 'insertAttempt':
      for (const { id, taskRunId, state } of attempts.values())
        if (taskRunId === change.row.taskRunId && !isFinal(state))
          contradict('I2', `attempt ${change.row.id} was made while ${id} was not over`);
      return insert(attempts, at, change.row);
    case 'updateAttempt':
      return update(attempts, at, change);
    case 'insertTaskRun':
      return insert(tasks, at, change.row);
    case 'updateTaskRun':
      return update(tasks, at, change);
    case 'putDefinition':
      if (change.row.kind === 'protocol') protocols.set(change.row.hash, change.row.body);
      return;
    case 'insertTrial':
      if (trials.has(change.row.id)) contradict('I11', `trial ${change.row.id} is made twice`);
      return insert(trials, at, change.row);
    case 'updateTrial':
      return update(trials, at, change);
    case 'insertProtocolRun': {
      const { name, campaignId } = change.row;
      const isSearched = campaigns.get(campaignId ?? '')?.optimize === true;
      if (isSearched && ![...trials.values()].some(({ run }) => run === name))
        contradict('I11', `${name} was made before its trial`);
      return insert(runs, at, change.row);
    }
    case 'updateProtocolRun':
      return update(runs, at, change);
    case 'insertCampaign':
      return insert(campaigns, at, change.row);
    case 'updateCampaign':
      return update(campaigns, at, change);
    case 'putOutage':
      return outage(records, at, change.row);
    case 'putReservation':
      return reservation(records, at, change.row);
    case 'claim':
    case 'pass':
    case 'hold':
    case 'release':
      return own(records, at, change);
  }
}

function insert<Row extends { id: string; state: string }>(
  rows: Map<string, Committed<Row>>,
  at: number,
  row: Row,
): void {
  rows.set(row.id, { ...row, stages: [{ at, state: row.state }] });
}

function update<Row extends { state: string }>(
  rows: Map<string, Committed<Row>>,
  at: number,
  { id, patch }: { id: string; patch: { state?: Row['state'] } },
): void {
  const row = rows.get(id);
  if (row === undefined) return;
  Object.assign(row, patch);
  if (patch.state !== undefined) row.stages.push({ at, state: patch.state });
}

function outage({ outages }: Records, at: number, { device, endedAt }: OutageRow): void {
  const present = outages.find((each) => each.device === device && each.until === Infinity);
  if (endedAt !== null) {
    if (present !== undefined) present.until = at;
  } else if (present === undefined) outages.push({ device, from: at, until: Infinity });
}

function reservation({ reservations }: Records, at: number, row: ReservationRow): void {
  const { id, key: device, fromAt, toAt, endedAt } = row;
  const from = reservations.get(id)?.from ?? Math.max(at, fromAt);
  const until = endedAt === null ? toAt : Math.min(at, toAt);
  reservations.set(id, { device, from, until: Math.max(from, until) });
}

type OwnershipChange = Extract<Commit['changes'][number], { op: 'claim' | 'pass' | 'hold' | 'release' }>;

function own({ owners, contradictions }: Records, at: number, change: OwnershipChange): void {
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
