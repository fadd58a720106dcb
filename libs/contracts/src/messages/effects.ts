import { z } from 'zod';
import { effectKinds } from '../rest/effects.js';
import { codeRuntime } from '../rest/work/code-runtime.js';
import { effectStates } from '../vocabulary.js';
import { zodSchema } from '../schema.js';
import { defineRequest } from './define.js';
import { itself } from './process-roles.js';
import { jsonObject, jsonValue } from './work.js';

/** A call that may change something, on its way from the agent of the device. */
export const recordedEffect = z.object({
  call_id: z.string(),
  lab: z.string(),
  device: z.string(),
  function: z.string(),
  kind: z.enum(effectKinds),
  /** Without secret values. */
  arguments: jsonObject,
  state: z.enum(effectStates),
  result: jsonValue.optional(),
  error: z.object({ code: z.string(), message: z.string(), effect: z.string() }).optional(),
  person: z.string().optional(),
  attempt_id: z.string().optional(),
  code_hash: z.string().optional(),
  /** What executed the code of the device. Absent: not known. */
  runtime: codeRuntime.zod().optional(),
  /** Milliseconds since 1970 by the clock of the agent. */
  began_ms: z.number(),
  ended_ms: z.number().optional(),
});
export type RecordedEffect = z.infer<typeof recordedEffect>;

/** Most effects of one batch. */
export const longestEffectBatch = 100;

export const effectRequests = {
  /**
   * Stores effects, then answers. Each is stored once, by its call id. A later record of the same call replaces an
   * earlier one that had no end, so the sender may repeat a batch that got no answer.
   */
  append: defineRequest({
    name: 'effect.append',
    subject: 'svc.v1.up.{computer}.effect.append',
    from: { agent: { computer: itself } },
    to: { gateway: {} },
    request: zodSchema(
      z.object({
        /** Wall clock of the agent when it sent the batch, in milliseconds since 1970. */
        wall_ms: z.number(),
        effects: z.array(recordedEffect).min(1).max(longestEffectBatch),
      }),
    ),
    reply: zodSchema(z.object({})),
    timeoutMs: 5_000,
    errors: ['store_unavailable'],
  }),
};
