import { z } from 'zod';
import { zodSchema } from '../schema.js';
import { defineEvent, requestsOf } from './define.js';
import { itself } from './process-roles.js';
import {
  attemptReport,
  attemptStatus,
  deviceAssignment,
  deviceStatus,
  jsonObject,
  jsonValue,
  moduleReference,
  taskStart,
} from './work.js';

/** Milliseconds to fetch and unpack a package over a slow line. */
export const updateMs = 600_000;

const empty = z.object({});
const toAgent = { agent: { computer: itself } };
const command = requestsOf('svc.v1.agent.{computer}.{inc}.', 'agent.', {
  from: { orchestrator: {} },
  to: toAgent,
});
const personal = requestsOf('svc.v1.agent.{computer}.{inc}.', 'agent.', {
  from: { gateway: {} },
  to: toAgent,
});
const peer = requestsOf('svc.v1.agent.{computer}.{inc}.peer.{caller}.', 'agent.peer.', {
  from: { agent: { caller: itself } },
  to: toAgent,
});

/** A reading of the clock of an agent, in milliseconds since an arbitrary moment. */
const clockReading = z.object({ now_ms: z.number() });

const deviceCall = z.object({
  call_id: z.string(),
  function: z.string(),
  arguments: jsonObject,
  /** A reading of the clock of this agent, taken before the call was sent: see `readClock`. */
  as_of_ms: z.number(),
});

const deviceAnswer = z.object({
  result: jsonValue.optional(),
  /** A reading of the clock of this agent, for the caller's next call. */
  now_ms: z.number().optional(),
});

const callErrors = [
  'stale_message',
  'late_message',
  'device_in_use',
  'unknown_device',
  'unknown_function',
  'invalid',
  'device_error',
  'device_unavailable',
  'aborted',
] as const;

/**
 * The requests that an agent answers to orchestrators and gateways. Every subject names the computer and the incarnation, so
 * that a command never reaches another agent and never reaches two.
 */
export const agentRequests = {
  startTask: command(
    'task.start',
    taskStart,
    z.object({ status: attemptStatus }),
    ['stale_message', 'device_unavailable', 'not_found', 'service_unavailable'],
    3_000,
  ),
  /** Any answer says that the process of this incarnation lives, so no other agent may have its devices. */
  confirmPresence: command('present', empty, empty, [], 500),
  /** Asks a running attempt to stop. The answer only confirms the request; the end arrives as a result. */
  cancelTask: command(
    'task.cancel',
    z.object({ attempt_id: z.string(), reason: z.string() }),
    z.object({ status: attemptStatus }),
    ['stale_message'],
    3_000,
  ),
  /** The status of an attempt. After this answer the agent refuses an attempt that it does not know for ever. */
  taskStatus: command(
    'task.status',
    z.object({ attempt_id: z.string() }),
    z.object({ status: attemptStatus }),
    ['stale_message'],
    1_000,
  ),
  /** The full list of devices that the agent runs. It starts missing devices and stops devices that are not listed. */
  assignDevices: command(
    'devices.assign',
    z.object({
      devices: z.array(deviceAssignment),
      /**
       * Code that devices of this agent get next. The agent answers when it has the code and its libraries, or with the reason why it
       * cannot have them. An agent of an earlier release answers at once.
       */
      next: moduleReference.optional(),
    }),
    empty,
    ['stale_message', 'not_found', 'forbidden', 'service_unavailable'],
    5_000,
  ),
  /**
   * A person calls a function of a device (device RPC). If the envelope carries a fence, no task had the device at that
   * fence, and the agent refuses the call with `device_in_use` once it has seen a later one. The agent refuses a call that
   * was on its way for longer than {@link callFreshMs} with `late_message`. A call that has not begun when the caller gives
   * up never begins. A call that has begun may take as long as its function declares; the caller waits that long and
   * `deviceAnswerMs` more.
   */
  callDevice: personal(
    'device.{lab}.{device}.call',
    deviceCall.extend({
      /** Absent: the person is not known. */
      by: z.string().optional(),
      /** The caller knows the function as a query. The agent refuses any other with `stale_message`. */
      query: z.literal(true).optional(),
    }),
    deviceAnswer,
    callErrors,
    60_000,
  ),
  /**
   * The agent's own clock. A call with a recent reading was sent recently. The comparison needs one clock only.
   */
  readClock: personal('clock', empty, clockReading, [], 1_000),
  /**
   * A person confirms that an uncertain or faulted device can safely be started again. The doubt is settled, and
   * `_initialize` runs. If the device has another doubt or none, the agent answers `wrong_state`.
   */
  resetDevice: command(
    'device.{lab}.{device}.reset',
    z.object({ doubt_id: z.string().nullable(), by: z.string() }),
    empty,
    ['stale_message', 'unknown_device', 'wrong_state', 'service_unavailable'],
    5_000,
  ),
  /**
   * A person restarts a device: it takes no calls from now on, its process cleans up and ends, and a new one initialises.
   * A doubt stays. The answer comes at once, with the state of the device, which no task can use any more.
   */
  restartDevice: command(
    'device.{lab}.{device}.restart',
    z.object({ by: z.string(), reason: z.string() }),
    z.object({ device: deviceStatus }),
    ['stale_message', 'unknown_device', 'wrong_state'],
    5_000,
  ),
  /**
   * The agent updates itself: it fetches the package that the gateway offers and has signed, unpacks it, answers `placed`, and
   * stops in order. Its keeper then tries the version. A repeated request joins the update that is under way. The agent
   * answers `device_in_use` while something runs on its computer, and `forbidden` when it takes no update from the service.
   */
  updateAgent: command(
    'update',
    z.object({ version: z.string(), by: z.string() }),
    /** `runs`: the agent runs this version already. */
    z.object({ state: z.enum(['placed', 'runs']) }),
    ['stale_message', 'device_in_use', 'forbidden', 'wrong_state', 'service_unavailable'],
    updateMs,
  ),
  /** Returns the result of `_report()` of the device. */
  reportDevice: personal('device.{lab}.{device}.report', empty, z.object({ report: jsonObject }), [
    'unknown_device',
    'device_error',
    'device_unavailable',
  ]),
};

