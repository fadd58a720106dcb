import type { CampaignSubmission, LabRights, ProtocolRunSubmission, TaskSubmission } from '@lab/contracts';
import type { ProtocolSnapshot } from '@lab/definitions/model';
import type { Ids } from '@lab/ports';
import {
  type CampaignRow,
  type OptimizerRow,
  type ProtocolRunRow,
  newTaskRun,
  unstarted,
} from '../rows/index.js';
import type { Turn } from '../turn/index.js';
import { type SubmitPorts, checkCampaign, checkProtocolRun, checkTask } from './submission-checks.js';

export interface Accepted {
  id: string;
  name: string;
}

/** A submission with its id, if somebody may ask for it later. */
type Given<Submission> = Submission & { submission_id?: string | undefined };

/** Seconds that an on-demand task waits by default. */
const defaultAllocationTimeout = 600;

/** A submission in which every field with a default has a value. */
type Complete<T, Optional extends keyof T> = Required<Omit<T, Optional>> & Pick<T, Optional>;

export function completeProtocolRun(
  submission: ProtocolRunSubmission,
): Complete<ProtocolRunSubmission, never> {
  return {
    name: submission.name,
    type: submission.type,
    owner: submission.owner ?? '',
    priority: submission.priority ?? 0,
    parameters: submission.parameters ?? {},
    failure_policy: submission.failure_policy ?? {},
    resume: submission.resume ?? false,
    meta: submission.meta ?? {},
  };
}

export function completeCampaign(
  submission: CampaignSubmission,
): Complete<CampaignSubmission, 'protocol_run_parameters' | 'max_failures'> {
  const { protocol_run_parameters: rows, max_failures: maxFailures } = submission;
  return {
    name: submission.name,
    protocol: submission.protocol,
    owner: submission.owner ?? '',
    priority: submission.priority ?? 0,
    max_protocol_runs: submission.max_protocol_runs,
    max_concurrent_protocol_runs: submission.max_concurrent_protocol_runs ?? 1,
    optimize: submission.optimize ?? false,
    optimizer_ip: submission.optimizer_ip ?? '127.0.0.1',
    global_parameters: submission.global_parameters ?? {},
    ...(rows === undefined ? {} : { protocol_run_parameters: rows }),
    failure_policy: submission.failure_policy ?? {},
    resume: submission.resume ?? false,
    on_run_failure: submission.on_run_failure ?? 'stop',
    ...(maxFailures === undefined ? {} : { max_failures: maxFailures }),
    meta: submission.meta ?? {},
  };
}

export function completeTask(submission: TaskSubmission): Complete<TaskSubmission, 'timeout' | 'retry'> {
  const { timeout, retry } = submission;
  return {
    name: submission.name,
    type: submission.type,
    owner: submission.owner ?? '',
    devices: submission.devices ?? {},
    input_parameters: submission.input_parameters ?? {},
    input_resources: submission.input_resources ?? {},
    priority: submission.priority ?? 0,
    allocation_timeout: submission.allocation_timeout ?? defaultAllocationTimeout,
    ...(timeout === undefined ? {} : { timeout }),
    ...(retry === undefined ? {} : { retry }),
    meta: submission.meta ?? {},
  };
}

/** @throws ServiceError `unknown_protocol`, `forbidden`, `invalid`, `duplicate_name`, `backlog_full`, `quota_exceeded` */
export function submitProtocolRun(
  turn: Turn,
  ports: SubmitPorts,
  submission: Given<ProtocolRunSubmission>,
  rights: LabRights,
): Accepted {
  const snapshot = checkProtocolRun(turn, ports, submission, rights);
  const { name, owner, priority, parameters, failure_policy, meta } = completeProtocolRun(submission);
  const row = insertRun(turn, ports.ids, snapshot, {
    name,
    owner,
    submissionId: submission.submission_id ?? null,
    priority,
    campaignId: null,
    parameters,
    failurePolicy: failure_policy,
    meta,
  });
  return { id: row.id, name: row.name };
}

