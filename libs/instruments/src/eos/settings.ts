import { z } from 'zod';
import { functionChanges, linkShape, readLinked } from '../nodes/index.js';

const schema = z.strictObject({
  ...linkShape,
  /** Laboratory and device of EOS. */
  lab: z.string().min(1, 'it must be the name of a laboratory of EOS'),
  device: z.string().min(1, 'it must be the name of a device of that laboratory'),
  /** What the lab says of the functions of the device, and the functions that EOS does not tell of. */
  functions: functionChanges,
  /** Name of the function of the device that stops it; empty: it has none. */
  stop: z.string().default(''),
});

export type EosSettings = z.output<typeof schema>;

/** @throws TypeError that names every fault */
export const eosSettings = (parameters: unknown): EosSettings => readLinked(schema, parameters);
