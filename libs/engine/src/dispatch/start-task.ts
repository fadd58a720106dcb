import type {
  DeviceBinding,
  DeviceFunction,
  DeviceReference,
  Reason,
  TaskPlan,
  TaskStart,
} from '@lab/contracts';
import type { Assignment } from '@lab/scheduling';
import type { Ids, Log } from '@lab/ports';
import type { AgentDirectory } from '../agents/index.js';
import {
  type KnownDevice,
  type LabMap,
  resolveParameters,
  resourceValues,
  serviceComputer,
  take,
} from '../labs/index.js';
import type { AgentAddress } from '../rows/index.js';
import type { Turn } from '../turn/index.js';
import { failTask, failurePolicyOf } from '../work/index.js';
import { resolveFiles } from './input-files.js';
import { startWindow } from './lags.js';

export interface StartPorts {
  ids: Ids;
  log: Log;
  directory: AgentDirectory;
  labs: () => LabMap;
  epoch: () => number;
  /** Sends a start to an agent, after the commit and exactly once per attempt. */
  send: (to: AgentAddress, start: TaskStart) => void;
}

/**
 * Starts a task on the assigned units: records the attempt and its allocations, and sends it after the commit. A task
 * whose parameters or files do not resolve fails instead. A task whose computer has become unreachable stays queued.
 *
 * @param lastPlan the last plan before this start; null: no plan had the task
 */
export function startTask(
  turn: Turn,
  ports: StartPorts,
  assignment: Assignment,
  lastPlan: TaskPlan | null,
): void {
  const { state } = turn;
  const task = state.rows.taskRuns.get(assignment.task);
  if (task === undefined) return;
  const { values, faults } = resolveParameters(state, task);
  const definition = state.definitionOf(task);
  if (faults.length > 0 || definition === undefined) {
    failTask(turn, task, unresolved('unresolved_parameters', faults));
    return;
  }
  const inputs = resolveFiles(state, task);
  if (inputs.faults.length > 0) {
    failTask(turn, task, unresolved('missing_input_file', inputs.faults));
    return;
  }
  const labs = ports.labs();
  const chosen = chosenDevices(labs, assignment);
  const computer = chosen === undefined ? undefined : computerFor(Object.values(chosen));
  const inc = computer === undefined ? undefined : ports.directory.dispatchable(computer);
  if (chosen === undefined || computer === undefined || inc === undefined) return;

  const bindings: [string, DeviceBinding][] = [];
  const functions: Record<string, DeviceFunction[]> = {};
  const references: [string, DeviceReference][] = [];
  for (const [slot, device] of Object.entries(chosen)) {
    const { lab, name, type } = device;
    const fence = take(turn, task, 'device', device.key);
    const at = ports.directory.dispatchable(device.computer) ?? 0;
    bindings.push([slot, { lab, name, type, computer: device.computer, inc: at, fence }]);
    functions[slot] = ports.directory.functionsOf(device.computer, device.key);
    references.push([slot, { lab_name: lab, name }]);
  }
  const names = Object.fromEntries(
    Object.entries(assignment.units).flatMap(([slot, id]) =>
      slot.startsWith('resource:') ? [[slot.slice('resource:'.length), id.slice('resource:'.length)]] : [],
    ),
  ) as Record<string, string>;
  for (const name of Object.values(names)) take(turn, task, 'resource', name);
  const resources = resourceValues(state, labs, task, names);
  const devices = Object.fromEntries(bindings);

  const id = ports.ids.next();
  const number = task.attempt + 1;
  const { timeoutMs } = failurePolicyOf(state, task);
  turn.emit({
    op: 'insertAttempt',
    row: {
      id,
      taskRunId: task.id,
      number,
      state: 'dispatching',
      computer,
      inc,
      epoch: ports.epoch(),
      devices,
      reason: null,
      calls: null,
      runtime: null,
      deadlineAt: timeoutMs === null ? null : turn.now + timeoutMs,
      createdAt: turn.now,
      endedAt: null,
    },
  });
  const run = task.runId === null ? undefined : state.rows.protocolRuns.get(task.runId);
  if (run?.state === 'created') turn.setRun(run, 'running', { startedAt: turn.now });
  const { notAfter } = startWindow(state, task);
  const lateByS = notAfter === undefined || turn.now <= notAfter ? null : (turn.now - notAfter) / 1000;
  const label = state.labelOf(task);
  if (lateByS !== null)
    ports.log.warn('a task starts later than its greatest lag allows', { task: label, late_by_s: lateByS });
  turn.setTask(task, 'running', {
    attempt: number,
    computer,
    devices: Object.fromEntries(references),
    resources,
    inputParameters: values,
    inputFiles: inputs.files,
    startedAt: turn.now,
    lateByS,
    lastPlan,
    ...(task.firstPlan === null ? { firstPlan: lastPlan } : {}),
    retryAt: null,
    reason: null,
  });
  turn.started.add(id);
  const start: TaskStart = {
    attempt_id: id,
    task_run_id: task.id,
    label,
    task_type: task.type,
    module: definition.module,
    isolation: definition.isolation,
    // The lists of functions and what the lab file says are sent with this start only and are not stored.
    devices: Object.fromEntries(
      bindings.map(([slot, binding]) => [
        slot,
        { ...binding, functions: functions[slot], ...metaOf(labs, binding) },
      ]),
    ),
    parameters: values,
    resources,
    ...(Object.keys(inputs.files).length === 0 ? {} : { files: inputs.files }),
  };
  turn.afterCommit(() => ports.send({ computer, inc, epoch: ports.epoch() }, start));
}

/** The devices of an assignment by handle; undefined: one of them is not loaded. */
function chosenDevices(labs: LabMap, assignment: Assignment): Record<string, KnownDevice> | undefined {
  const chosen: [string, KnownDevice][] = [];
  for (const [slot, id] of Object.entries(assignment.units)) {
    if (!slot.startsWith('device:')) continue;
    const device = labs.devices.get(id.slice('device:'.length));
    if (device === undefined) return undefined;
    chosen.push([slot.slice('device:'.length), device]);
  }
  return Object.fromEntries(chosen);
}

/** What the file of a lab says about a device; absent: nothing. */
function metaOf(labs: LabMap, { lab, name }: DeviceBinding): Pick<DeviceBinding, 'meta'> {
  const meta = labs.labs.get(lab)?.devices[name]?.meta ?? {};
  return Object.keys(meta).length === 0 ? {} : { meta };
}

/** The computer of most of the devices, because calls to these need no network. The service computer wins a tie. */
function computerFor(devices: readonly KnownDevice[]): string {
  if (devices.length === 0) return serviceComputer;
  const counts = new Map<string, number>();
  for (const { computer } of devices) counts.set(computer, (counts.get(computer) ?? 0) + 1);
  const rank = (computer: string): string => (computer === serviceComputer ? '' : computer);
  const [best] = [...counts].sort(([a, m], [b, n]) => n - m || (rank(a) < rank(b) ? -1 : 1));
  return best?.[0] ?? serviceComputer;
}

function unresolved(code: string, faults: readonly { path: string; message: string }[]): Reason {
  const text = faults
    .slice(0, 5)
    .map((fault) => `${fault.path}: ${fault.message}`)
    .join('; ');
  return { code, message: text === '' ? 'its definition is missing' : text };
}
