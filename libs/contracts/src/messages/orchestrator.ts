import { z } from 'zod';
import { zodSchema } from '../schema.js';
import { AgentRecord } from '../rest/computers/agents.js';
import { isObject, zodOf, type Shape } from '../rest/fields/field.js';
import { insight, OptimizerDescription, runtimeParameters } from '../rest/optimizer.js';
import { DeletionRecord, deletionScopes, holdKinds, LegalHoldRecord } from '../rest/work/deletions.js';
import { DrainRecord } from '../rest/drain.js';
import { QueuedTask, QueueRecord } from '../rest/queue.js';
import { ReservationRecord } from '../rest/reservations.js';
import { ScheduleRecord } from '../rest/schedule.js';
import { SimulationRecord, SimulationScenario, WhatIfRecord } from '../rest/simulation.js';
import { CampaignChange, CampaignSubmission } from '../rest/work/campaigns.js';
import { SubmissionEstimate, type Submission } from '../rest/work/dry-run.js';
import { ProtocolRunChange, ProtocolRunSubmission } from '../rest/work/protocol-runs.js';
import { UsageRecord } from '../rest/work/usage.js';
import { TaskChange, TaskSubmission, type TaskRunRecord } from '../rest/work/tasks.js';
import { workKinds } from '../rest/work/work.js';
import { optimizerStatus } from './optimizer.js';
import { deviceFunction, jsonObject } from './work.js';
import { agentReports, codeRequests } from './agent-reports.js';
import { auditEntry } from './audit-entry.js';
import { attentionRequests } from './attention.js';
import { rolloutRequests } from './rollouts.js';
import { emergencyStop } from './agent.js';
import { labRights } from './lab-rights.js';
import { deviceRecord, listPosition, queueQuery, scheduleQuery, usageQuery } from './overview-queries.js';
import {
  defineEvent,
  openRequest,
  orchestratorQuery as query,
  orchestratorRequest as request,
} from './define.js';

/** A record that was made or changed. The caller reads it from the database. */
const accepted = z.object({ id: z.string(), name: z.string() });
/** The record as it was committed; absent: it is long or the task is over, so the caller reads it from the database. */
const acceptedTask = accepted.extend({ record: z.custom<TaskRunRecord>(isObject).optional() });
const named = z.object({ name: z.string() });

/**
 * A body that the gateway has checked. A field that the orchestrator does not know is refused, so that a gateway of a
 * newer version loses nothing that a person asked for.
 */
const bodyOf = <Fields extends object>(shape: Shape<Fields>) => zodOf(shape).strict();

const besideSubmission = z.object({
  /**
   * The id that the gateway gave the submission. It is stored in the row, but not shown in the record. If the answer is
   * lost, the gateway knows by the id whether a record was made by this very submission. Absent: nobody will ask.
   */
  submission_id: z.string().optional(),
  /** Committed with what the submission makes. Absent: the caller records the act itself. */
  audit: auditEntry.optional(),
});
/** The laboratories of the caller. */
const withRights = z.object({ rights: labRights });

/** A submission with what the gateway knows of it. */
export type Submitted<Submission> = Submission &
  z.infer<typeof besideSubmission> &
  z.infer<typeof withRights>;

const submitted = <Fields extends object>(shape: Shape<Fields>) =>
  bodyOf(shape).extend(besideSubmission.shape).extend(withRights.shape);

const submitErrors = [
  'forbidden',
  'invalid',
  'duplicate_name',
  'backlog_full',
  'quota_exceeded',
  'store_unavailable',
] as const;
/** A submission of one kind, as it would really be submitted. */
const submissionOf = <Kind extends Submission['kind'], Fields extends object>(
  kind: Kind,
  shape: Shape<Fields>,
) => z.object({ kind: z.literal(kind), submission: bodyOf(shape), rights: labRights });
/** An act of a person on something that has a name. */
const namedBy = z.object({ name: z.string(), by: z.string() });
/** The same on work that goes on by it, so that the caller needs a role for the laboratories of the work. */
const rightfulAct = namedBy.extend(withRights.shape);
/** An act of a person on a device. */
const deviceBy = z.object({ lab: z.string(), device: z.string(), by: z.string() });
/** An act of a person on a computer. */
const computerBy = z.object({ computer: z.string(), by: z.string() });
const empty = z.object({});
const by = z.object({ by: z.string() });
const queue = zodOf(QueueRecord);
const reservation = zodOf(ReservationRecord);
const deletion = zodOf(DeletionRecord);
const hold = zodOf(LegalHoldRecord);
/** Null: all work. */
const drained = z.object({ campaign: z.string().nullable() });
const drain = zodOf(DrainRecord);

