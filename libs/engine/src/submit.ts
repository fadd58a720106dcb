import {
  isTerminal,
  ServiceError,
  type CampaignSubmission,
  type Fault,
  type JsonObject,
  type ProtocolRunSubmission,
  type TaskParameters,
  type TaskSubmission,
} from '@lab/contracts';
import { checkParameters, checkRunParameters, type ProtocolSnapshot } from '@lab/definitions/model';
import type { Drain } from './drain.js';
import type { LabMap } from './lab-map.js';
import { optimizerFaults } from './optimizer-checks.js';
import type { Definitions, Ids } from './ports.js';
import type { CampaignRow, OptimizerRow, ProtocolRunRow } from './rows.js';
import { among, deviceFaults, placeFaults, resourceFaults } from './slot-faults.js';
import type { Turn } from './turn.js';

export interface Accepted {
  id: string;
  name: string;
}

export interface SubmitPorts {
  ids: Ids;
  definitions: Definitions;
  labs: () => LabMap;
  /** Most task runs that may wait at the same time. */
  maxQueued: number;
  /** The same of one owner; work without an owner has no limit of its own. */
  maxQueuedPerOwner: number;
  drain: Drain;
}

/** Seconds that an on-demand task waits when it does not say. */
const defaultAllocationTimeout = 600;
/** Most faults that one error lists. */
const maxFaults = 100;

/** @throws ServiceError `unknown_protocol`, `invalid`, `duplicate_name`, `backlog_full` */
export function submitProtocolRun(
  turn: Turn,
  ports: SubmitPorts,
  submission: ProtocolRunSubmission,
): Accepted {
  const snapshot = protocolOf(ports, submission.type, 'type');
  const parameters = submission.parameters ?? {};
  refuse('protocol run', [
    ...checkRunParameters(snapshot, parameters, { path: 'parameters' }),
    ...policyFaults(snapshot, submission.failure_policy),
    ...placeFaults(ports.labs(), snapshot),
    ...drainingFaults(ports, snapshot.protocol.labs, 'labs'),
  ]);
  refuseTakenRunName(turn, submission.name);
  refuseBacklog(turn, ports, submission.owner ?? '');
  const row = insertRun(turn, ports.ids, snapshot, {
    name: submission.name,
    owner: submission.owner ?? '',
    priority: submission.priority ?? 0,
    campaignId: null,
    parameters,
    failurePolicy: submission.failure_policy ?? {},
    meta: submission.meta ?? {},
  });
  return { id: row.id, name: row.name };
}

/** The names that a campaign gives its runs, from 1. */
export function campaignRunName(campaign: string, n: number): string {
  return `${campaign}_run_${n}`;
}

/** Most runs of a campaign, also of one without a limit: the names of its runs to come are its own. */
const mostRuns = 100_000;

/** How many runs a campaign may have. */
export function runLimit({ maxProtocolRuns }: Pick<CampaignRow, 'maxProtocolRuns'>): number {
  return maxProtocolRuns === 0 ? mostRuns : maxProtocolRuns;
}

/** The names of the runs that a campaign has not had. @param started how many it has had @param runs how many in all */
export function comingRunNames(campaign: string, started: number, runs: number): string[] {
  return Array.from({ length: runs - started }, (_, index) => campaignRunName(campaign, started + index + 1));
}

/**
 * @param optimizer what the optimizer of the protocol says of itself; null: the campaign has none
 * @throws ServiceError `unknown_protocol`, `invalid`, `duplicate_name`, `backlog_full`
 */
