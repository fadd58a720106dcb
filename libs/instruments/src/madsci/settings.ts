import { z } from 'zod';
import { functionChanges, linkShape, optionalText, readLinked } from '../nodes/index.js';

const schema = z.strictObject({
  ...linkShape,
  /** Name or id that the node must have. */
  node: optionalText,
  /** What the lab says of the actions of the node. */
  functions: functionChanges,
  /** Seconds between two questions for the state of an action. */
  poll: z.number().min(0.05).max(60).default(1),
  /** Admin command that stops the node. */
  stop: z.enum(['safety_stop', 'cancel', 'none', '']).default(''),
  /** Folder from which calls may name files to upload, and into which files of results go. */
  files: optionalText,
});

export type MadsciSettings = z.output<typeof schema>;

/** @throws TypeError that names every fault */
export const madsciSettings = (parameters: unknown): MadsciSettings => readLinked(schema, parameters);
