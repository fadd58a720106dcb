import {
  ServiceError,
  type CampaignSubmission,
  type Fault,
  isWithinLabs,
  type JsonObject,
  type LabRights,
  type ProtocolRunSubmission,
  type TaskParameters,
  type TaskSubmission,
} from '@lab/contracts';
import {
  checkParameters,
  checkRunParameters,
  optimizerFaults,
  type ProtocolSnapshot,
  type TaskDefinition,
  type TaskSnapshot,
} from '@lab/definitions/model';
import type { Ids } from '@lab/ports';
import {
  type LabMap,
  among,
  deviceFaults,
  placeFaults,
  refuseForeignLabs,
  resourceFaults,
} from '../labs/index.js';
import { type NewWork, type Quotas, refuseShortage } from '../quotas/index.js';
import type { Definitions, OptimizerRow } from '../rows/index.js';
import type { Turn } from '../turn/index.js';
import type { Drain } from './drain.js';
import { refuseRunNames, refuseTakenRunName, runLimit } from './run-names.js';

/** Checks of submissions. A dry run makes the same checks as the submission. */

export interface SubmitPorts {
  ids: Ids;
  definitions: Definitions;
  labs: () => LabMap;
  /** Greatest number of queued task runs. */
  maxQueued: number;
  /** Greatest number of queued task runs of one owner. Work without an owner counts only towards `maxQueued`. */
  maxQueuedPerOwner: number;
  quotas: Quotas;
  drain: Drain;
}

/** Greatest number of faults in one error. */
const maxFaults = 100;

/** @throws ServiceError `unknown_protocol`, `forbidden`, `invalid`, `duplicate_name`, `backlog_full`, `quota_exceeded` */
export function checkProtocolRun(
  turn: Turn,
  ports: SubmitPorts,
  submission: ProtocolRunSubmission,
  rights: LabRights,
): ProtocolSnapshot {
  const snapshot = protocolOf(ports, submission.type, 'type', rights);
  refuse('protocol run', [
    ...checkRunParameters(snapshot, submission.parameters ?? {}, { path: 'parameters' }),
    ...policyFaults(snapshot, submission.failure_policy),
    ...placeFaults(ports.labs(), snapshot),
    ...drainingFaults(ports, snapshot.protocol.labs, 'labs'),
  ]);
  refuseTakenRunName(turn, submission.name);
  refuseBacklog(turn, ports, submission.owner ?? '');
  refuseShortage(turn.state.rows, ports.quotas, workOfRun(submission.owner ?? '', snapshot));
  return snapshot;
}

/** As {@link checkProtocolRun}. @param optimizer the description of the campaign's optimizer; null: it has none */
export function checkCampaign(
  turn: Turn,
  ports: SubmitPorts,
  submission: CampaignSubmission,
  optimizer: OptimizerRow | null,
  rights: LabRights,
): ProtocolSnapshot {
  const snapshot = protocolOf(ports, submission.protocol, 'protocol', rights);
  refuse('campaign', [
    ...(optimizer === null ? [] : optimizerFaults(snapshot, optimizer)),
    ...campaignFaults(snapshot, submission, optimizer),
    ...policyFaults(snapshot, submission.failure_policy),
    ...placeFaults(ports.labs(), snapshot),
    ...drainingFaults(ports, snapshot.protocol.labs, 'labs'),
  ]);
  const { name, max_protocol_runs: maxProtocolRuns } = submission;
  if (turn.state.rows.campaignNames.has(name) || turn.isTaken('campaign', name))
    throw new ServiceError('duplicate_name', `there is a campaign named "${name}" already`);
  refuseRunNames(turn, name, 0, runLimit({ maxProtocolRuns }));
  refuseBacklog(turn, ports, submission.owner ?? '');
  refuseShortage(turn.state.rows, ports.quotas, workOfRun(submission.owner ?? '', snapshot));
  return snapshot;
}

