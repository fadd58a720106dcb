import { z } from 'zod';
import { logLevels, logSources, longestLogMessage } from '../rest/logs.js';
import { zodSchema } from '../schema.js';
import { defineRequest } from './define.js';

/** A line on its way from the agent whose processes wrote it. */
export const writtenLine = z.object({
  /** Numbers the lines of one agent process, rising. */
  seq: z.number().int().positive(),
  /** Milliseconds since 1970 by the clock of the agent. */
  at: z.number().int().min(0).max(8.64e15),
  level: z.enum(logLevels),
  source: z.enum(logSources),
  lab: z.string().optional(),
  device: z.string().optional(),
  /** The attempt that wrote it; what it belongs to is known where it is stored. */
  attempt_id: z.string().optional(),
  message: z.string().max(longestLogMessage),
});
export type WrittenLine = z.infer<typeof writtenLine>;

/** Most lines of one batch. */
export const longestLogBatch = 200;

export const logRequests = {
  /**
   * Lines to be stored. Answered once they are; a line that was stored before, by `stream` and `seq`, is left alone, so
   * that a batch without an answer may be sent again.
   */
  append: defineRequest({
    name: 'log.append',
    subject: 'svc.v1.log.append',
    request: zodSchema(
      z.object({
        computer: z.string(),
        /** Names one agent process for ever. */
        stream: z.string(),
        lines: z.array(writtenLine).min(1).max(longestLogBatch),
      }),
    ),
    reply: zodSchema(z.object({})),
    timeoutMs: 5_000,
    errors: ['store_unavailable'],
  }),
};
