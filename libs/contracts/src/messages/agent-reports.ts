import { z } from 'zod';
import { zodSchema } from '../schema.js';
import { emergencyStop } from './agent.js';
import { defineRequest } from './define.js';
import { attemptReport, attemptResult, deviceAssignment, deviceStatus } from './work.js';

/** What agents ask of the leading orchestrator. */
export const agentReports = {
  /**
   * An agent registers at its start and after every change of leader. It reports the attempts that it knows, so that
   * the
   * leader adopts running work and recognises lost work. It receives its incarnation and the devices that it runs.
   */
  registerAgent: defineRequest({
    name: 'agent.register',
    subject: 'svc.v1.orchestrator.agent.register',
    request: zodSchema(
      z.object({
        computer: z.string(),
        /** Random for each agent process. It distinguishes a reconnect from a restart. */
        session: z.string(),
        version: z.string(),
        attempts: z.array(attemptReport),
        /**
         * Earlier incarnations whose complete ledger this agent has. The attempts that they accepted are among
         * `attempts`, unless they were acknowledged. Absent: the agent does not report it.
         */
        incarnations: z.array(z.number().int()).optional(),
        devices: z.array(deviceStatus),
        /** The emergency stops in force on this computer. The leader adopts those that it does not know. */
        halts: z.array(emergencyStop).optional(),
      }),
    ),
    reply: zodSchema(
      z.object({
        inc: z.number().int(),
        epoch: z.number().int(),
        devices: z.array(deviceAssignment),
        /** The emergency stops in force. Absent: the orchestrator does not report them, so nothing changes. */
        halts: z.array(emergencyStop).optional(),
        /** Ids of the latest released emergency stops. The agent releases those that are still in force on it. */
        released: z.array(z.string()).optional(),
      }),
    ),
    timeoutMs: 5_000,
    errors: ['invalid', 'wrong_state', 'store_unavailable'],
  }),
  /** The end of an attempt. The agent repeats it until the leader acknowledges it, which it does after the commit. */
  reportResult: defineRequest({
    name: 'attempt.result',
    subject: 'svc.v1.orchestrator.attempt.result',
    request: zodSchema(attemptResult),
    reply: zodSchema(z.object({})),
    timeoutMs: 10_000,
    errors: ['store_unavailable', 'service_unavailable'],
  }),
  /** A ticket to store one file of an attempt: where to send the bytes. It is valid for a few minutes. */
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
  /** A ticket to fetch one input file of an attempt: where the bytes are. It is valid for a few minutes. */
  downloadTicket: defineRequest({
    name: 'file.fetch',
    subject: 'svc.v1.orchestrator.file.fetch',
    request: zodSchema(z.object({ attempt_id: z.string(), handle: z.string() })),
    reply: zodSchema(z.object({ url: z.string(), headers: z.record(z.string(), z.string()) })),
    timeoutMs: 5_000,
    errors: ['not_found'],
  }),
  /** Fetches one piece of a code module by its content hash. */
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