/** @throws ServiceError `unknown_task_type`, `forbidden`, `invalid`, `duplicate_name`, `backlog_full`, `quota_exceeded` */
export function checkTask(
  turn: Turn,
  ports: SubmitPorts,
  submission: TaskSubmission,
  rights: LabRights,
): TaskSnapshot {
  const snapshot = ports.definitions.task(submission.type);
  if (snapshot === undefined)
    throw unknownType('unknown_task_type', 'type', submission.type, ports.definitions.taskTypes());
  const { task } = snapshot;
  const devices = submission.devices ?? {};
  const resources = submission.input_resources ?? {};
  const used = labsOfUnits(ports.labs().among(rights.see), devices, resources);
  if (used.length > 0) refuseForeignLabs(rights, 'task', used, 'devices');
  // The hints in faults name nothing of other laboratories.
  const labs = ports.labs().among(rights.use);
  const { faults } = checkParameters(task.input_parameters, submission.input_parameters ?? {}, {
    path: 'input_parameters',
  });
  refuse('task', [
    ...faults,
    ...fileFaults(task),
    ...deviceFaults(labs, task.devices, devices),
    ...resourceFaults(labs, task.input_resources, resources),
    ...Object.entries(devices).flatMap(([slot, { lab_name }]) =>
      drainingFaults(ports, [lab_name], `devices.${slot}.lab_name`),
    ),
    ...Object.entries(resources).flatMap(([slot, name]) => {
      const lab = labs.resources.get(name)?.lab;
      return lab === undefined ? [] : drainingFaults(ports, [lab], `input_resources.${slot}`);
    }),
  ]);
  refuseForeignLabs(rights, 'task', used, 'devices');
  if (turn.state.rows.onDemandNames.has(submission.name))
    throw new ServiceError(
      'duplicate_name',
      `there is a queued or running on-demand task named "${submission.name}" already`,
    );
  const { owner = '' } = submission;
  refuseBacklog(turn, ports, owner);
  refuseShortage(turn.state.rows, ports.quotas, { owner, labs: used, records: 1 });
  return snapshot;
}

/** A run of a protocol, as quotas count it. */
export function workOfRun(owner: string, { protocol: { labs, tasks } }: ProtocolSnapshot): NewWork {
  return { owner, labs, records: tasks.length };
}

/** Parameters of one run of a campaign. Its own parameters replace global ones of the same names. */
export function mergeParameters(global: TaskParameters, own: TaskParameters): TaskParameters {
  const merged = new Map<string, JsonObject>(Object.entries(global));
  for (const [task, values] of Object.entries(own)) merged.set(task, { ...merged.get(task), ...values });
  return Object.fromEntries(merged);
}

/** @param isStored the campaign is changed, not submitted: without a limit, its list of runs may have any length */
export function campaignFaults(
  snapshot: ProtocolSnapshot,
  submission: CampaignSubmission,
  optimizer: OptimizerRow | null,
  isStored = false,
): Fault[] {
  const faults: Fault[] = [];
  if (submission.max_failures !== undefined && (submission.on_run_failure ?? 'stop') === 'stop')
    faults.push({
      path: 'max_failures',
      code: 'without_effect',
      message: 'has no effect with on_run_failure "stop": the first failed run fails the campaign',
      hint: 'set on_run_failure to continue or pause',
    });
  const global = submission.global_parameters ?? {};
  const perRun = submission.protocol_run_parameters;
  const runs = submission.max_protocol_runs;
  const listed = perRun?.length ?? 0;
  const isWrong =
    optimizer === null && !(isStored && runs === 0) ? listed !== runs : runs > 0 && listed > runs;
  if (perRun !== undefined && isWrong)
    faults.push({
      path: 'protocol_run_parameters',
      code: 'length',
      message: `must have ${optimizer === null ? 'exactly' : 'at most'} max_protocol_runs = ${runs} entries, not ${listed}`,
      ...(optimizer === null && runs === 0
        ? { hint: 'submit an empty list, then add entries by changes of the campaign' }
        : {}),
    });
  // Parameters without a value. The optimizer supplies its inputs.
  const missing = (parameters: TaskParameters, path: string): Fault[] => {
    const supplied = new Set(optimizer?.input_names.map((name) => `${path}.${name}`));
    return checkRunParameters(snapshot, parameters, { path }).filter(
      (fault) => fault.code === 'missing_parameter' && !supplied.has(fault.path),
    );
  };
  faults.push(...checkRunParameters(snapshot, global, { path: 'global_parameters', complete: false }));
  if (perRun === undefined || (optimizer !== null && (runs === 0 || perRun.length < runs)))
    faults.push(...missing(global, 'global_parameters'));
  for (const [index, own] of (perRun ?? []).entries()) {
    if (faults.length >= maxFaults) break;
    const path = `protocol_run_parameters[${index}]`;
    faults.push(...checkRunParameters(snapshot, own, { path, complete: false }));
    faults.push(...missing(mergeParameters(global, own), path));
  }
  return faults;
}

/** Failure policies for tasks that the protocol does not have. */
function policyFaults(
  { protocol }: ProtocolSnapshot,
  policy: ProtocolRunSubmission['failure_policy'] = {},
): Fault[] {
  const names = protocol.tasks.map((task) => task.name);
  return Object.keys(policy)
    .filter((name) => !names.includes(name))
    .map((name) => ({
      path: `failure_policy.${name}`,
      code: 'unknown_task',
      message: `the protocol ${protocol.type} has no task "${name}"`,
      ...among(names),
    }));
}

