import { z } from 'zod';
import { zodSchema } from '../schema.js';
import { defineEvent, defineRequest } from './define.js';
import {
  attemptReport,
  attemptStatus,
  deviceAssignment,
  deviceStatus,
  jsonObject,
  jsonValue,
  taskStart,
} from './work.js';

const empty = z.object({});

/**
 * What an agent answers. Every subject names the computer and the incarnation, so that a command can never reach an
 * agent other than the one it was meant for, and never two.
 */
export const agentRequests = {
  startTask: defineRequest({
    name: 'agent.task.start',
    subject: 'svc.v1.agent.{computer}.{inc}.task.start',
    request: zodSchema(taskStart),
    reply: zodSchema(z.object({ status: attemptStatus })),
    timeoutMs: 3_000,
    errors: ['stale_message', 'device_unavailable', 'not_found', 'service_unavailable'],
  }),
  /** Asks a running attempt to stop. The end arrives as a result; this only says that the request was heard. */
  cancelTask: defineRequest({
    name: 'agent.task.cancel',
    subject: 'svc.v1.agent.{computer}.{inc}.task.cancel',
    request: zodSchema(z.object({ attempt_id: z.string(), reason: z.string() })),
    reply: zodSchema(z.object({ status: attemptStatus })),
    timeoutMs: 3_000,
    errors: ['stale_message'],
  }),
  /** What became of an attempt. An attempt the agent does not know is refused for ever after this answer. */
  taskStatus: defineRequest({
    name: 'agent.task.status',
    subject: 'svc.v1.agent.{computer}.{inc}.task.status',
    request: zodSchema(z.object({ attempt_id: z.string() })),
    reply: zodSchema(z.object({ status: attemptStatus })),
    timeoutMs: 1_000,
    errors: ['stale_message'],
  }),
  /** The full list of devices the agent shall run; it starts what is missing and stops what is not in it. */
  assignDevices: defineRequest({
    name: 'agent.devices.assign',
    subject: 'svc.v1.agent.{computer}.{inc}.devices.assign',
    request: zodSchema(z.object({ devices: z.array(deviceAssignment) })),
    reply: zodSchema(empty),
    timeoutMs: 5_000,
    errors: ['stale_message'],
  }),
  /**
   * Calls a function of a device. From a task: `attempt_id` is set and the envelope carries the fence of the
   * allocation. From a person (device RPC): neither, and nothing is checked but that the function exists. A call that
   * was on its way for longer than {@link callFreshMs} is refused with `late_message`, and one that has not begun when
   * the caller gives up never begins; one that has begun may take as long as its function declares, so a caller waits
   * that long and `deviceAnswerMs` more.
   */
  callDevice: defineRequest({
    name: 'agent.device.call',
    subject: 'svc.v1.agent.{computer}.{inc}.device.{lab}.{device}.call',
    request: zodSchema(
      z.object({
        call_id: z.string(),
        function: z.string(),
        arguments: jsonObject,
        attempt_id: z.string().optional(),
        /** A reading of the clock of this very agent, taken before the call was sent: see `readClock`. */
        as_of_ms: z.number(),
      }),
    ),
    reply: zodSchema(z.object({ result: jsonValue.optional() })),
    timeoutMs: 60_000,
    errors: [
      'stale_message',
      'late_message',
      'unknown_device',
      'unknown_function',
      'invalid',
      'device_error',
      'device_unavailable',
      'aborted',
    ],
  }),
  /**
   * The agent's own clock, in milliseconds since some moment: a call that names a recent reading was sent recently, by
   * one clock alone.
   */
  readClock: defineRequest({
    name: 'agent.clock',
    subject: 'svc.v1.agent.{computer}.{inc}.clock',
    request: zodSchema(empty),
    reply: zodSchema(z.object({ now_ms: z.number() })),
    timeoutMs: 1_000,
    errors: [],
  }),
  /**
   * An attempt that runs, or ran, on another computer is over: its calls to devices of this one that have not begun are
   * refused for as long as this incarnation lives, those in progress are stopped safely. The answer says whether one of
   * them still goes on.
   */
  stopCalls: defineRequest({
    name: 'agent.device.stop',
    subject: 'svc.v1.agent.{computer}.{inc}.device.stop',
    request: zodSchema(z.object({ attempt_id: z.string(), reason: z.string() })),
    reply: zodSchema(z.object({ moving: z.boolean() })),
    timeoutMs: 3_000,
    errors: [],
  }),
  /**
   * A person says that an uncertain or faulted device is safe to be started anew: its doubt is settled, `_initialize`
   * runs. A doubt other than the one named, or none, is answered with `wrong_state`.
   */
  resetDevice: defineRequest({
    name: 'agent.device.reset',
    subject: 'svc.v1.agent.{computer}.{inc}.device.{lab}.{device}.reset',
    request: zodSchema(z.object({ doubt_id: z.string().nullable(), by: z.string() })),
    reply: zodSchema(empty),
    timeoutMs: 5_000,
    errors: ['stale_message', 'unknown_device', 'wrong_state', 'service_unavailable'],
  }),
  /** The device's `_report()`. */
  reportDevice: defineRequest({
    name: 'agent.device.report',
    subject: 'svc.v1.agent.{computer}.{inc}.device.{lab}.{device}.report',
    request: zodSchema(empty),
    reply: zodSchema(z.object({ report: jsonObject })),
    timeoutMs: 10_000,
    errors: ['unknown_device', 'device_error', 'device_unavailable'],
  }),
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

export const agentEvents = {
  /**
   * Emergency stop, to every agent at once, past all queues, fences and leaders: `_stop` runs on every device of the
   * scope, and they take no effects until the stop is released by the leading orchestrator.
   */
  emergencyStop: defineEvent({
    name: 'agent.emergency_stop',
    subject: 'svc.v1.event.emergency_stop',
    body: zodSchema(emergencyStop),
  }),
  /** Every second: the agent lives, and this is the state of all it runs. Repairs any lost notification. */
  heartbeat: defineEvent({
    name: 'agent.heartbeat',
    subject: 'svc.v1.event.agent.{computer}.heartbeat',
    body: zodSchema(
      z.object({
        inc: z.number().int(),
        session: z.string(),
        devices: z.array(deviceStatus),
        attempts: z.array(attemptReport),
        /** Rises with every heartbeat of a session; commands echo the newest heard, which shows how fresh they are. */
        seq: z.number().int().optional(),
        /** The emergency stops in force on this computer. */
        halts: z.array(emergencyStop).optional(),
        /** The clock of the wall of this computer when this was sent, in milliseconds since 1970. */
        wall_ms: z.number().optional(),
        /** What keeps it from writing its ledger, null when nothing does; absent: an agent that does not say. */
        ledger_trouble: z.string().nullable().optional(),
      }),
    ),
  }),
  /** The state of one device changed. */
  deviceChanged: defineEvent({
    name: 'agent.device_changed',
    subject: 'svc.v1.event.agent.{computer}.device',
    body: zodSchema(z.object({ inc: z.number().int(), device: deviceStatus })),
  }),
  /** The agent is about to stop; its devices are going away. */
  leaving: defineEvent({
    name: 'agent.leaving',
    subject: 'svc.v1.event.agent.{computer}.leaving',
    body: zodSchema(z.object({ inc: z.number().int(), session: z.string() })),
  }),
};
