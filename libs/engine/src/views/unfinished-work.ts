import { isTerminal, type ModuleReference } from '@lab/contracts';
import type { LabMap } from '../labs/index.js';
import type { AttemptRow, TaskRunRow } from '../rows/index.js';
import type { WorkingState } from '../turn/index.js';

/** Unfinished work and what it needs. */
export interface UnfinishedWork {
  kind: 'campaign' | 'protocol_run' | 'task';
  name: string;
  /** For people, for example `protocol run mix_1`. */
  label: string;
  /** Type of its protocol; null: an on-demand task. */
  protocol: string | null;
  /** Laboratories of its protocol, or of the devices and resources of the on-demand task. */
  labs: ReadonlySet<string>;
  /** Devices (`<lab>.<device>`) that the work uses or holds now. */
  devices: ReadonlySet<string>;
}

export function unfinishedWork(state: WorkingState, labs: LabMap): UnfinishedWork[] {
  const devicesOf = allocatedDevices(state);
  const work: UnfinishedWork[] = [];
  for (const campaign of state.rows.campaigns.values()) {
    if (isTerminal(campaign.state)) continue;
    work.push({
      kind: 'campaign',
      name: campaign.name,
      label: `campaign ${campaign.name}`,
      protocol: campaign.protocol,
      labs: new Set(state.protocolOf(campaign)?.protocol.labs),
      devices: new Set(),
    });
  }
  for (const run of state.rows.protocolRuns.values()) {
    if (isTerminal(run.state)) continue;
    work.push({
      kind: 'protocol_run',
      name: run.name,
      label: `protocol run ${run.name}`,
      protocol: run.type,
      labs: new Set(state.protocolOf(run)?.protocol.labs),
      devices: devicesOf.get(run.id) ?? new Set(),
    });
  }
  for (const task of state.rows.taskRuns.values()) {
    if (task.runId !== null || isTerminal(task.state)) continue;
    const resources = Object.values(task.resources).flatMap(
      ({ name }) => labs.resources.get(name)?.lab ?? state.rows.resources.get(name)?.lab ?? [],
    );
    work.push({
      kind: 'task',
      name: task.name,
      label: `task ${task.name}`,
      protocol: null,
      labs: new Set([...Object.values(task.devices).map((device) => device.lab_name), ...resources]),
      devices: devicesOf.get(task.id) ?? new Set(),
    });
  }
  return work;
}

/** The code of accepted work and of the devices of loaded laboratories. It may be of earlier versions of packages. */
export function codeInUse({ rows }: WorkingState, labs: LabMap): ModuleReference[] {
  const accepted = [...rows.definitions.values()].flatMap((row) =>
    row.kind === 'task' ? [row.body.task] : row.kind === 'protocol' ? Object.values(row.body.tasks) : [],
  );
  return [...accepted.map(({ module }) => module), ...labs.deviceModules()];
}

/** Devices in use or held, by their run or on-demand task. */
function allocatedDevices(state: WorkingState): Map<string, Set<string>> {
  const owners = new Map<string, Set<string>>();
  const note = (owner: string, key: string): void => {
    owners.set(owner, (owners.get(owner) ?? new Set()).add(key));
  };
  for (const row of state.rows.allocations.values()) {
    if (row.kind !== 'device') continue;
    if (row.heldByRunId !== null) note(row.heldByRunId, row.key);
    const task = row.taskRunId === null ? undefined : state.rows.taskRuns.get(row.taskRunId);
    if (task !== undefined) note(task.runId ?? task.id, row.key);
  }
  return owners;
}

export function attemptOf(
  { rows }: WorkingState,
  id: string,
): (AttemptRow & Pick<TaskRunRow, 'inputFiles'>) | undefined {
  const attempt = rows.attempts.get(id);
  return attempt && { ...attempt, inputFiles: rows.taskRuns.get(attempt.taskRunId)?.inputFiles ?? {} };
}