const cancelErrors = ['not_found', 'wrong_state', 'store_unavailable'] as const;
/** Errors of a change of work that has not begun. */
const changeErrors = ['forbidden', 'invalid', ...cancelErrors] as const;
/** An act of a person on work that has ended. */
const workBy = namedBy.extend({ kind: z.enum(workKinds) });
const resumeErrors = ['forbidden', 'invalid', 'backlog_full', 'duplicate_name', ...cancelErrors] as const;
/** Errors of an optimizer and of the connection to it. */
const optimizerErrors = ['invalid', 'optimizer_error', 'optimizer_unavailable'] as const;
/** Milliseconds to start a process and make an optimizer before the answer. */
const optimizerMadeMs = 70_000;
/** Milliseconds for a simulation. */
const simulatedMs = 40_000;

/** The requests that the leading orchestrator answers: acts of people, and reports of agents. */
export const orchestratorRequests = {
  submitProtocolRun: request('protocol_run.submit', submitted(ProtocolRunSubmission), accepted, [
    'unknown_protocol',
    'wrong_state',
    ...submitErrors,
  ]),
  submitCampaign: request(
    'campaign.submit',
    submitted(CampaignSubmission),
    accepted,
    ['unknown_protocol', 'not_found', 'wrong_state', ...submitErrors, ...optimizerErrors],
    optimizerMadeMs,
  ),
  submitTask: request('task.submit', submitted(TaskSubmission), acceptedTask, [
    'unknown_task_type',
    ...submitErrors,
  ]),
  cancelProtocolRun: request('protocol_run.cancel', named, accepted, cancelErrors),
  cancelCampaign: request('campaign.cancel', named, accepted, cancelErrors),
  cancelTask: request(
    'task.cancel',
    z.object({ name: z.string(), protocol_run_name: z.string().optional() }),
    accepted,
    cancelErrors,
  ),
  /** Changes the priority of a task that has not ended, or parameters of a task that has not begun. */
  changeTask: request(
    'task.change',
    rightfulAct.extend({ protocol_run_name: z.string().optional(), change: bodyOf(TaskChange) }),
    accepted,
    changeErrors,
  ),
  /** The same for a protocol run and its tasks. */
  changeProtocolRun: request(
    'protocol_run.change',
    rightfulAct.extend({ change: bodyOf(ProtocolRunChange) }),
    accepted,
    changeErrors,
  ),
  /** The same for a campaign, its runs and their tasks. Parameters change for runs that have not begun. */
  changeCampaign: request(
    'campaign.change',
    rightfulAct.extend({ change: bodyOf(CampaignChange) }),
    accepted,
    ['duplicate_name', ...changeErrors],
  ),
  /** Removes ended work, with all that belongs to it, from the lists. */
  archiveWork: request('work.archive', workBy, accepted, cancelErrors),
  /** Returns archived work to the lists. */
  restoreWork: request('work.restore', workBy, accepted, cancelErrors),
  /** Plans the deletion of work that has ended. */
  deleteWork: request(
    'work.delete',
    workBy.extend({ reason: z.string(), what: z.enum(deletionScopes) }),
    deletion,
    ['invalid', ...cancelErrors],
  ),
  /** Takes the deletion of work back, unless it has begun. */
  keepWork: request('work.keep', workBy, deletion, cancelErrors),
  /** Forbids deletions, and takes back those that have not begun. */
  addHold: request('hold.add', namedBy.extend({ kind: z.enum(holdKinds), reason: z.string() }), hold, [
    'invalid',
    ...cancelErrors,
  ]),
  releaseHold: request('hold.release', z.object({ id: z.string(), by: z.string() }), hold, cancelErrors),
  /** The legal holds in force, by their beginning. */
  listHolds: query('hold.list', empty, z.object({ holds: z.array(hold) }), [], 3_000),
  /** Starts no more tasks of the run. Running tasks continue to their end. */
  pauseProtocolRun: request('protocol_run.pause', namedBy, accepted, cancelErrors),
  /** Resumes a run that is paused, failed or cancelled. It keeps completed tasks. */
  resumeProtocolRun: request('protocol_run.resume', rightfulAct, accepted, resumeErrors),
  /** Starts no more runs of the campaign, and no more tasks of its present runs. */
  pauseCampaign: request('campaign.pause', namedBy, accepted, cancelErrors),
  /** Resumes a campaign that is paused, failed or cancelled. It keeps completed runs. */
  resumeCampaign: request(
    'campaign.resume',
    rightfulAct.extend({
      /** Overrides the earlier settings of its optimizer. Secrets in it are sealed. */
      optimizer_overrides: jsonObject.optional(),
    }),
    accepted,
    [...resumeErrors, ...optimizerErrors],
    optimizerMadeMs,
  ),
  /** Changes parameters of the optimizer of a campaign that has not ended: all, or none. Answered after the commit. */
  configureOptimizer: request(
    'campaign.optimizer.configure',
    namedBy.extend({ runtime_params: runtimeParameters.zod() }),
    z.object({ runtime_params: runtimeParameters.zod() }),
    [...cancelErrors, ...optimizerErrors],
    40_000,
  ),
  /** Queues a remark for the AI of a campaign that has not ended. Answered after the commit. */
  addInsight: request(
    'campaign.optimizer.insight',
    namedBy.extend({ text: z.string() }),
    insight.zod(),
    cancelErrors,
  ),
  /** The optimizer of a campaign that has not ended. For an ended campaign the record has all of it. */
  readOptimizer: query(
    'campaign.optimizer.read',
    named.extend({
      /** True: asks for the belief of the model too. This waits until the present call of the optimizer has ended. */
      explain: z.boolean(),
    }),
    optimizerStatus,
    ['not_found', 'wrong_state'],
    20_000,
  ),
  /** The optimizer of a loaded protocol with its default settings. */
  readOptimizerDefaults: query(
    'protocol.optimizer.defaults',
    z.object({
      protocol: z.string(),
      /** Address of the computer of the optimizer; absent: 127.0.0.1. */
      optimizer_ip: z.string().optional(),
    }),
    zodOf(OptimizerDescription),
    ['unknown_protocol', 'not_found', ...optimizerErrors],
    optimizerMadeMs,
  ),
  /** Pauses the queue: no task starts until a person resumes it. Running tasks continue. Idempotent. */
  pauseQueue: request('queue.pause', by, queue, ['store_unavailable']),
  resumeQueue: request('queue.resume', by, queue, ['store_unavailable']),
  /** Drains a campaign, or all work if it is null: nothing new begins, what has begun goes on. Idempotent. */
  drain: request('drain.begin', drained.extend({ by: z.string() }), drain, [
    'not_found',
    'store_unavailable',
  ]),
  endDrain: request('drain.end', drained.extend({ by: z.string() }), drain, [
    'not_found',
    'store_unavailable',
  ]),
  /** Whether new work may begin, and the work that has begun and has not ended. */
  readDrain: query('drain.read', drained, drain, [], 5_000),
  /** Whether tasks may start, and a part of the queue in its order. */
  readQueue: query(
    'queue.read',
    queueQuery,
    z.object({ queue, items: z.array(zodOf(QueuedTask)), end: listPosition.nullable() }),
    [],
    5_000,
  ),
  /** What owners and laboratories store, with their quotas. */
  readUsage: query(
    'usage.read',
    usageQuery,
    z.object({ items: z.array(zodOf(UsageRecord)), end: listPosition.nullable() }),
    [],
    3_000,
  ),
  /** The plan, and the reason why each queued task has not started. */
  readSchedule: query('schedule.read', scheduleQuery, zodOf(ScheduleRecord), [], 5_000),
  /** When open work is expected to be complete, by name. A name is absent when the time is not known. */
  readEstimates: query(
    'schedule.estimates',
    z.object({}),
    z.object({
      protocol_runs: z.record(z.string(), z.string()),
      campaigns: z.record(z.string(), z.string()),
    }),
    [],
    300,
  ),
  /** Simulates a scenario with the loaded definitions. Changes nothing. */
  simulate: query(
    'simulation.run',
    withRights.extend({ scenario: zodOf(SimulationScenario) }),
    zodOf(SimulationRecord),
    ['invalid', 'backlog_full', 'service_unavailable'],
    simulatedMs,
  ),
  /** Simulates a protocol run as if it was submitted now. Changes nothing. */
  simulateProtocolRun: query(
    'simulation.protocol_run',
    withRights.extend({ submission: zodOf(ProtocolRunSubmission) }),
    zodOf(WhatIfRecord),
    ['unknown_protocol', 'service_unavailable', ...submitErrors],
    simulatedMs,
  ),
  /** Checks a submission as if it was real, and simulates it. Changes nothing. */
  dryRun: query(
    'submission.dry_run',
    z.discriminatedUnion('kind', [
      submissionOf('protocol_run', ProtocolRunSubmission),
      submissionOf('campaign', CampaignSubmission),
      submissionOf('task', TaskSubmission),
    ]),
    z.object({
      valid: z.literal(true),
      dry_run: z.literal(true),
      resolved: z.custom<Submission['submission']>(isObject, 'must be an object'),
      estimate: zodOf(SubmissionEstimate),
      warnings: z.array(z.string()),
    }),
    [
      'unknown_protocol',
      'unknown_task_type',
      'not_found',
      'wrong_state',
      ...submitErrors,
      ...optimizerErrors,
    ],
    optimizerMadeMs + simulatedMs,
  ),
  /**
   * Resets the data of a resource to the lab file and records the act in the audit. While a task or a protocol run has
   * the resource, this needs `force` and a reason.
   */
  resetResource: request(
    'resource.reset',
    namedBy.extend({ reason: z.string(), force: z.boolean() }),
    named,
    ['invalid', ...cancelErrors],
  ),
  /** Changes data of a resource: a value replaces that of the same name, null removes it. Otherwise as `resetResource`. */
  setResource: request(
    'resource.set',
    namedBy.extend({ reason: z.string(), force: z.boolean(), meta: jsonObject }),
    named,
    ['invalid', ...cancelErrors],
  ),
  /**
   * Records an emergency stop. The agents have got it by the event already, and get it again from the leader. The same
   * id names the same emergency stop. It needs no signature, because everybody may stop.
   */
  engageStop: openRequest(
    'estop.engage',
    emergencyStop,
    z.object({ id: z.string() }),
    ['unknown_lab', 'unknown_device', 'store_unavailable'],
    5_000,
  ),
  /** Releases one emergency stop, or all that are in force. */
  releaseStop: request(
    'estop.release',
    z.object({ id: z.string().nullable(), by: z.string() }),
    z.object({ ids: z.array(z.string()) }),
    cancelErrors,
  ),
  /** Takes a device out of service: no task starts on it until it is back. A running task continues to its end. */
  disableDevice: request(
    'device.disable',
    deviceBy.extend({
      reason: z.string(),
      /** ISO 8601; null: until a person puts it back. */
      until: z.string().nullable(),
    }),
    empty,
    ['unknown_lab', 'unknown_device', 'invalid', 'store_unavailable'],
  ),
  /** Puts a device back into service. Idempotent. */
  enableDevice: request('device.enable', deviceBy, empty, [
    'unknown_lab',
    'unknown_device',
    'store_unavailable',
  ]),
  /** Drains a computer: no task starts on its devices until it is resumed. Running tasks continue to their end. */
  drainComputer: request(
    'agent.drain',
    computerBy.extend({
      reason: z.string(),
      /** ISO 8601; null: until a person resumes it. */
      until: z.string().nullable(),
    }),
    empty,
    ['not_found', 'invalid', 'store_unavailable'],
  ),
  /** Ends the drain of a computer. Idempotent. */
  resumeComputer: request('agent.resume', computerBy, empty, ['not_found', 'store_unavailable']),
  /** Reserves a device or a resource for a time, for the tasks of one person. A running task continues to its end. */
  addReservation: request(
    'reservation.add',
    by.extend({
      lab: z.string(),
      /** Exactly one of `device` and `resource` is not null. */
      device: z.string().nullable(),
      resource: z.string().nullable(),
      /** `from` and `to`: ISO 8601. */
      from: z.string(),
      to: z.string(),
      reason: z.string(),
    }),
    reservation,
    ['unknown_lab', 'unknown_device', 'not_found', 'invalid', 'wrong_state', 'store_unavailable'],
  ),
  /** Ends a reservation before its time, also one that has not begun. Its reply is the reservation that has ended. */
  endReservation: request(
    'reservation.end',
    z.object({ id: z.string(), by: z.string() }),
    reservation,
    cancelErrors,
  ),
  /** The reservations that have not ended, by their beginning. */
  listReservations: query(
    'reservation.list',
    empty,
    z.object({ reservations: z.array(reservation) }),
    [],
    3_000,
  ),
  /** Ends the process of a device in order and starts a new one. Refused while a task holds a device without a fault. */
  restartDevice: request(
    'device.restart',
    deviceBy.extend({ reason: z.string() }),
    empty,
    ['unknown_lab', 'unknown_device', 'invalid', 'wrong_state', 'agent_unreachable', 'store_unavailable'],
    12_000,
  ),
  /** Locates a device: its agent with the incarnation, and the functions of the device. */
  locateDevice: query(
    'device.locate',
    z.object({ lab: z.string(), device: z.string() }),
    z.object({
      computer: z.string(),
      inc: z.number().int(),
      /** As its agent last reported; absent or empty: not known yet. */
      functions: z.array(deviceFunction).optional(),
      /** Label of the task run that has the device at this moment; absent: none. */
      held_by: z.string().optional(),
      /** Fence of the device at this moment: the next task that gets the device has a higher one. */
      fence: z.number().int(),
    }),
    ['unknown_lab', 'unknown_device', 'agent_unreachable'],
    3_000,
  ),
  listDevices: query(
    'device.list',
    /** `brief`: without the functions of the devices. */
    z.object({ brief: z.boolean().optional() }),
    z.object({ devices: z.array(deviceRecord) }),
    [],
    3_000,
  ),
  /** Every computer of the loaded laboratories, and every agent that ever registered, by computer. */
  listAgents: query('agent.list', z.object({}), z.object({ agents: z.array(zodOf(AgentRecord)) }), [], 3_000),

  ...attentionRequests,
  ...rolloutRequests,
  ...agentReports,
  ...codeRequests,
};

