import { z } from 'zod';
import { emergencyStop } from './agent.js';
import { requestsOf } from './define.js';
import { itself } from './process-roles.js';
import { attemptReport, attemptResult, deviceAssignment, deviceStatus } from './work.js';

/** Every subject names the computer, and the broker lets an agent speak for no other. */
const request = requestsOf('svc.v1.up.{computer}.', '', {
  from: { agent: { computer: itself } },
  to: { orchestrator: {} },
});

/** How an agent can be updated from the service. */
export const agentUpdates = z.object({
  /** Operating system and processor, as in the names of packages: `linux-x64`. */
  platform: z.string(),
  /** Why the agent takes no update from the service, in words; null: it does. */
  refusal: z.string().nullable(),
  /** The version that failed last on this computer; null: none did. */
  failed: z.object({ version: z.string(), why: z.string() }).nullable(),
});
export type AgentUpdates = z.infer<typeof agentUpdates>;

/** What agents ask of the leading orchestrator. */
export const agentReports = {
  /**
   * An agent registers at its start and after every change of leader. It reports the attempts that it knows, so that
   * the leader adopts running work and recognises lost work. It receives its incarnation and the devices that it runs.
   * The leader answers `not_found` when no laboratory names the computer, and `wrong_state` while another agent of the
   * computer may be at work, and `upgrade_required` when their releases do not fit.
   */
  registerAgent: request(
    'agent.register',
    z.object({
      computer: z.string(),
      /** Random for each agent process, and secret. It distinguishes a reconnect from a restart. */
      session: z.string(),
      version: z.string(),
      /** Versions of the protocol that the agent speaks. Absent: version 1 alone. */
      protocol: z.object({ min: z.number().int(), max: z.number().int() }).optional(),
      attempts: z.array(attemptReport),
      /**
       * Earlier incarnations whose complete ledger this agent has. The attempts that they accepted are among
       * `attempts`, unless they were acknowledged. Absent: the agent does not report it.
       */
      incarnations: z.array(z.number().int()).optional(),
      /**
       * Sessions of earlier processes with the same ledger. They prove that this process is the successor of one of them,
       * because an agent tells its session to the leader alone. Absent: the agent does not report it.
       */
      sessions: z.array(z.string()).optional(),
      devices: z.array(deviceStatus),
      /** The emergency stops in force on this computer. The leader adopts those that it does not know. */
      halts: z.array(emergencyStop).optional(),
      /** What the leader must know to update the agent. Absent: an agent of an earlier release, which cannot be asked. */
      updates: agentUpdates.optional(),
    }),
    z.object({
      inc: z.number().int(),
      epoch: z.number().int(),
      devices: z.array(deviceAssignment),
      /** The emergency stops in force. Absent: the orchestrator does not report them, so nothing changes. */
      halts: z.array(emergencyStop).optional(),
      /** Ids of the latest released emergency stops. The agent releases those that are still in force on it. */
      released: z.array(z.string()).optional(),
    }),
    ['invalid', 'not_found', 'wrong_state', 'upgrade_required', 'store_unavailable'],
    5_000,
  ),
  /**
   * The end of an attempt. The agent repeats it until the leader acknowledges it, which it does after the commit. The leader
   * refuses an incarnation that is neither the one that got the attempt nor the one that is registered.
   */
  reportResult: request('attempt.result', attemptResult, z.object({}), [
    'stale_message',
    'store_unavailable',
    'service_unavailable',
  ]),
  /** A ticket to store one file of an attempt: where to send the bytes. It is valid for a few minutes. */
  uploadTicket: request(
    'file.ticket',
    z.object({
      attempt_id: z.string(),
      name: z.string(),
      size: z.number().int().nonnegative(),
      sha256: z.string(),
    }),
    z.object({ method: z.literal('PUT'), url: z.string(), headers: z.record(z.string(), z.string()) }),
    ['not_found', 'invalid'],
    5_000,
  ),
  /** A ticket to fetch one input file of an attempt: where the bytes are. It is valid for a few minutes. */
  downloadTicket: request(
    'file.fetch',
    z.object({ attempt_id: z.string(), handle: z.string() }),
    z.object({ url: z.string(), headers: z.record(z.string(), z.string()) }),
    ['not_found'],
    5_000,
  ),
};

const codeQuery = requestsOf('svc.v1.orchestrator.', '', {
  from: { agent: {}, optimizer: {}, gateway: {} },
  to: { orchestrator: {} },
  readOnly: true,
});

/** What every process that executes or shows code asks of the leading orchestrator. */
export const codeRequests = {
  /** Fetches one piece of a code module, or of an archive of npm packages, by its SHA-256, and what was signed about the module. */
  fetchModule: codeQuery(
    'module.fetch',
    z.object({
      hash: z.string(),
      offset: z.number().int().nonnegative(),
      /** Asks for the manifests that name the module with this package and source. Absent: none is needed. */
      named: z.object({ package: z.string(), source: z.string() }).optional(),
      /** The hash is that of an archive of npm packages, or of a lock or wheel of Python. An orchestrator of an earlier release answers `not_found`. */
      archive: z.boolean().optional(),
    }),
    z.object({
      /** Base64 of at most 128 KiB from `offset`. */
      data: z.string(),
      total: z.number().int(),
      /** Code manifest that the service has signed. Absent: not asked for, or the orchestrator signs none. */
      manifest: z.string().optional(),
      /** Code manifest that the lab has signed. Absent: not asked for, or the package has none. */
      lab_manifest: z.string().optional(),
    }),
    ['not_found'],
    5_000,
  ),
};
