import {
  isTerminal,
  isWaiting,
  type CampaignChange,
  type Fault,
  type JsonObject,
  type LabRights,
  type ProtocolRunChange,
  type TaskChange,
  type TaskParameters,
} from '@lab/contracts';
import { checkParameters, checkRunParameters } from '@lab/definitions/model';
import { jsonEqual } from '@lab/ports';
import { type CampaignRow, type ProtocolRunRow, type TaskRunRow, conflict, trialKey } from '../rows/index.js';
import {
  type Accepted,
  campaignFaults,
  campaignRunName,
  mergeParameters,
  refuse,
  refuseRunNames,
  runLimit,
} from '../submission/index.js';
import { type Person, type Turn, audit } from '../turn/index.js';
import { setOptimizer, trialOf } from '../work/index.js';
import { refuseForeignTask, refuseForeignWork } from './foreign-work.js';
import { openTask, openWork } from './open-work.js';
import { refuseEnding } from './pause.js';

/**
 * A priority may change at any time and counts from the next decision. Parameters may change until the first attempt
 * of their task, and pass the checks of a submission. One commit contains the change and its audit entry.
 */

export function changeTask(
  turn: Turn,
  person: Person,
  name: string,
  protocolRun: string | undefined,
  change: TaskChange,
  rights: LabRights,
): Accepted {
  if (protocolRun !== undefined) refuseForeignWork(turn, rights, 'protocol_run', protocolRun);
  const task = openTask(turn, name, protocolRun);
  refuseForeignTask(turn, rights, task);
  refuseNothing('task', change);
  const { priority, input_parameters: given } = change;
  if (given !== undefined) {
    const run = task.runId === null ? undefined : turn.state.rows.protocolRuns.get(task.runId);
    if (run === undefined) setOwnParameters(turn, task, given);
    else {
      refuseEnding('protocol_run', run);
      setRunParameters(turn, run, { [task.name]: given }, (path) =>
        path.replace(`parameters.${task.name}`, 'input_parameters'),
      );
    }
  }
  if (priority !== undefined) turn.emit({ op: 'updateTaskRun', id: task.id, patch: { priority } });
  turn.publishTask(task.id);
  note(turn, person, 'task.change', `task_run/${turn.state.labelOf(task)}`, change, {
    priority: task.priority,
    input_parameters: task.inputParameters,
  });
  return { id: task.id, name };
}

export function changeProtocolRun(
  turn: Turn,
  person: Person,
  name: string,
  change: ProtocolRunChange,
  rights: LabRights,
): Accepted {
  refuseForeignWork(turn, rights, 'protocol_run', name);
  const run = openWork(turn, 'protocol_run', name);
  refuseEnding('protocol_run', run);
  refuseNothing('protocol run', change);
  const { priority, parameters } = change;
  if (parameters !== undefined) setRunParameters(turn, run, parameters, (path) => path);
  if (priority !== undefined) setRunPriority(turn, run, priority);
  turn.publishRun(run.id);
  const before = { priority: run.priority, parameters: run.parameters };
  note(turn, person, 'protocol_run.change', `protocol_run/${name}`, change, before);
  return { id: run.id, name };
}

/** The command must have asked the store about the names of all runs up to a new limit. */
export function changeCampaign(
  turn: Turn,
  person: Person,
  name: string,
  change: CampaignChange,
  rights: LabRights,
): Accepted {
  refuseForeignWork(turn, rights, 'campaign', name);
  const campaign = openWork(turn, 'campaign', name);
  refuseEnding('campaign', campaign);
  refuseNothing('campaign', change);
  const { priority, max_protocol_runs: maxProtocolRuns = campaign.maxProtocolRuns } = change;
  const globalParameters = mergeParameters(campaign.globalParameters, change.global_parameters ?? {});
  const protocolRunParameters = change.protocol_run_parameters ?? campaign.protocolRunParameters;
  const limit = runLimit({ maxProtocolRuns });
  if (limit < campaign.runsStarted)
    throw conflict(
      `${campaign.runsStarted} protocol runs of the campaign "${name}" have begun: it cannot have fewer`,
    );
  if (change.protocol_run_parameters !== undefined)
    refuseBegunRuns(turn, campaign, change.protocol_run_parameters);
  const snapshot = turn.state.protocolOf(campaign);
  if (snapshot === undefined) throw conflict('the definition of its protocol is missing');
  refuse(
    'change',
    campaignFaults(
      snapshot,
      {
        name,
        protocol: campaign.protocol,
        max_protocol_runs: maxProtocolRuns,
        global_parameters: globalParameters,
        ...(protocolRunParameters === null ? {} : { protocol_run_parameters: protocolRunParameters }),
      },
      campaign.optimizer,
      true,
    ),
  );
  if (limit > runLimit(campaign)) refuseRunNames(turn, name, runLimit(campaign), limit);
  turn.emit({
    op: 'updateCampaign',
    id: campaign.id,
    patch: {
      maxProtocolRuns,
      globalParameters,
      protocolRunParameters,
      priority: priority ?? campaign.priority,
      maxConcurrentProtocolRuns: change.max_concurrent_protocol_runs ?? campaign.maxConcurrentProtocolRuns,
    },
  });
  // The best rows are requested after the last run, and another run may now be the last.
  if (maxProtocolRuns !== campaign.maxProtocolRuns) setOptimizer(turn, campaign, { best: null });
  // A new session begins, because the AI of the present one knows the earlier values.
  if (campaign.optimizer !== null && !jsonEqual(globalParameters, campaign.globalParameters))
    setOptimizer(turn, campaign, { revision: campaign.optimizer.revision + 1 });
  if (priority !== undefined)
    for (const run of turn.state.openRunsOf(campaign.id)) setRunPriority(turn, run, priority);
  turn.publishCampaign(campaign.id);
  note(turn, person, 'campaign.change', `campaign/${name}`, change, {
    priority: campaign.priority,
    max_protocol_runs: campaign.maxProtocolRuns,
    max_concurrent_protocol_runs: campaign.maxConcurrentProtocolRuns,
    global_parameters: campaign.globalParameters,
  });
  return { id: campaign.id, name };
}