export function submitCampaign(
  turn: Turn,
  ports: SubmitPorts,
  submission: CampaignSubmission,
  optimizer: OptimizerRow | null,
): Accepted {
  const snapshot = protocolOf(ports, submission.protocol, 'protocol');
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
  const row: CampaignRow = {
    id: ports.ids.next(),
    name,
    protocol: snapshot.protocol.type,
    owner: submission.owner ?? '',
    priority: submission.priority ?? 0,
    state: 'created',
    ending: null,
    reason: null,
    maxProtocolRuns,
    maxConcurrentProtocolRuns: submission.max_concurrent_protocol_runs ?? 1,
    optimize: submission.optimize ?? false,
    optimizerIp: submission.optimizer_ip ?? '127.0.0.1',
    optimizer,
    globalParameters: submission.global_parameters ?? {},
    protocolRunParameters: submission.protocol_run_parameters ?? null,
    meta: submission.meta ?? {},
    runsStarted: 0,
    runsCompleted: 0,
    runsFailed: 0,
    failurePolicy: submission.failure_policy ?? {},
    onRunFailure: submission.on_run_failure ?? 'stop',
    maxFailures: submission.max_failures ?? null,
    pausedAt: null,
    definitionHash: snapshot.hash,
    createdAt: turn.now,
    startedAt: null,
    endedAt: null,
  };
  turn.emit({ op: 'putDefinition', row: { hash: snapshot.hash, kind: 'protocol', body: snapshot } });
  turn.emit({ op: 'insertCampaign', row });
  turn.tellCampaign(row.id);
  return { id: row.id, name };
}

