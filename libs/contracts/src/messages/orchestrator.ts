import { z } from 'zod';
import { dtoSchema, zodSchema, type Schema } from '../schema.js';
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
import { deviceFunction, jsonObject } from './work.js';
import { agentReports } from './agent-reports.js';
import { emergencyStop } from './agent.js';
import { defineEvent, defineRequest } from './define.js';

/** A record that was made or changed. The caller reads it from the database. */
const accepted = z.object({ id: z.string(), name: z.string() });
const named = z.object({ name: z.string() });

/**
 * A submission with the id that the gateway gave it. The id is stored in the row, but not shown in the record. If the
 * answer is lost, the gateway knows by the id whether a record was made by this very submission. Absent: nobody will
 * ask.
 */
export type Submitted<Submission> = Submission & { submission_id?: string };

function submitted<Submission extends object>(dto: new () => Submission): Schema<Submitted<Submission>> {
  const schema = dtoSchema(dto);
  return {
    check(input) {
      if (typeof input !== 'object' || input === null || !('submission_id' in input))
        return schema.check(input);
      const { submission_id: id, ...submission } = input;
      const checked = schema.check(submission);
      if (typeof id !== 'string')
        return { ok: false, faults: [{ path: 'submission_id', code: 'type', message: 'must be text' }] };
      return checked.ok ? { ok: true, value: Object.assign(checked.value, { submission_id: id }) } : checked;
    },
  };
}

const submitErrors = ['invalid', 'duplicate_name', 'backlog_full', 'store_unavailable'] as const;
/** A submission of one kind, with the same checks as the real submission. */
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
/** Errors of a change of work that has not begun. */
const changeErrors = ['invalid', ...cancelErrors] as const;
const changed = <Change extends object>(dto: new () => Change) =>
  z.custom<Change>((value) => dtoSchema(dto).check(value).ok, 'is no such change');
/** An act of a person on work that has ended. */
const workBy = namedBy.extend({ kind: z.enum(workKinds) });
const resumeErrors = ['invalid', 'backlog_full', 'duplicate_name', ...cancelErrors] as const;
/** Errors of an optimizer and of the connection to it. */
const optimizerErrors = ['invalid', 'optimizer_error', 'optimizer_unavailable'] as const;
/** Milliseconds to start a process and make an optimizer before the answer. */
const optimizerMadeMs = 70_000;
/** Milliseconds for a simulation. */
const simulatedMs = 40_000;

