import { z } from 'zod';
import { dtoSchema, zodSchema } from '../schema.js';
import { AgentRecord } from '../rest/agents.js';
import { AttentionDecision } from '../rest/attention.js';
import { DeviceRecord } from '../rest/devices.js';
import { isObject, zodOf } from '../rest/fields/field.js';
import { insight, OptimizerDescription, runtimeParameters } from '../rest/optimizer.js';
import { longestPage } from '../rest/pages.js';
import { QueuedTask, QueueRecord } from '../rest/queue.js';
import { longestSchedule, ScheduleRecord } from '../rest/schedule.js';
import { SimulationRecord, SimulationScenario, WhatIfRecord } from '../rest/simulation.js';
import { CampaignChange, CampaignSubmission } from '../rest/work/campaigns.js';
import { SubmissionEstimate, type Submission } from '../rest/work/dry-run.js';
import { ProtocolRunChange, ProtocolRunSubmission } from '../rest/work/protocol-runs.js';
import { TaskChange, TaskSubmission } from '../rest/work/tasks.js';
import { workKinds } from '../rest/work/work.js';
import { optimizerStatus } from './optimizer.js';
import {
  attemptReport,
  attemptResult,
  deviceAssignment,
  deviceFunction,
  deviceStatus,
  jsonObject,
} from './work.js';
import { emergencyStop } from './agent.js';
import { defineEvent, defineRequest } from './define.js';

/** A record that now exists or was changed; the caller reads it where records are read. */
const accepted = z.object({ id: z.string(), name: z.string() });
const named = z.object({ name: z.string() });

const submitErrors = ['invalid', 'duplicate_name', 'backlog_full', 'store_unavailable'] as const;
/** A submission of one kind, as it is checked when it is meant. */
const submissionOf = <Kind extends Submission['kind']>(
  kind: Kind,
  dto: new () => Extract<Submission, { kind: Kind }>['submission'],
) =>
  z.object({
    kind: z.literal(kind),
    submission: z.custom<Extract<Submission, { kind: Kind }>['submission']>(
      (value) => dtoSchema(dto).check(value).ok,
      'is no such submission',
    ),
  });
/** An act of a person on something that has a name. */
const namedBy = z.object({ name: z.string(), by: z.string() });
const by = z.object({ by: z.string() });
const queue = zodOf(QueueRecord);
const scheduleQuery = z.object({
  run: z.string().optional(),
  device: z.string().optional(),
  lab: z.string().optional(),
  limit: z.number().int().min(1).max(longestSchedule),
});

const listPosition = z.object({ value: z.union([z.string(), z.number()]), id: z.string() });
const queueQuery = z.object({
  protocol_run: z.string().optional(),
  campaign: z.string().optional(),
  owner: z.string().optional(),
  device: z.string().optional(),
  lab: z.string().optional(),
  limit: z.number().int().min(1).max(longestPage),
  descending: z.boolean(),
  after: listPosition.nullable(),
});

const cancelErrors = ['not_found', 'wrong_state', 'store_unavailable'] as const;
/** A change of what has not begun. */
const changeErrors = ['invalid', ...cancelErrors] as const;
const changed = <Change extends object>(dto: new () => Change) =>
  z.custom<Change>((value) => dtoSchema(dto).check(value).ok, 'is no such change');
/** An act of a person on work that is over. */
const workBy = namedBy.extend({ kind: z.enum(workKinds) });
const resumeErrors = ['invalid', 'backlog_full', 'duplicate_name', ...cancelErrors] as const;
/** What may be wrong with an optimizer, or the way to it. */
const optimizerErrors = ['invalid', 'optimizer_error', 'optimizer_unavailable'] as const;
/** A process is started and an optimizer made before the answer, in milliseconds. */
const optimizerMadeMs = 70_000;
/** Playing through what would happen, in milliseconds. */
const simulatedMs = 40_000;