/** @throws ServiceError `unknown_task_type`, `invalid`, `duplicate_name`, `backlog_full` */
export function submitTask(turn: Turn, ports: SubmitPorts, submission: TaskSubmission): Accepted {
  const snapshot = ports.definitions.task(submission.type);
  if (snapshot === undefined)
    throw unknownType(
      'unknown_task_type',
      'type',
      submission.type,
      'task type',
      ports.definitions.taskTypes(),
    );
  const { task } = snapshot;
  const labs = ports.labs();
  const devices = submission.devices ?? {};
  const resources = submission.input_resources ?? {};
  const { faults } = checkParameters(task.input_parameters, submission.input_parameters ?? {}, {
    path: 'input_parameters',
  });
  refuse('task', [
    ...faults,
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
  if (turn.state.rows.onDemandNames.has(submission.name))
    throw new ServiceError(
      'duplicate_name',
      `there is a queued or running on-demand task named "${submission.name}" already`,
    );
  refuseBacklog(turn, ports, submission.owner ?? '');
  const id = ports.ids.next();
  turn.emit({ op: 'putDefinition', row: { hash: snapshot.hash, kind: 'task', body: snapshot } });
  turn.emit({
    op: 'insertTaskRun',
    row: {
      id,
      name: submission.name,
      type: task.type,
      runId: null,
      owner: submission.owner ?? '',
      priority: submission.priority ?? 0,
      state: 'queued',
      reason: null,
      cancelRequestedAt: null,
      definitionHash: snapshot.hash,
      devices: Object.fromEntries(
        Object.entries(devices).map(([slot, device]) => [
          slot,
          { lab_name: device.lab_name, name: device.name },
        ]),
      ),
      resources: Object.fromEntries(
        Object.entries(resources).map(([slot, name]) => [
          slot,
          { name, type: labs.resources.get(name)?.type ?? '', meta: {} },
        ]),
      ),
      inputParameters: submission.input_parameters ?? {},
      outputParameters: null,
      outputResources: null,
      outputFiles: [],
      attempt: 0,
      failures: 0,
      retryAt: null,
      failurePolicy: {
        ...(submission.timeout === undefined ? {} : { timeout: submission.timeout }),
        ...(submission.retry === undefined ? {} : { retry: submission.retry }),
      },
      computer: null,
      allocationTimeout: submission.allocation_timeout ?? defaultAllocationTimeout,
      meta: submission.meta ?? {},
      createdAt: turn.now,
      queuedAt: turn.now,
      startedAt: null,
      lateByS: null,
      endedAt: null,
    },
  });
  turn.tellTask(id);
  return { id, name: submission.name };
}

/** Inserts a run with all of its tasks. The caller has checked everything. */
export function insertRun(
  turn: Turn,
  ids: Ids,
  snapshot: ProtocolSnapshot,
  given: Pick<
    ProtocolRunRow,
    'name' | 'owner' | 'priority' | 'campaignId' | 'parameters' | 'failurePolicy' | 'meta'
  >,
): ProtocolRunRow {
  const row: ProtocolRunRow = {
    ...given,
    id: ids.next(),
    pausedAt: null,
    type: snapshot.protocol.type,
    state: 'created',
    ending: null,
    reason: null,
    definitionHash: snapshot.hash,
    createdAt: turn.now,
    startedAt: null,
    endedAt: null,
  };
  turn.emit({ op: 'putDefinition', row: { hash: snapshot.hash, kind: 'protocol', body: snapshot } });
  turn.emit({ op: 'insertProtocolRun', row });
  turn.tellRun(row.id);
  for (const task of snapshot.protocol.tasks) {
    const id = ids.next();
    turn.emit({
      op: 'insertTaskRun',
      row: {
        id,
        name: task.name,
        type: task.type,
        runId: row.id,
        owner: row.owner,
        priority: row.priority,
        state: 'created',
        reason: null,
        cancelRequestedAt: null,
        definitionHash: snapshot.hash,
        devices: {},
        resources: {},
        inputParameters: Object.hasOwn(given.parameters, task.name)
          ? (given.parameters[task.name] ?? {})
          : {},
        outputParameters: null,
        outputResources: null,
        outputFiles: [],
        attempt: 0,
        failures: 0,
        retryAt: null,
        failurePolicy: {},
        computer: null,
        allocationTimeout: null,
        meta: {},
        createdAt: turn.now,
        queuedAt: null,
        startedAt: null,
        lateByS: null,
        endedAt: null,
      },
    });
    turn.tellTask(id);
  }
  return row;
}

/** The parameters of one run of a campaign: those of the run over those of all runs, parameter by parameter. */
export function mergeParameters(global: TaskParameters, own: TaskParameters): TaskParameters {
  const merged = new Map<string, JsonObject>(Object.entries(global));
  for (const [task, values] of Object.entries(own)) merged.set(task, { ...merged.get(task), ...values });
  return Object.fromEntries(merged);
}

function campaignFaults(
  snapshot: ProtocolSnapshot,
  submission: CampaignSubmission,
  optimizer: OptimizerRow | null,
): Fault[] {
  const faults: Fault[] = [];
  if (submission.max_failures !== undefined && (submission.on_run_failure ?? 'stop') === 'stop')
    faults.push({
      path: 'max_failures',
      code: 'without_effect',
      message: 'means nothing with on_run_failure "stop": the first failed run fails the campaign',
      hint: 'set on_run_failure to continue or pause',
    });
  const global = submission.global_parameters ?? {};
  const perRun = submission.protocol_run_parameters;
  const runs = submission.max_protocol_runs;
  const isTooLong = perRun !== undefined && runs > 0 && perRun.length > runs;
  if (perRun !== undefined && (optimizer === null ? perRun.length !== runs : isTooLong))
    faults.push({
      path: 'protocol_run_parameters',
      code: 'length',
      message: `must have ${optimizer === null ? 'exactly' : 'at most'} max_protocol_runs = ${runs} entries, not ${perRun.length}`,
    });
  // What nobody supplies; the optimizer supplies its inputs.
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

/** Tasks that the submission says something about but the protocol does not have. */
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

/** Laboratories that take no new work: their devices are being started, or they are to be unloaded or reloaded. */
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

/** @throws ServiceError `unknown_protocol` */
export function protocolOf(
  ports: Pick<SubmitPorts, 'definitions'>,
  type: string,
  path: string,
): ProtocolSnapshot {
  const snapshot = ports.definitions.protocol(type);
  if (snapshot === undefined)
    throw unknownType('unknown_protocol', path, type, 'protocol', ports.definitions.protocolTypes());
  return snapshot;
}

function unknownType(
  code: 'unknown_protocol' | 'unknown_task_type',
  path: string,
  type: string,
  what: string,
  loaded: readonly string[],
): ServiceError {
  const message = `there is no ${what} "${type}"`;
  return new ServiceError(code, message, { faults: [{ path, code, message, ...among(loaded) }] });
}

/** @throws ServiceError `invalid` with the faults, if there are any */
export function refuse(what: string, faults: readonly Fault[]): void {
  if (faults.length === 0) return;
  const first = faults[0];
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  throw new ServiceError(
    'invalid',
    `the ${what} is invalid: ${first?.path ?? ''}: ${first?.message ?? ''}${more}`,
    {
      faults: faults.slice(0, maxFaults),
    },
  );
}

function refuseExistingRunName(turn: Turn, name: string): void {
  if (turn.state.rows.protocolRunNames.has(name) || turn.isTaken('protocolRun', name))
    throw new ServiceError('duplicate_name', `there is a protocol run named "${name}" already`);
}

function refuseTakenRunName(turn: Turn, name: string): void {
  refuseExistingRunName(turn, name);
  for (const campaign of turn.state.rows.campaigns.values()) {
    const n = runNumber(campaign.name, name);
    if (n !== undefined && n > campaign.runsStarted && n <= runLimit(campaign) && !isTerminal(campaign.state))
      throw new ServiceError(
        'duplicate_name',
        `campaign ${campaign.name} will have a protocol run named "${name}"`,
      );
  }
}

/**
 * Sees to it that the coming runs of a campaign can have their names.
 *
 * @param started how many of them exist
 * @param runs how many there will be
 * @throws ServiceError `duplicate_name`
 */
export function refuseRunNames(turn: Turn, campaign: string, started: number, runs: number): void {
  for (const name of comingRunNames(campaign, started, runs)) refuseExistingRunName(turn, name);
  for (const other of turn.state.rows.campaigns.values()) {
    const clash = sharedRunName(campaign, runs, other);
    if (clash !== undefined)
      throw new ServiceError(
        'duplicate_name',
        `campaign ${other.name} will have a protocol run named "${clash}" too`,
      );
  }
}

/** `n` when the name is that of the n-th run of the campaign. */
function runNumber(campaign: string, name: string): number | undefined {
  const prefix = `${campaign}_run_`;
  const digits = name.startsWith(prefix) ? name.slice(prefix.length) : '';
  return /^[1-9]\d{0,8}$/.test(digits) ? Number(digits) : undefined;
}

/** A name that runs of both campaigns would get. Possible only if one name extends the other by `_run_<n>`-like text. */
function sharedRunName(name: string, runs: number, other: CampaignRow): string | undefined {
  if (isTerminal(other.state)) return undefined;
  const count = Math.min(runs, runLimit(other));
  if (!`${name}_run_`.startsWith(`${other.name}_run_`) && !`${other.name}_run_`.startsWith(`${name}_run_`))
    return undefined;
  for (let n = 1; n <= count; n += 1) {
    const mine = campaignRunName(name, n);
    const number = runNumber(other.name, mine);
    if (number !== undefined && number <= runLimit(other)) return mine;
  }
  return undefined;
}

/** @throws ServiceError `backlog_full` */
export function refuseBacklog(turn: Turn, ports: SubmitPorts, owner: string): void {
  const { queued, rows } = turn.state;
  const retryAfterS = ports.drain.secondsPerStart(turn.now);
  if (queued.size >= ports.maxQueued)
    throw new ServiceError(
      'backlog_full',
      `${queued.size} tasks are waiting already; submit again when some of them have run`,
      { retryAfterS },
    );
  if (owner === '' || queued.size < ports.maxQueuedPerOwner) return;
  let theirs = 0;
  for (const id of queued) if (rows.taskRuns.get(id)?.owner === owner) theirs += 1;
  if (theirs >= ports.maxQueuedPerOwner)
    throw new ServiceError(
      'backlog_full',
      `${theirs} tasks of "${owner}" are waiting already; submit again when some of them have run`,
      { retryAfterS },
    );
}