/** The requests of one agent to another. The subject names the caller, and the broker lets an agent name only itself. */
export const peerRequests = {
  /** A task calls a function. The envelope carries the fence of the allocation. Otherwise as a call of a person. */
  callDevice: peer(
    'device.{lab}.{device}.call',
    deviceCall.extend({
      attempt_id: z.string(),
      /** The signed grant of the device to the attempt. An agent that knows an authority refuses a call without it. */
      grant: z.string().optional(),
    }),
    deviceAnswer,
    [...callErrors, 'forbidden'],
    60_000,
  ),
  readClock: peer('clock', empty, clockReading, [], 1_000),
  /**
   * An attempt of the caller has ended. The agent refuses its calls to local devices that have not begun, for as long as
   * this incarnation lives, and it safely stops calls in progress. The answer says whether a call still runs. Calls that
   * came from other computers go on, whatever attempt the caller names.
   */
  stopCalls: peer(
    'device.stop',
    z.object({ attempt_id: z.string(), reason: z.string() }),
    z.object({ moving: z.boolean() }),
    [],
    3_000,
  ),
};

/** One emergency stop of everything, a laboratory or a device. */
export const emergencyStop = z.object({
  /** Identifies this stop. A release names it. */
  id: z.string(),
  /** `all`, `lab:<lab>` or `device:<lab>.<device>`. */
  scope: z.string(),
  by: z.string(),
  reason: z.string(),
});
export type EmergencyStop = z.infer<typeof emergencyStop>;

/** Says whether the device is in the scope of the emergency stop. */
export function emergencyStopCovers(
  { scope }: Pick<EmergencyStop, 'scope'>,
  { lab, name }: { lab: string; name: string },
): boolean {
  return scope === 'all' || scope === `lab:${lab}` || scope === `device:${lab}.${name}`;
}

const fromAgent = { agent: { computer: itself } };

export const agentEvents = {
  /**
   * Emergency stop, sent to every agent at once, without queues, fences or a leader. `_stop` runs on every device of
   * the scope. The devices take no effects until the leading orchestrator releases the emergency stop. Every agent
   * answers with {@link stopReport}, also when it knows the stop already: whoever waits for an answer sends the stop again.
   */
  emergencyStop: defineEvent({
    name: 'agent.emergency_stop',
    subject: 'svc.v1.event.emergency_stop',
    from: { gateway: {}, orchestrator: {}, optimizer: {}, tool: {}, agent: {} },
    to: { agent: {}, orchestrator: {} },
    body: zodSchema(emergencyStop),
  }),
  /** Every second: the agent is alive, and this is the state of all that it runs. It makes up for lost events. */
  heartbeat: defineEvent({
    name: 'agent.heartbeat',
    subject: 'svc.v1.event.agent.{computer}.heartbeat',
    from: fromAgent,
    // Other agents learn from it that a computer has restarted.
    to: { orchestrator: {}, agent: {}, tool: {} },
    body: zodSchema(
      z.object({
        inc: z.number().int(),
        devices: z.array(deviceStatus),
        attempts: z.array(attemptReport),
        /**
         * Rises with every heartbeat of a session. Commands carry the newest one heard, which shows their freshness.
         */
        seq: z.number().int().optional(),
        /** The emergency stops in force on this computer. */
        halts: z.array(emergencyStop).optional(),
        /** Wall clock of this computer when the heartbeat was sent, in milliseconds since 1970. */
        wall_ms: z.number().optional(),
        /** Why the agent cannot write its ledger; null: it can; absent: the agent does not report it. */
        ledger_trouble: z.string().nullable().optional(),
      }),
    ),
  }),
  /** The state of one device changed. */
  deviceChanged: defineEvent({
    name: 'agent.device_changed',
    subject: 'svc.v1.event.agent.{computer}.device',
    from: fromAgent,
    to: { orchestrator: {} },
    body: zodSchema(z.object({ inc: z.number().int(), device: deviceStatus })),
  }),
  /** The agent is about to stop with its devices. */
  leaving: defineEvent({
    name: 'agent.leaving',
    subject: 'svc.v1.event.agent.{computer}.leaving',
    from: fromAgent,
    to: { orchestrator: {} },
    body: zodSchema(z.object({ inc: z.number().int(), session: z.string() })),
  }),
};

/** The devices in the scope of an emergency stop that the agent has just received, without their functions. */
export const stopReport = defineEvent({
  name: 'agent.stop_report',
  subject: 'svc.v1.event.agent.{computer}.stop',
  from: fromAgent,
  to: { gateway: {} },
  body: zodSchema(z.object({ id: z.string(), devices: z.array(deviceStatus) })),
});
