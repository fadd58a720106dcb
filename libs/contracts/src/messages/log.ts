import { z } from 'zod';
import { logSources, longestLogMessage } from '../rest/logs.js';
import { logLevels } from '../vocabulary.js';
import { zodSchema } from '../schema.js';
import { defineRequest } from './define.js';
import { itself } from './process-roles.js';

/** A log line on its way from the agent whose processes wrote it. */
export const writtenLine = z.object({
  /** Rising number of the line within one agent process. */
  seq: z.number().int().positive(),
  /** Milliseconds since 1970 by the clock of the agent. */
  at: z.number().int().min(0).max(8.64e15),
  level: z.enum(logLevels),
  source: z.enum(logSources),
  lab: z.string().optional(),
  device: z.string().optional(),
  /** The attempt that wrote the line. The store knows the task run of the attempt. */
  attempt_id: z.string().optional(),
  message: z.string().max(longestLogMessage),
});
export type WrittenLine = z.infer<typeof writtenLine>;

/** Most lines of one batch. */
export const longestLogBatch = 200;

export const logRequests = {
  /**
   * Stores lines, then answers. A line that is already stored, by `stream` and `seq`, is ignored, so that the sender
   * may repeat a batch that got no answer.
   */
  append: defineRequest({
    name: 'log.append',
    subject: 'svc.v1.up.{computer}.log.append',
    from: { agent: { computer: itself } },
    to: { gateway: {} },
    request: zodSchema(
      z.object({
        /** Unique identifier of one agent process. */
        stream: z.string(),
        /** Wall clock of the computer when it sent the batch, in milliseconds since 1970; absent: not reported. */
        wall_ms: z.number().optional(),
        lines: z.array(writtenLine).min(1).max(longestLogBatch),
      }),
    ),
    reply: zodSchema(z.object({})),
    timeoutMs: 5_000,
    errors: ['store_unavailable'],
  }),
};