/** What the leading orchestrator answers: submissions and cancels of people, and the reports of agents. */
export const orchestratorRequests = {
  submitProtocolRun: defineRequest({
    name: 'protocol_run.submit',
    subject: 'svc.v1.orchestrator.protocol_run.submit',
    request: dtoSchema(ProtocolRunSubmission),
    reply: zodSchema(accepted),
    timeoutMs: 10_000,
    errors: ['unknown_protocol', 'wrong_state', ...submitErrors],
  }),
  submitCampaign: defineRequest({
    name: 'campaign.submit',
    subject: 'svc.v1.orchestrator.campaign.submit',
    request: dtoSchema(CampaignSubmission),
    reply: zodSchema(accepted),
    timeoutMs: optimizerMadeMs,
    errors: ['unknown_protocol', 'not_found', 'wrong_state', ...submitErrors, ...optimizerErrors],
  }),
  submitTask: defineRequest({
    name: 'task.submit',
    subject: 'svc.v1.orchestrator.task.submit',
    request: dtoSchema(TaskSubmission),
    reply: zodSchema(accepted),
    timeoutMs: 10_000,
    errors: ['unknown_task_type', ...submitErrors],
  }),
  cancelProtocolRun: defineRequest({
    name: 'protocol_run.cancel',
    subject: 'svc.v1.orchestrator.protocol_run.cancel',
    request: zodSchema(named),
    reply: zodSchema(accepted),
    timeoutMs: 10_000,
    errors: cancelErrors,
  }),
  cancelCampaign: defineRequest({
    name: 'campaign.cancel',
    subject: 'svc.v1.orchestrator.campaign.cancel',
    request: zodSchema(named),
    reply: zodSchema(accepted),
    timeoutMs: 10_000,
    errors: cancelErrors,
  }),
  cancelTask: defineRequest({
    name: 'task.cancel',
    subject: 'svc.v1.orchestrator.task.cancel',
    request: zodSchema(z.object({ name: z.string(), protocol_run_name: z.string().optional() })),
    reply: zodSchema(accepted),
    timeoutMs: 10_000,
    errors: cancelErrors,
  }),
  /** Changes the priority of a task that is not over, or parameters of one that has not begun. */
  changeTask: defineRequest({
    name: 'task.change',
    subject: 'svc.v1.orchestrator.task.change',
    request: zodSchema(
      namedBy.extend({ protocol_run_name: z.string().optional(), change: changed(TaskChange) }),
    ),
    reply: zodSchema(accepted),
    timeoutMs: 10_000,
    errors: changeErrors,
  }),
  /** The same of a protocol run and its tasks. */
  changeProtocolRun: defineRequest({
    name: 'protocol_run.change',
    subject: 'svc.v1.orchestrator.protocol_run.change',
    request: zodSchema(namedBy.extend({ change: changed(ProtocolRunChange) })),
    reply: zodSchema(accepted),
    timeoutMs: 10_000,
    errors: changeErrors,
  }),
  /** The same of a campaign, its runs and their tasks; parameters are those of runs that have not begun. */
  changeCampaign: defineRequest({
    name: 'campaign.change',
    subject: 'svc.v1.orchestrator.campaign.change',
    request: zodSchema(namedBy.extend({ change: changed(CampaignChange) })),
    reply: zodSchema(accepted),
    timeoutMs: 10_000,
    errors: ['duplicate_name', ...changeErrors],
  }),
  /** Takes work that is over, with all that belongs to it, out of the lists. */
  archiveWork: defineRequest({
    name: 'work.archive',
    subject: 'svc.v1.orchestrator.work.archive',
    request: zodSchema(workBy),
    reply: zodSchema(accepted),
    timeoutMs: 10_000,
    errors: cancelErrors,
  }),
  /** Brings what is archived back into the lists. */
  restoreWork: defineRequest({
    name: 'work.restore',
    subject: 'svc.v1.orchestrator.work.restore',
    request: zodSchema(workBy),
    reply: zodSchema(accepted),
    timeoutMs: 10_000,
    errors: cancelErrors,
  }),
  /** Starts no more tasks of the run; what runs goes on to its end. */
  pauseProtocolRun: defineRequest({
    name: 'protocol_run.pause',
    subject: 'svc.v1.orchestrator.protocol_run.pause',
    request: zodSchema(namedBy),
    reply: zodSchema(accepted),
    timeoutMs: 10_000,
    errors: cancelErrors,
  }),
  /** Goes on with a run that is paused, or that failed or was cancelled: completed tasks are kept. */
  resumeProtocolRun: defineRequest({
    name: 'protocol_run.resume',
    subject: 'svc.v1.orchestrator.protocol_run.resume',
    request: zodSchema(namedBy),
    reply: zodSchema(accepted),
    timeoutMs: 10_000,
    errors: resumeErrors,
  }),
  /** Starts no more runs, and no more tasks of those there are. */
  pauseCampaign: defineRequest({
    name: 'campaign.pause',
    subject: 'svc.v1.orchestrator.campaign.pause',
    request: zodSchema(namedBy),
    reply: zodSchema(accepted),
    timeoutMs: 10_000,
    errors: cancelErrors,
  }),
  /** Goes on with a campaign that is paused, or that failed or was cancelled: completed runs are kept. */
  resumeCampaign: defineRequest({
    name: 'campaign.resume',
    subject: 'svc.v1.orchestrator.campaign.resume',
    request: zodSchema(
      namedBy.extend({
        /** Laid over what was said of its optimizer before. Secrets in it are sealed. */
        optimizer_overrides: jsonObject.optional(),
      }),
    ),
    reply: zodSchema(accepted),
    timeoutMs: optimizerMadeMs,
    errors: [...resumeErrors, ...optimizerErrors],
  }),
  /** Changes parameters of the optimizer of a campaign that goes on: all of them, or none. Answered after the commit. */
  configureOptimizer: defineRequest({
    name: 'campaign.optimizer.configure',
    subject: 'svc.v1.orchestrator.campaign.optimizer.configure',
    request: zodSchema(namedBy.extend({ runtime_params: runtimeParameters.zod() })),
    reply: zodSchema(z.object({ runtime_params: runtimeParameters.zod() })),
    timeoutMs: 40_000,
    errors: [...cancelErrors, ...optimizerErrors],
  }),
  /** Queues a remark for the AI of a campaign that goes on. Answered after the commit. */
  addInsight: defineRequest({
    name: 'campaign.optimizer.insight',
    subject: 'svc.v1.orchestrator.campaign.optimizer.insight',
    request: zodSchema(namedBy.extend({ text: z.string() })),
    reply: zodSchema(insight.zod()),
    timeoutMs: 10_000,
    errors: cancelErrors,
  }),
  /** The optimizer of a campaign that is not over; of one that is, the record tells everything. */
  readOptimizer: defineRequest({
    name: 'campaign.optimizer.read',
    subject: 'svc.v1.orchestrator.campaign.optimizer.read',
    request: zodSchema(
      named.extend({
        /** True: the belief of the model is asked for, which waits for what the optimizer does at present. */
        explain: z.boolean(),
      }),
    ),
    reply: zodSchema(optimizerStatus),
    timeoutMs: 20_000,
    errors: ['not_found', 'wrong_state'],
  }),
  /** What the optimizer of a loaded protocol is before anything is said about it. */
  readOptimizerDefaults: defineRequest({
    name: 'protocol.optimizer.defaults',
    subject: 'svc.v1.orchestrator.protocol.optimizer.defaults',
    request: zodSchema(
      z.object({
        protocol: z.string(),
        /** Address of the computer that is asked; absent: 127.0.0.1. */
        optimizer_ip: z.string().optional(),
      }),
    ),
    reply: zodSchema(zodOf(OptimizerDescription)),
    timeoutMs: optimizerMadeMs,
    errors: ['unknown_protocol', 'not_found', ...optimizerErrors],
  }),
  /** Nothing starts any more, wherever it belongs, until the queue is resumed; what runs goes on. Idempotent. */
  pauseQueue: defineRequest({
    name: 'queue.pause',
    subject: 'svc.v1.orchestrator.queue.pause',
    request: zodSchema(by),
    reply: zodSchema(queue),
    timeoutMs: 10_000,
    errors: ['store_unavailable'],
  }),
  resumeQueue: defineRequest({
    name: 'queue.resume',
    subject: 'svc.v1.orchestrator.queue.resume',
    request: zodSchema(by),
    reply: zodSchema(queue),
    timeoutMs: 10_000,
    errors: ['store_unavailable'],
  }),
  /** Whether anything may start, and a part of what waits, in its order. */
  readQueue: defineRequest({
    name: 'queue.read',
    subject: 'svc.v1.orchestrator.queue.read',
    request: zodSchema(queueQuery),
    reply: zodSchema(z.object({ queue, items: z.array(zodOf(QueuedTask)), end: listPosition.nullable() })),
    timeoutMs: 5_000,
    errors: [],
  }),
  /** What goes on, what is to come and why what waits waits. */
  readSchedule: defineRequest({
    name: 'schedule.read',
    subject: 'svc.v1.orchestrator.schedule.read',
    request: zodSchema(scheduleQuery),
    reply: zodSchema(zodOf(ScheduleRecord)),
    timeoutMs: 5_000,
    errors: [],
  }),
  /** When what is not over is expected to be complete, by name; what is not named is not known. */
  readEstimates: defineRequest({
    name: 'schedule.estimates',
    subject: 'svc.v1.orchestrator.schedule.estimates',
    request: zodSchema(z.object({})),
    reply: zodSchema(
      z.object({
        protocol_runs: z.record(z.string(), z.string()),
        campaigns: z.record(z.string(), z.string()),
      }),
    ),
    timeoutMs: 300,
    errors: [],
  }),
  /** Plays a scenario through, with what is loaded. Changes nothing. */
  simulate: defineRequest({
    name: 'simulation.run',
    subject: 'svc.v1.orchestrator.simulation.run',
    request: dtoSchema(SimulationScenario),
    reply: zodSchema(zodOf(SimulationRecord)),
    timeoutMs: simulatedMs,
    errors: ['invalid', 'backlog_full', 'service_unavailable'],
  }),
  /** What would become of a protocol run if it was submitted now. Changes nothing. */
  simulateProtocolRun: defineRequest({
    name: 'simulation.protocol_run',
    subject: 'svc.v1.orchestrator.simulation.protocol_run',
    request: dtoSchema(ProtocolRunSubmission),
    reply: zodSchema(zodOf(WhatIfRecord)),
    timeoutMs: simulatedMs,
    errors: ['unknown_protocol', 'service_unavailable', ...submitErrors],
  }),
  /** What a submission would be answered if it was meant, and what would become of it. Changes nothing. */
  dryRun: defineRequest({
    name: 'submission.dry_run',
    subject: 'svc.v1.orchestrator.submission.dry_run',
    request: zodSchema(
      z.discriminatedUnion('kind', [
        submissionOf('protocol_run', ProtocolRunSubmission),
        submissionOf('campaign', CampaignSubmission),
        submissionOf('task', TaskSubmission),
      ]),
    ),
    reply: zodSchema(
      z.object({
        valid: z.literal(true),
        dry_run: z.literal(true),
        resolved: z.custom<Submission['submission']>(isObject, 'must be an object'),
        estimate: zodOf(SubmissionEstimate),
        warnings: z.array(z.string()),
      }),
    ),
    timeoutMs: optimizerMadeMs + simulatedMs,
    errors: [
      'unknown_protocol',
      'unknown_task_type',
      'not_found',
      'wrong_state',
      ...submitErrors,
      ...optimizerErrors,
    ],
  }),
  /** A person settles what only a person can. */
  resolveAttention: defineRequest({
    name: 'attention.resolve',
    subject: 'svc.v1.orchestrator.attention.resolve',
    request: dtoSchema(AttentionDecision),
    reply: zodSchema(z.object({ id: z.string() })),
    timeoutMs: 10_000,
    errors: ['invalid', 'agent_unreachable', ...cancelErrors],
  }),
  /**
   * Puts the data of a resource back to what the file of its laboratory says, with the act in the audit. While a task or
   * a protocol run has the resource only with `force`, and then with a reason.
   */
  resetResource: defineRequest({
    name: 'resource.reset',
    subject: 'svc.v1.orchestrator.resource.reset',
    request: zodSchema(namedBy.extend({ reason: z.string(), force: z.boolean() })),
    reply: zodSchema(named),
    timeoutMs: 10_000,
    errors: ['invalid', ...cancelErrors],
  }),
  /**
   * Records an emergency stop; the agents have heard of it by the event already, and hear of it again from the leader.
   * The same id again is the same stop.
   */
  engageStop: defineRequest({
    name: 'estop.engage',
    subject: 'svc.v1.orchestrator.estop.engage',
    request: zodSchema(emergencyStop),
    reply: zodSchema(z.object({ id: z.string() })),
    timeoutMs: 5_000,
    errors: ['unknown_lab', 'unknown_device', 'store_unavailable'],
  }),
  /** Ends one stop, or all that are in force. */
  releaseStop: defineRequest({
    name: 'estop.release',
    subject: 'svc.v1.orchestrator.estop.release',
    request: zodSchema(z.object({ id: z.string().nullable(), by: z.string() })),
    reply: zodSchema(z.object({ ids: z.array(z.string()) })),
    timeoutMs: 10_000,
    errors: cancelErrors,
  }),
  /** Where a device is: which agent to call, in which incarnation, and what functions the device has. */
  locateDevice: defineRequest({
    name: 'device.locate',
    subject: 'svc.v1.orchestrator.device.locate',
    request: zodSchema(z.object({ lab: z.string(), device: z.string() })),
    reply: zodSchema(
      z.object({
        computer: z.string(),
        inc: z.number().int(),
        /** As its agent last said; absent or empty: not known yet. */
        functions: z.array(deviceFunction).optional(),
        /** The task run that has it at this moment, as people name it; absent: none. */
        held_by: z.string().optional(),
      }),
    ),
    timeoutMs: 3_000,
    errors: ['unknown_lab', 'unknown_device', 'agent_unreachable'],
  }),
  listDevices: defineRequest({
    name: 'device.list',
    subject: 'svc.v1.orchestrator.device.list',
    request: zodSchema(z.object({})),
    reply: zodSchema(z.object({ devices: z.array(zodOf(DeviceRecord)) })),
    timeoutMs: 3_000,
    errors: [],
  }),
  /** Every computer of the loaded laboratories, and every agent that ever registered, by computer. */
  listAgents: defineRequest({
    name: 'agent.list',
    subject: 'svc.v1.orchestrator.agent.list',
    request: zodSchema(z.object({})),
    reply: zodSchema(z.object({ agents: z.array(zodOf(AgentRecord)) })),
    timeoutMs: 3_000,
    errors: [],
  }),

  /**
   * An agent says hello, at start and after every change of leader: it gets its incarnation and the devices it shall
   * run, and tells which attempts it knows, so that running work is adopted and lost work is recognised.
   */
  registerAgent: defineRequest({
    name: 'agent.register',
    subject: 'svc.v1.orchestrator.agent.register',
    request: zodSchema(
      z.object({
        computer: z.string(),
        /** Random per agent process: tells a reconnect from a restart. */
        session: z.string(),
        version: z.string(),
        attempts: z.array(attemptReport),
        /**
         * Earlier incarnations whose ledger this agent has, whole: what they accepted is among the attempts, unless it was
         * acknowledged. Absent: an agent that does not say.
         */
        incarnations: z.array(z.number().int()).optional(),
        devices: z.array(deviceStatus),
        /** The stops in force on this computer; the leader takes over those that it has not heard of. */
        halts: z.array(emergencyStop).optional(),
      }),
    ),
    reply: zodSchema(
      z.object({
        inc: z.number().int(),
        epoch: z.number().int(),
        devices: z.array(deviceAssignment),
        /** The stops in force; absent: an orchestrator that does not say, so nothing changes. */
        halts: z.array(emergencyStop).optional(),
        /** Ids of the latest stops that were released; the agent goes on where it still keeps to one of them. */
        released: z.array(z.string()).optional(),
      }),
    ),
    timeoutMs: 5_000,
    errors: ['invalid', 'wrong_state', 'store_unavailable'],
  }),
  /** The end of an attempt. Sent again until acknowledged; acknowledged only after it was committed. */
  reportResult: defineRequest({
    name: 'attempt.result',
    subject: 'svc.v1.orchestrator.attempt.result',
    request: zodSchema(attemptResult),
    reply: zodSchema(z.object({})),
    timeoutMs: 10_000,
    errors: ['store_unavailable', 'service_unavailable'],
  }),
  /** Leave to store one file of an attempt: where to send the bytes, valid for a few minutes. */
  uploadTicket: defineRequest({
    name: 'file.ticket',
    subject: 'svc.v1.orchestrator.file.ticket',
    request: zodSchema(
      z.object({
        attempt_id: z.string(),
        name: z.string(),
        size: z.number().int().nonnegative(),
        sha256: z.string(),
      }),
    ),
    reply: zodSchema(
      z.object({ method: z.literal('PUT'), url: z.string(), headers: z.record(z.string(), z.string()) }),
    ),
    timeoutMs: 5_000,
    errors: ['not_found', 'invalid'],
  }),
  /** Leave to fetch one file that an attempt gets: where the bytes are, for a few minutes. */
  downloadTicket: defineRequest({
    name: 'file.fetch',
    subject: 'svc.v1.orchestrator.file.fetch',
    request: zodSchema(z.object({ attempt_id: z.string(), handle: z.string() })),
    reply: zodSchema(z.object({ url: z.string(), headers: z.record(z.string(), z.string()) })),
    timeoutMs: 5_000,
    errors: ['not_found'],
  }),
  /** One piece of a code module, by content hash. */
  fetchModule: defineRequest({
    name: 'module.fetch',
    subject: 'svc.v1.orchestrator.module.fetch',
    request: zodSchema(z.object({ hash: z.string(), offset: z.number().int().nonnegative() })),
    reply: zodSchema(
      z.object({
        /** Base64 of at most 128 KiB from `offset`. */
        data: z.string(),
        total: z.number().int(),
      }),
    ),
    timeoutMs: 5_000,
    errors: ['not_found'],
  }),
};

export const orchestratorEvents = {
  /** Published at start and every second: who leads. An agent that hears a new epoch registers again. */
  leading: defineEvent({
    name: 'orchestrator.leading',
    subject: 'svc.v1.event.orchestrator.leading',
    body: zodSchema(
      z.object({
        epoch: z.number().int(),
        instance: z.string(),
        /**
         * The stops in force, and the ids of the latest ones that were released: an agent that missed a stop stops
         * within a second, and none is released because its own beginning was not heard of yet.
         */
        halts: z.array(emergencyStop).optional(),
        released: z.array(z.string()).optional(),
      }),
    ),
  }),
};
