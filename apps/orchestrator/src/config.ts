import { brokerSettings, defineConfig, settings, type ConfigOf } from '@lab/runtime';

export const config = defineConfig({
  ...brokerSettings,
  /** Signs what agents believe of the leader alone. `svc start` makes it; undefined: agents know no authority. */
  authorityKey: settings.authorityKey,
  databaseUrl: settings.databaseUrl,
  uploadSecret: settings.uploadSecret,
  publicUrl: settings.publicUrl,
  httpPort: settings.httpPort,
  dataDir: settings.dataDir,
  userDir: settings.userDir,
  labs: settings.labs,
  protocols: settings.protocols,
  scheduler: settings.scheduler,
  limits: settings.limits,
  retention: settings.retention,
  logLevel: settings.logLevel,
});

export type Config = ConfigOf<typeof config>;
