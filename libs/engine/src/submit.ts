import type { CampaignSubmission, ProtocolRunSubmission, TaskSubmission } from '@lab/contracts';
import type { ProtocolSnapshot } from '@lab/definitions/model';
import type { Ids } from './ports.js';
import type { CampaignRow, OptimizerRow, ProtocolRunRow } from './rows.js';
import { checkCampaign, checkProtocolRun, checkTask, type SubmitPorts } from './submission-checks.js';
import type { Turn } from './turn.js';

export interface Accepted {
  id: string;
  name: string;
}

/** Seconds that an on-demand task waits when it does not say. */
const defaultAllocationTimeout = 600;

/** @throws ServiceError `unknown_protocol`, `invalid`, `duplicate_name`, `backlog_full` */
export function submitProtocolRun(
  turn: Turn,
  ports: SubmitPorts,
  submission: ProtocolRunSubmission,
): Accepted {
  const snapshot = checkProtocolRun(turn, ports, submission);
  const row = insertRun(turn, ports.ids, snapshot, {
    name: submission.name,
    owner: submission.owner ?? '',
    priority: submission.priority ?? 0,
    campaignId: null,
    parameters: submission.parameters ?? {},
    failurePolicy: submission.failure_policy ?? {},
    meta: submission.meta ?? {},
  });
  return { id: row.id, name: row.name };
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
  const snapshot = checkCampaign(turn, ports, submission, optimizer);
  const { name, max_protocol_runs: maxProtocolRuns } = submission;
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
  const snapshot = checkTask(turn, ports, submission);
  const { task } = snapshot;
  const labs = ports.labs();
  const devices = submission.devices ?? {};
  const resources = submission.input_resources ?? {};
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
