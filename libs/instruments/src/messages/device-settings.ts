import { z } from 'zod';
import { recordSettings, replaySettings } from '../recordings/index.js';
import { twinSettings } from '../twins/index.js';
import { condition } from './answers.js';

/** The init parameters that the devices of all message protocols have. */
export const deviceSettings = z.strictObject({
  /** Seconds that a call may take, unless its function says otherwise. */
  timeout: z.number().positive().max(604_000).default(30),
  /** Functions of kind idempotent that make the instrument safe, with their arguments. */
  safe_state: z
    .array(
      z.union([
        z.string().transform((name) => ({ function: name, arguments: {} })),
        z.strictObject({ function: z.string(), arguments: z.record(z.string(), z.json()).default({}) }),
      ]),
    )
    .default([]),
  /** A query whose answer says after a crash whether the instrument is idle. */
  idle: condition.extend({ function: z.string() }).optional(),
  simulate: z.boolean().default(false),
  twin: twinSettings.default({ state: {}, follow: {} }),
  /** Record the traffic from the start. */
  record: recordSettings,
  replay: replaySettings,
});

export type DeviceSettings = z.output<typeof deviceSettings>;

/** Init parameters without those that are left empty in YAML, so that the defaults apply to them. */
export function withoutEmpty(parameters: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== null));
}