/** The requests that the leading orchestrator answers: acts of people, and reports of agents. */
export const orchestratorRequests = {
  submitProtocolRun: defineRequest({
    name: 'protocol_run.submit',
    subject: 'svc.v1.orchestrator.protocol_run.submit',
    request: submitted(ProtocolRunSubmission),
    reply: zodSchema(accepted),
    timeoutMs: 10_000,
    errors: ['unknown_protocol', 'wrong_state', ...submitErrors],
  }),
  submitCampaign: defineRequest({
    name: 'campaign.submit',
    subject: 'svc.v1.orchestrator.campaign.submit',
    request: submitted(CampaignSubmission),
    reply: zodSchema(accepted),
    timeoutMs: optimizerMadeMs,
    errors: ['unknown_protocol', 'not_found', 'wrong_state', ...submitErrors, ...optimizerErrors],
  }),
  submitTask: defineRequest({
    name: 'task.submit',
    subject: 'svc.v1.orchestrator.task.submit',
    request: submitted(TaskSubmission),
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
  /** Changes the priority of a task that has not ended, or parameters of a task that has not begun. */
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
  /** The same for a protocol run and its tasks. */
  changeProtocolRun: defineRequest({
    name: 'protocol_run.change',
    subject: 'svc.v1.orchestrator.protocol_run.change',
    request: zodSchema(namedBy.extend({ change: changed(ProtocolRunChange) })),
    reply: zodSchema(accepted),
    timeoutMs: 10_000,
    errors: changeErrors,
  }),
  /** The same for a campaign, its runs and their tasks. Parameters change for runs that have not begun. */
  changeCampaign: defineRequest({
    name: 'campaign.change',
    subject: 'svc.v1.orchestrator.campaign.change',
    request: zodSchema(namedBy.extend({ change: changed(CampaignChange) })),
    reply: zodSchema(accepted),
    timeoutMs: 10_000,
    errors: ['duplicate_name', ...changeErrors],
  }),
  /** Removes ended work, with all that belongs to it, from the lists. */
  archiveWork: defineRequest({
    name: 'work.archive',
    subject: 'svc.v1.orchestrator.work.archive',
    request: zodSchema(workBy),
    reply: zodSchema(accepted),
    timeoutMs: 10_000,
    errors: cancelErrors,
  }),
  /** Returns archived work to the lists. */
  restoreWork: defineRequest({
    name: 'work.restore',
    subject: 'svc.v1.orchestrator.work.restore',
    request: zodSchema(workBy),
    reply: zodSchema(accepted),
    timeoutMs: 10_000,
    errors: cancelErrors,
  }),
  /** Starts no more tasks of the run. Running tasks continue to their end. */
  pauseProtocolRun: defineRequest({
    name: 'protocol_run.pause',
    subject: 'svc.v1.orchestrator.protocol_run.pause',
    request: zodSchema(namedBy),
    reply: zodSchema(accepted),
    timeoutMs: 10_000,
    errors: cancelErrors,
  }),
  /** Resumes a run that is paused, failed or cancelled. It keeps completed tasks. */
  resumeProtocolRun: defineRequest({
    name: 'protocol_run.resume',
    subject: 'svc.v1.orchestrator.protocol_run.resume',
    request: zodSchema(namedBy),
    reply: zodSchema(accepted),
    timeoutMs: 10_000,
    errors: resumeErrors,
  }),
  /** Starts no more runs of the campaign, and no more tasks of its present runs. */
  pauseCampaign: defineRequest({
    name: 'campaign.pause',
    subject: 'svc.v1.orchestrator.campaign.pause',
    request: zodSchema(namedBy),
    reply: zodSchema(accepted),
    timeoutMs: 10_000,
    errors: cancelErrors,
  }),
  /** Resumes a campaign that is paused, failed or cancelled. It keeps completed runs. */
  resumeCampaign: defineRequest({
    name: 'campaign.resume',
    subject: 'svc.v1.orchestrator.campaign.resume',
    request: zodSchema(
      namedBy.extend({
        /** Overrides the earlier settings of its optimizer. Secrets in it are sealed. */
        optimizer_overrides: jsonObject.optional(),
      }),
    ),
    reply: zodSchema(accepted),
    timeoutMs: optimizerMadeMs,
    errors: [...resumeErrors, ...optimizerErrors],
  }),
  /** Changes parameters of the optimizer of a campaign that has not ended: all, or none. Answered after the commit. */
  configureOptimizer: defineRequest({
    name: 'campaign.optimizer.configure',
    subject: 'svc.v1.orchestrator.campaign.optimizer.configure',
    request: zodSchema(namedBy.extend({ runtime_params: runtimeParameters.zod() })),
    reply: zodSchema(z.object({ runtime_params: runtimeParameters.zod() })),
    timeoutMs: 40_000,
    errors: [...cancelErrors, ...optimizerErrors],
  }),
  /** Queues a remark for the AI of a campaign that has not ended. Answered after the commit. */
  addInsight: defineRequest({
    name: 'campaign.optimizer.insight',
    subject: 'svc.v1.orchestrator.campaign.optimizer.insight',
    request: zodSchema(namedBy.extend({ text: z.string() })),
    reply: zodSchema(insight.zod()),
    timeoutMs: 10_000,
    errors: cancelErrors,
  }),
  /** The optimizer of a campaign that has not ended. For an ended campaign the record has all of it. */
  readOptimizer: defineRequest({
    name: 'campaign.optimizer.read',
    subject: 'svc.v1.orchestrator.campaign.optimizer.read',
    request: zodSchema(
      named.extend({
        /** True: asks for the belief of the model too. This waits until the present call of the optimizer has ended. */
        explain: z.boolean(),
      }),
    ),
    reply: zodSchema(optimizerStatus),
    timeoutMs: 20_000,
    errors: ['not_found', 'wrong_state'],
  }),
  /** The optimizer of a loaded protocol with its default settings. */
  readOptimizerDefaults: defineRequest({
    name: 'protocol.optimizer.defaults',
    subject: 'svc.v1.orchestrator.protocol.optimizer.defaults',
    request: zodSchema(
      z.object({
        protocol: z.string(),
        /** Address of the computer of the optimizer; absent: 127.0.0.1. */
        optimizer_ip: z.string().optional(),
      }),
    ),
    reply: zodSchema(zodOf(OptimizerDescription)),
    timeoutMs: optimizerMadeMs,
    errors: ['unknown_protocol', 'not_found', ...optimizerErrors],
  }),
  /** Pauses the queue: no task starts until a person resumes it. Running tasks continue. Idempotent. */
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
  /** Whether tasks may start, and a part of the queue in its order. */
  readQueue: defineRequest({
    name: 'queue.read',
    subject: 'svc.v1.orchestrator.queue.read',
    request: zodSchema(queueQuery),
    reply: zodSchema(z.object({ queue, items: z.array(zodOf(QueuedTask)), end: listPosition.nullable() })),
    timeoutMs: 5_000,
    errors: [],
  }),
  /** The plan, and the reason why each queued task has not started. */
  readSchedule: defineRequest({
    name: 'schedule.read',
    subject: 'svc.v1.orchestrator.schedule.read',
    request: zodSchema(scheduleQuery),
    reply: zodSchema(zodOf(ScheduleRecord)),
    timeoutMs: 5_000,
    errors: [],
  }),
  /** When open work is expected to be complete, by name. A name is absent when the time is not known. */
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
  /** Simulates a scenario with the loaded definitions. Changes nothing. */
  simulate: defineRequest({
    name: 'simulation.run',
    subject: 'svc.v1.orchestrator.simulation.run',
    request: dtoSchema(SimulationScenario),
    reply: zodSchema(zodOf(SimulationRecord)),
    timeoutMs: simulatedMs,
    errors: ['invalid', 'backlog_full', 'service_unavailable'],
  }),
  /** Simulates a protocol run as if it was submitted now. Changes nothing. */
  simulateProtocolRun: defineRequest({
    name: 'simulation.protocol_run',
    subject: 'svc.v1.orchestrator.simulation.protocol_run',
    request: dtoSchema(ProtocolRunSubmission),
    reply: zodSchema(zodOf(WhatIfRecord)),
    timeoutMs: simulatedMs,
    errors: ['unknown_protocol', 'service_unavailable', ...submitErrors],
  }),
  /** Checks a submission as if it was real, and simulates it. Changes nothing. */
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
  /** Records the decision of a person on an open question. */
  resolveAttention: defineRequest({
    name: 'attention.resolve',
    subject: 'svc.v1.orchestrator.attention.resolve',
    request: dtoSchema(AttentionDecision),
    reply: zodSchema(z.object({ id: z.string() })),
    timeoutMs: 10_000,
    errors: ['invalid', 'agent_unreachable', ...cancelErrors],
  }),
  /**
   * Resets the data of a resource to the lab file and records the act in the audit. While a task or a protocol run
   * has the
   * resource, this needs `force` and a reason.
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
   * Records an emergency stop. The agents have got it by the event already, and get it again from the leader. The
   * same id
   * names the same emergency stop.
   */
  engageStop: defineRequest({
    name: 'estop.engage',
    subject: 'svc.v1.orchestrator.estop.engage',
    request: zodSchema(emergencyStop),
    reply: zodSchema(z.object({ id: z.string() })),
    timeoutMs: 5_000,
    errors: ['unknown_lab', 'unknown_device', 'store_unavailable'],
  }),
  /** Releases one emergency stop, or all that are in force. */
  releaseStop: defineRequest({
    name: 'estop.release',
    subject: 'svc.v1.orchestrator.estop.release',
    request: zodSchema(z.object({ id: z.string().nullable(), by: z.string() })),
    reply: zodSchema(z.object({ ids: z.array(z.string()) })),
    timeoutMs: 10_000,
    errors: cancelErrors,
  }),
  /** Locates a device: its agent with the incarnation, and the functions of the device. */
  locateDevice: defineRequest({
    name: 'device.locate',
    subject: 'svc.v1.orchestrator.device.locate',
    request: zodSchema(z.object({ lab: z.string(), device: z.string() })),
    reply: zodSchema(
      z.object({
        computer: z.string(),
        inc: z.number().int(),
        /** As its agent last reported; absent or empty: not known yet. */
        functions: z.array(deviceFunction).optional(),
        /** Label of the task run that has the device at this moment; absent: none. */
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

  ...agentReports,
};

export const orchestratorEvents = {
  /** The leader publishes it at its start and every second. An agent that hears a new epoch registers again. */
  leading: defineEvent({
    name: 'orchestrator.leading',
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
      }),
    ),
  }),
};
