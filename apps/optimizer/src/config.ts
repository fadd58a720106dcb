import { isIP } from 'node:net';
import { brokerSettings, defineConfig, setting, settings, wholeNumber, type ConfigOf } from '@lab/runtime';
import { z } from 'zod';

export const config = defineConfig({
  ...brokerSettings,
  secretsKey: settings.secretsKey,
  dataDir: settings.dataDir,
  /** Where an author has the packages, for debuggers. */
  userDir: settings.userDir,
  logLevel: settings.logLevel,
  /** Addresses by which campaigns may name this worker, separated by commas; undefined: all addresses of this computer. */
  addresses: setting({
    env: 'SVC_OPTIMIZER_IP',
    schema: z
      .string()
      .transform((text) => text.split(',').map((each) => each.trim()))
      .refine(
        (each) => each.every((address) => isIP(address) !== 0),
        'must be IP addresses, for example 10.0.0.7, separated by commas',
      )
      .optional(),
  }),
  /** Program, or its path, that runs optimizers in Python; undefined: the `python3` or `python` of the `PATH`. */
  python: setting({ env: 'SVC_PYTHON', schema: z.string().trim().min(1).optional() }),
  /** JavaScript heap of one optimizer, in mebibytes. It does not limit Python. */
  memoryMb: setting({
    env: 'SVC_OPTIMIZER_MEMORY_MB',
    schema: z.preprocess((value) => value ?? 1_024, wholeNumber(64, 65_536, 'a size in mebibytes')),
  }),
  /** Longest computation of one call, in seconds. After it the process of the optimizer is ended. */
  callTimeoutS: setting({
    env: 'SVC_OPTIMIZER_CALL_TIMEOUT_S',
    schema: z.preprocess((value) => value ?? 290, wholeNumber(1, 290, 'a time in seconds')),
  }),
});

export type Config = ConfigOf<typeof config>;