/** Sets the priority of a run and of its unfinished tasks. */
function setRunPriority(turn: Turn, run: ProtocolRunRow, priority: number): void {
  turn.emit({ op: 'updateProtocolRun', id: run.id, patch: { priority } });
  for (const task of turn.state.tasksOf(run.id))
    if (!isTerminal(task.state)) turn.emit({ op: 'updateTaskRun', id: task.id, patch: { priority } });
}

function setOwnParameters(turn: Turn, task: TaskRunRow, given: JsonObject): void {
  refuseBegun(turn, task);
  const specs = turn.state.taskTypeOf(task)?.task.input_parameters;
  if (specs === undefined) throw conflict(`the definition of ${task.type} is missing`);
  const inputParameters = { ...task.inputParameters, ...given };
  refuse('change', checkParameters(specs, inputParameters, { path: 'input_parameters' }).faults);
  turn.emit({ op: 'updateTaskRun', id: task.id, patch: { inputParameters } });
}

/** @param pathOf maps a path `parameters.<task>.<parameter>` to the path in the request */
function setRunParameters(
  turn: Turn,
  run: ProtocolRunRow,
  given: TaskParameters,
  pathOf: (path: string) => string,
): void {
  const snapshot = turn.state.protocolOf(run);
  if (snapshot === undefined) throw conflict('the definition of its protocol is missing');
  const campaign = run.campaignId === null ? undefined : turn.state.rows.campaigns.get(run.campaignId);
  const found = trialOf(turn.state, run) === undefined ? [] : (campaign?.optimizer?.input_names ?? []);
  const faults: Fault[] = [
    ...checkRunParameters(snapshot, given, { complete: false }),
    ...Object.entries(given).flatMap(([task, values]) =>
      Object.keys(values)
        .filter((parameter) => found.includes(`${task}.${parameter}`))
        .map((parameter) => ({
          path: `parameters.${task}.${parameter}`,
          code: 'found_by_optimizer',
          message: 'belongs to the trial of this run and cannot be changed',
        })),
    ),
  ];
  refuse(
    'change',
    faults.map((fault) => ({ ...fault, path: pathOf(fault.path) })),
  );
  const tasks = Object.keys(given).flatMap((name) => turn.state.taskOf(run.id, name) ?? []);
  for (const task of tasks) refuseBegun(turn, task);
  const parameters = mergeParameters(run.parameters, given);
  turn.emit({ op: 'updateProtocolRun', id: run.id, patch: { parameters } });
  for (const { id, name } of tasks) {
    turn.emit({ op: 'updateTaskRun', id, patch: { inputParameters: parameters[name] ?? {} } });
    turn.publishTask(id);
  }
}

function refuseBegun(turn: Turn, task: TaskRunRow): void {
  if (isWaiting(task.state) && task.attempt === 0) return;
  const label = turn.state.labelOf(task);
  throw conflict(
    isWaiting(task.state)
      ? `task ${label} has begun before and is tried again; its parameters cannot be changed`
      : `task ${label} is ${task.state}; its parameters cannot be changed any more`,
  );
}

/** Refuses new parameters for runs that have begun or whose trial exists. */
function refuseBegunRuns(turn: Turn, campaign: CampaignRow, list: readonly TaskParameters[]): void {
  const stored = campaign.protocolRunParameters ?? [];
  for (let n = 1; n <= Math.max(list.length, stored.length); n += 1) {
    const isSettled = n <= campaign.runsStarted || turn.state.rows.trials.has(trialKey(campaign.id, n));
    if (isSettled && !jsonEqual(list[n - 1] ?? {}, stored[n - 1] ?? {}))
      throw conflict(
        `${campaignRunName(campaign.name, n)} has its parameters already: protocol_run_parameters[${n - 1}] must stay as it is`,
      );
  }
}

function refuseNothing(what: string, change: object): void {
  if (Object.values(change).some((value) => value !== undefined)) return;
  refuse(what, [{ path: '', code: 'empty', message: 'contains no change' }]);
}

/** Adds the audit entry. A list of parameters per run may be large, so the audit records its length. */
function note(
  turn: Turn,
  person: Person,
  action: string,
  subject: string,
  change: TaskChange | ProtocolRunChange | CampaignChange,
  before: JsonObject,
): void {
  const changed = Object.entries(change).filter(([, value]) => value !== undefined);
  audit(turn, person, action, subject, {
    change: Object.fromEntries(
      changed.map(([field, value]) => [field, Array.isArray(value) ? value.length : value]),
    ) as JsonObject,
    before: Object.fromEntries(
      changed.flatMap(([field]) => (field in before ? [[field, before[field]]] : [])),
    ) as JsonObject,
  });
}
