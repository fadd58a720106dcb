import { brokerSettings, defineConfig, settings, type ConfigOf } from '@lab/runtime';

export const config = defineConfig({
  ...brokerSettings,
  /** Signs what agents believe of the leader alone. `svc start` makes it; undefined: agents know no authority. */
  authorityKey: settings.authorityKey,
  /** Needed to revoke agents. `svc start` gives them; undefined: this orchestrator cannot. */
  brokerKeys: settings.brokerKeys,
  actPublicKey: settings.actPublicKey,
  databaseUrl: settings.databaseUrl,
  uploadSecret: settings.uploadSecret,
  https: settings.https,
  httpHost: settings.httpHost,
  publicUrl: settings.publicUrl,
  httpPort: settings.httpPort,
  dataDir: settings.dataDir,
  userDir: settings.userDir,
  codeKey: settings.codeKey,
  wheelsDir: settings.wheelsDir,
  labs: settings.labs,
  protocols: settings.protocols,
  scheduler: settings.scheduler,
  limits: settings.limits,
  retention: settings.retention,
  quotas: settings.quotas,
  /** Whether the service has a backup, of which people are warned when it waits. */
  backup: settings.backup,
  logLevel: settings.logLevel,
});

export type Config = ConfigOf<typeof config>;
