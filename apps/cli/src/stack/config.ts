import { defineConfig, optional, setting, settings, wholeNumber, type ConfigOf } from '@lab/runtime';

/** Settings of the supervisor. The processes that it starts read their own settings. */
export const stackConfig = defineConfig({
  httpHost: settings.httpHost,
  httpPort: settings.httpPort,
  https: settings.https,
  publicUrl: optional(settings.publicUrl),
  dataDir: settings.dataDir,
  userDir: settings.userDir,
  natsUrl: optional(settings.natsUrl),
  databaseUrl: optional(settings.databaseUrl),
  databaseOwnerUrl: settings.databaseOwnerUrl,
  databaseGatewayUrl: settings.databaseGatewayUrl,
  uploadSecret: optional(settings.uploadSecret),
  actKey: optional(settings.actKey),
  secretsKey: settings.secretsKey,
  files: settings.files,
  s3AccessKeyId: settings.s3AccessKeyId,
  s3SecretAccessKey: settings.s3SecretAccessKey,
  oidcClientSecret: settings.oidcClientSecret,
  labs: settings.labs,
  protocols: settings.protocols,
  scheduler: settings.scheduler,
  limits: settings.limits,
  backup: settings.backup,
  backupS3AccessKeyId: settings.backupS3AccessKeyId,
  backupS3SecretAccessKey: settings.backupS3SecretAccessKey,
  computer: settings.computer,
  /** Number of orchestrators: one leads, the others are on standby. */
  orchestrators: setting({
    env: 'SVC_ORCHESTRATORS',
    schema: wholeNumber(1, 9, 'a number of orchestrators').default(1),
  }),
  logLevel: settings.logLevel,
});

export type StackConfig = ConfigOf<typeof stackConfig>;