export const orchestratorEvents = {
  /** The leader publishes it at its start and every second. An agent that hears a new epoch registers again. */
  leading: defineEvent({
    name: 'orchestrator.leading',
    from: { orchestrator: {} },
    to: { orchestrator: {}, gateway: {}, agent: {}, tool: {} },
    subject: 'svc.v1.event.orchestrator.leading',
    body: zodSchema(
      z.object({
        epoch: z.number().int(),
        instance: z.string(),
        /**
         * The emergency stops in force, and the ids of the latest released ones. An agent that missed an emergency stop
         * stops within a second. No agent releases a stop only because the leader does not know it yet.
         */
        halts: z.array(emergencyStop).optional(),
        released: z.array(z.string()).optional(),
        /**
         * Public key with which the leader signs, in base64url; absent: it signs nothing. An agent that does not know it asks a
         * gateway for what the service has signed about it, and believes nothing because of this message.
         */
        service_key: z.string().optional(),
      }),
    ),
  }),
  /**
   * Tasks got these devices. A gateway that hears it asks anew before it calls one of them for a person. One that does not
   * hear it is refused by the agent, by the fence, as soon as the task has reached the agent.
   */
  devicesTaken: defineEvent({
    name: 'orchestrator.devicesTaken',
    from: { orchestrator: {} },
    to: { gateway: {} },
    subject: 'svc.v1.event.orchestrator.devices_taken',
    body: zodSchema(
      z.object({
        /** `<lab>.<device>`. */
        devices: z.array(z.string()),
      }),
    ),
  }),
};
