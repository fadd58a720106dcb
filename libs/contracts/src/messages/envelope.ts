import { z } from 'zod';
import { effects, errorCatalogue, Fault, type ErrorCode } from '../errors.js';
import { zodOf } from '../rest/fields/field.js';

/** Major version of the envelope; a receiver refuses another one. */
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
  /** Id of the request over HTTP that this is sent for: the logs of all who get it have it. */
  request: z.string().optional(),
  /** Who sent it, for example `gateway/3f2a`. */
  src: z.string(),
  /** Leadership epoch the sender acts under; an older one than the receiver has seen is refused. */
  epoch: z.number().int().optional(),
  /** Incarnation of the agent it is meant for. */
  inc: z.number().int().optional(),
  /** Fence per device, `<lab>.<device>` to number; a lower one than the receiver has seen is refused. */
  fence: z.record(z.string(), z.number().int()).optional(),
  /**
   * The newest heartbeat of the addressed agent that the sender has heard. The agent tells by its own clock how long ago
   * it sent that one, and refuses a command whose sender's knowledge is older than the command may be.
   */
  fresh: z.number().int().optional(),
  /** How long the sender waits, in milliseconds: work that has not begun by then must not begin. */
  ttl_ms: z.number().int().positive().optional(),
  body: z.unknown(),
});
export type Envelope = z.infer<typeof envelope>;

const codes = Object.keys(errorCatalogue) as [ErrorCode, ...ErrorCode[]];

/** An error as it travels: `effect` is mandatory, for only `none` may be repeated by a machine. */
export const wireError = z.object({
  code: z.enum(codes),
  message: z.string(),
  retryable: z.boolean(),
  effect: z.enum(effects),
  faults: z.array(zodOf(Fault)).optional(),
  author_stack: z.string().optional(),
  /** In how many seconds it makes sense to try again. */
  retry_after_s: z.number().positive().optional(),
});
export type WireError = z.infer<typeof wireError>;

export const replyEnvelope = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), body: z.unknown() }),
  z.object({ ok: z.literal(false), error: wireError }),
]);
export type ReplyEnvelope = z.infer<typeof replyEnvelope>;
