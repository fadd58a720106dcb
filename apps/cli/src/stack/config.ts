import { defineConfig, optional, settings, type ConfigOf } from '@lab/runtime';

/** What the supervisor itself needs to know; the processes it starts read the rest on their own. */
export const stackConfig = defineConfig({
  httpHost: settings.httpHost,
  httpPort: settings.httpPort,
  publicUrl: optional(settings.publicUrl),
  dataDir: settings.dataDir,
  userDir: settings.userDir,
  natsUrl: optional(settings.natsUrl),
  databaseUrl: optional(settings.databaseUrl),
  uploadSecret: optional(settings.uploadSecret),
  labs: settings.labs,
  protocols: settings.protocols,
  scheduler: settings.scheduler,
  limits: settings.limits,
  computer: settings.computer,
  logLevel: settings.logLevel,
});

export type StackConfig = ConfigOf<typeof stackConfig>;
