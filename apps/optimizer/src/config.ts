import { defineConfig, settings, type ConfigOf } from '@lab/runtime';

export const config = defineConfig({
  natsUrl: settings.natsUrl,
  secretsKey: settings.secretsKey,
  dataDir: settings.dataDir,
  logLevel: settings.logLevel,
});

export type Config = ConfigOf<typeof config>;
