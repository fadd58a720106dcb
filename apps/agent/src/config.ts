import {
  brokerSettings,
  defineConfig,
  setting,
  settings,
  wholeNumber,
  type ConfigOf,
  type Setting,
} from '@lab/runtime';
import { delimiter, isAbsolute } from 'node:path';
import { z } from 'zod';
import { updateModes } from './updates/index.js';

export const config = defineConfig({
  ...brokerSettings,
  /** Where this agent renews its credentials; undefined: they are not renewed. */
  gatewayUrl: settings.gatewayUrl,
  codeKey: settings.codeKey,
  dataDir: settings.dataDir,
  /** Where an author has the packages, for debuggers. */
  userDir: settings.userDir,
  computer: settings.computer,
  logLevel: settings.logLevel,
  limits: settings.limits,
  /** Whether the service may update this agent, or only somebody at this computer. */
  updates: setting({ env: 'SVC_AGENT_UPDATES', schema: z.enum(updateModes).default('from_service') }),
  codeUser: settings.codeUser,
  /** Folders into which instruments may write files for this agent, with what is below. Default: none. */
  instrumentFolders: setting({
    env: 'SVC_INSTRUMENT_FOLDERS',
    schema: z
      .string()
      .default('')
      .transform((text) =>
        text
          .split(delimiter)
          .map((each) => each.trim())
          .filter(Boolean),
      )
      .refine((folders) => folders.every((each) => isAbsolute(each)), {
        error: `must be absolute paths with ${delimiter} between them`,
      }),
  }),
  /** Program, or its path, that runs code in Python; undefined: the `python3` or `python` of the `PATH`. */
  python: setting({ env: 'SVC_PYTHON', schema: z.string().trim().min(1).optional() }),
  /** Number of warm task processes kept ready. Default: the `limits` of `config.yml`. */
  taskPoolSize: setting({
    env: 'SVC_TASK_POOL_SIZE',
    schema: wholeNumber(0, 64, 'a number of processes'),
    fallback: (others) => limitsOf(others).task_pool_size,
  }),
  /** Largest number of task processes. Default: the `limits` of `config.yml`. */
  taskPoolMax: setting({
    env: 'SVC_TASK_POOL_MAX',
    schema: wholeNumber(1, 256, 'a number of processes'),
    fallback: (others) => limitsOf(others).task_pool_max,
  }),
  /** How long a device call of a task may take, in seconds. */
  deviceCallTimeoutS: setting({
    env: 'SVC_DEVICE_CALL_TIMEOUT_S',
    schema: wholeNumber(1, 86_400, 'a time in seconds').default(60),
  }),
  /** How long `_initialize` of a device may take, in seconds. */
  deviceInitTimeoutS: setting({
    env: 'SVC_DEVICE_INIT_TIMEOUT_S',
    schema: wholeNumber(1, 86_400, 'a time in seconds').default(60),
  }),
});

type Limits = typeof settings.limits extends Setting<infer T> ? T : never;

function limitsOf(others: Readonly<Record<string, unknown>>): Limits {
  return others['limits'] as Limits;
}

export type Config = ConfigOf<typeof config>;