/** Required input files, which an on-demand task cannot get. */
function fileFaults({ type, input_files: files = {} }: TaskDefinition): Fault[] {
  const needed = Object.keys(files).filter((handle) => files[handle]?.required === true);
  if (needed.length === 0) return [];
  const handles = needed.map((each) => `"${each}"`).join(', ');
  const message = `a task of type ${type} needs a file of another task for ${handles}`;
  const hint = 'submit a run of a protocol in which an earlier task leaves that file';
  return [{ path: 'type', code: 'needs_files', message, hint }];
}

/** Laboratories that take no new work: their devices start, or they will be unloaded or reloaded. */
export function drainingFaults(ports: SubmitPorts, labs: readonly string[], path: string): Fault[] {
  return labs
    .filter((lab) => !ports.definitions.takesWork(lab))
    .map((lab) => ({
      path,
      code: 'lab_draining',
      message: `the laboratory ${lab} takes no new work at present: it is being loaded or drained`,
      hint: 'submit it again when GET /api/labs shows the laboratory as loaded',
    }));
}

/**
 * A loaded protocol whose laboratories the caller may use. To a caller who may see none of them, it is not loaded.
 *
 * @throws ServiceError `unknown_protocol`, `forbidden`
 */
export function protocolOf(
  { definitions }: Pick<SubmitPorts, 'definitions'>,
  type: string,
  path: string,
  rights: LabRights,
): ProtocolSnapshot {
  const labsOf = (each: string): readonly string[] => definitions.protocol(each)?.protocol.labs ?? [];
  const snapshot = definitions.protocol(type);
  const isSeen = labsOf(type).some((lab) => isWithinLabs([lab], rights.see));
  if (snapshot === undefined || (rights.see !== 'all' && !isSeen)) {
    const seen = definitions.protocolTypes().filter((each) => isWithinLabs(labsOf(each), rights.see));
    throw unknownType('unknown_protocol', path, type, seen);
  }
  refuseForeignLabs(rights, `protocol ${type}`, snapshot.protocol.labs, path);
  return snapshot;
}

/** The laboratories of the devices and of the known resources that a submission names. */
function labsOfUnits(
  labs: LabMap,
  devices: NonNullable<TaskSubmission['devices']>,
  resources: NonNullable<TaskSubmission['input_resources']>,
): string[] {
  return [
    ...new Set([
      ...Object.values(devices).map(({ lab_name: lab }) => lab),
      ...Object.values(resources).flatMap((name) => labs.resources.get(name)?.lab ?? []),
    ]),
  ];
}

function unknownType(
  code: 'unknown_protocol' | 'unknown_task_type',
  path: string,
  type: string,
  loaded: readonly string[],
): ServiceError {
  const [word, command] =
    code === 'unknown_protocol' ? ['protocol', 'svc protocols load'] : ['task type', 'svc tasks reload'];
  const message = `no ${word} "${type}" is loaded`;
  const { hint } = among(loaded);
  const load = `load a new one from its package with: ${command} ${type}`;
  return new ServiceError(code, message, {
    faults: [{ path, code, message, hint: hint === undefined ? load : `${hint}; ${load}` }],
  });
}

/** @throws ServiceError `invalid` with the faults, if there are any */
export function refuse(what: string, faults: readonly Fault[]): void {
  if (faults.length === 0) return;
  const { path = '', message = '' } = faults[0] ?? {};
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  throw new ServiceError('invalid', `the ${what} is invalid: ${path}: ${message}${more}`, {
    faults: faults.slice(0, maxFaults),
  });
}

/** @throws ServiceError `backlog_full` */
export function refuseBacklog(turn: Turn, ports: SubmitPorts, owner: string): void {
  const { queued, rows } = turn.state;
  const retryAfterS = ports.drain.secondsPerStart(turn.now);
  const full = (tasks: string): ServiceError =>
    new ServiceError(
      'backlog_full',
      `${tasks} are waiting already; submit again when some of them have run`,
      { retryAfterS },
    );
  if (queued.size >= ports.maxQueued) throw full(`${queued.size} tasks`);
  if (owner === '' || queued.size < ports.maxQueuedPerOwner) return;
  let theirs = 0;
  for (const id of queued) if (rows.taskRuns.get(id)?.owner === owner) theirs += 1;
  if (theirs >= ports.maxQueuedPerOwner) throw full(`${theirs} tasks of "${owner}"`);
}