/** As {@link submitProtocolRun}. @param optimizer the description of its optimizer; null: it has none */
export function submitCampaign(
  turn: Turn,
  ports: SubmitPorts,
  submission: Given<CampaignSubmission>,
  optimizer: OptimizerRow | null,
  rights: LabRights,
): Accepted {
  const snapshot = checkCampaign(turn, ports, submission, optimizer, rights);
  const complete = completeCampaign(submission);
  const { name } = complete;
  const row: CampaignRow = {
    id: ports.ids.next(),
    name,
    protocol: snapshot.protocol.type,
    owner: complete.owner,
    submissionId: submission.submission_id ?? null,
    priority: complete.priority,
    ...unstarted(),
    state: 'created',
    maxProtocolRuns: complete.max_protocol_runs,
    maxConcurrentProtocolRuns: complete.max_concurrent_protocol_runs,
    optimize: complete.optimize,
    optimizerIp: complete.optimizer_ip,
    optimizer,
    globalParameters: complete.global_parameters,
    protocolRunParameters: complete.protocol_run_parameters ?? null,
    meta: complete.meta,
    runsStarted: 0,
    runsCompleted: 0,
    runsFailed: 0,
    failurePolicy: complete.failure_policy,
    onRunFailure: complete.on_run_failure,
    maxFailures: complete.max_failures ?? null,
    definitionHash: snapshot.hash,
    createdAt: turn.now,
  };
  turn.emit({ op: 'putDefinition', row: { hash: snapshot.hash, kind: 'protocol', body: snapshot } });
  turn.emit({ op: 'insertCampaign', row });
  turn.publishCampaign(row.id);
  return { id: row.id, name };
}

/** @throws ServiceError `unknown_task_type`, `forbidden`, `invalid`, `duplicate_name`, `backlog_full`, `quota_exceeded` */
export function submitTask(
  turn: Turn,
  ports: SubmitPorts,
  submission: Given<TaskSubmission>,
  rights: LabRights,
): Accepted {
  const snapshot = checkTask(turn, ports, submission, rights);
  const { task } = snapshot;
  const labs = ports.labs();
  const complete = completeTask(submission);
  const { name, devices, input_resources: resources, timeout, retry } = complete;
  const id = ports.ids.next();
  turn.emit({ op: 'putDefinition', row: { hash: snapshot.hash, kind: 'task', body: snapshot } });
  turn.emit({
    op: 'insertTaskRun',
    row: newTaskRun({
      id,
      name,
      type: task.type,
      runId: null,
      owner: complete.owner,
      submissionId: submission.submission_id ?? null,
      priority: complete.priority,
      state: 'queued',
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
      inputParameters: complete.input_parameters,
      failurePolicy: {
        ...(timeout === undefined ? {} : { timeout }),
        ...(retry === undefined ? {} : { retry }),
      },
      allocationTimeout: complete.allocation_timeout,
      meta: complete.meta,
      createdAt: turn.now,
      queuedAt: turn.now,
    }),
  });
  turn.publishTask(id);
  return { id, name };
}

/** Inserts a run and its tasks. The caller has made all checks. */
export function insertRun(
  turn: Turn,
  ids: Ids,
  snapshot: ProtocolSnapshot,
  given: Pick<
    ProtocolRunRow,
    'name' | 'owner' | 'priority' | 'campaignId' | 'parameters' | 'failurePolicy' | 'meta'
  > & { submissionId?: string | null },
): ProtocolRunRow {
  const row: ProtocolRunRow = {
    submissionId: null,
    ...given,
    ...unstarted(),
    id: ids.next(),
    type: snapshot.protocol.type,
    state: 'created',
    definitionHash: snapshot.hash,
    createdAt: turn.now,
  };
  turn.emit({ op: 'putDefinition', row: { hash: snapshot.hash, kind: 'protocol', body: snapshot } });
  turn.emit({ op: 'insertProtocolRun', row });
  turn.publishRun(row.id);
  for (const task of snapshot.protocol.tasks) {
    const id = ids.next();
    turn.emit({
      op: 'insertTaskRun',
      row: newTaskRun({
        id,
        name: task.name,
        type: task.type,
        runId: row.id,
        owner: row.owner,
        priority: row.priority,
        definitionHash: snapshot.hash,
        inputParameters: Object.hasOwn(given.parameters, task.name)
          ? (given.parameters[task.name] ?? {})
          : {},
        createdAt: turn.now,
      }),
    });
    turn.publishTask(id);
  }
  return row;
}
