import { defineConfig, settings, type ConfigOf } from '@lab/runtime';

export const config = defineConfig({
  natsUrl: settings.natsUrl,
  dataDir: settings.dataDir,
  logLevel: settings.logLevel,
});

export type Config = ConfigOf<typeof config>;
