import { z } from 'zod';
import { effects, errorCatalogue, type ErrorCode } from '../errors.js';
import { Fault } from '../rest/fault.js';
import { zodOf } from '../rest/fields/field.js';

/** Major version of the envelope. A receiver refuses another one. */
export const envelopeVersion = 1;

/** What surrounds the body of every request and event on the broker. */
export const envelope = z.object({
  v: z.literal(envelopeVersion),
  /** Unique id of this message; the same id again is the same message. */
  id: z.string(),
  /** Name of the definition in the catalogue. */
  kind: z.string(),
  /** W3C trace context of the work this belongs to. */
  trace: z.string().optional(),
  /** Id of the HTTP request that the message belongs to. The logs of all receivers contain it. */
  request: z.string().optional(),
  /** The sender, for example `gateway/3f2a`. */
  src: z.string(),
  /** Leadership epoch of the sender. The receiver refuses an older epoch than it has seen. */
  epoch: z.number().int().optional(),
  /** Incarnation of the addressed agent. */
  inc: z.number().int().optional(),
  /** Fence per device, `<lab>.<device>` to number. The receiver refuses a lower fence than it has seen. */
  fence: z.record(z.string(), z.number().int()).optional(),
  /**
   * Number of the newest heartbeat of the addressed agent that the sender has heard. The agent knows by its own clock
   * when it sent that heartbeat. It refuses the command when that was longer ago than the command allows.
   */
  fresh: z.number().int().optional(),
  /** The {@link PersonalAct} of the person who acts, signed by a gateway. Requests whose definition says `act` need it. */
  act: z.string().optional(),
  /** Milliseconds for which the sender waits. Work that has not begun by then must not begin. */
  ttl_ms: z.number().int().positive().optional(),
  body: z.unknown(),
});
export type Envelope = z.infer<typeof envelope>;

/** What a gateway says of a request by which a person acts. Its signature makes it valid for this request alone. */
export const personalAct = z.object({
  /** Name of the definition. */
  kind: z.string(),
  /** Id of the message. */
  id: z.string(),
  /** SHA-256 of the body as JSON, in base64url. */
  body: z.string(),
  /** Name of the person; null: authentication is off, so nobody knows. */
  by: z.string().nullable(),
  /** Epoch of the leader that the gateway knows; 0: none. */
  epoch: z.number().int(),
  /** When the gateway signed it, in milliseconds since 1970. */
  at_ms: z.number(),
});
export type PersonalAct = z.infer<typeof personalAct>;

const codes = Object.keys(errorCatalogue) as [ErrorCode, ...ErrorCode[]];

/** An error in a message. `effect` is mandatory, because a machine may repeat a request only after `none`. */
export const wireError = z.object({
  code: z.enum(codes),
  message: z.string(),
  retryable: z.boolean(),
  effect: z.enum(effects),
  faults: z.array(zodOf(Fault)).optional(),
  author_stack: z.string().optional(),
  /** Seconds after which another attempt makes sense. */
  retry_after_s: z.number().positive().optional(),
});
export type WireError = z.infer<typeof wireError>;

export const replyEnvelope = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), body: z.unknown() }),
  z.object({ ok: z.literal(false), error: wireError }),
]);
export type ReplyEnvelope = z.infer<typeof replyEnvelope>;
