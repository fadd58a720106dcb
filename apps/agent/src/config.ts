import { defineConfig, setting, settings, wholeNumber, type ConfigOf } from '@lab/runtime';

export const config = defineConfig({
  natsUrl: settings.natsUrl,
  dataDir: settings.dataDir,
  computer: settings.computer,
  logLevel: settings.logLevel,
  /** Warm task processes kept ready. */
  taskPoolSize: setting({
    env: 'SVC_TASK_POOL_SIZE',
    schema: wholeNumber(0, 64, 'a number of processes').default(2),
  }),
  /** Task processes at most. */
  taskPoolMax: setting({
    env: 'SVC_TASK_POOL_MAX',
    schema: wholeNumber(1, 256, 'a number of processes').default(16),
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

export type Config = ConfigOf<typeof config>;
