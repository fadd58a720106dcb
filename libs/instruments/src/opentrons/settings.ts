import { z } from 'zod';
import { linkShape, optionalText, readLinked } from '../nodes/index.js';

const schema = z.strictObject({
  ...linkShape,
  /** Serial number that the robot must have. */
  serial: optionalText,
  /** Version of the HTTP API, as in the header `Opentrons-Version`. */
  api: z
    .string()
    .regex(/^(\*|\d+)$/, 'it must be a number, or * for the newest')
    .default('*'),
  /** Seconds that a call of a function may take. */
  timeouts: z.record(z.string(), z.number().positive().max(604_800)).default({}),
  /** Seconds between two questions for the state of a run. */
  poll: z.number().min(0.05).max(60).default(1),
  /** Folder from which calls may name files. */
  files: optionalText,
  /** How a twin behaves: seconds of a run, and whether its first step fails so that the run asks for a person. */
  twin: z
    .strictObject({
      takes: z.number().min(0).max(604_800).default(1),
      asks: z.boolean().default(false),
    })
    .prefault({}),
});

export type OpentronsSettings = z.output<typeof schema>;

/** @throws TypeError that names every fault */
export const opentronsSettings = (parameters: unknown): OpentronsSettings => readLinked(schema, parameters);
