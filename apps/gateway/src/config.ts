import { brokerSettings, defineConfig, settings, type ConfigOf } from '@lab/runtime';

/** What the gateway reads of configuration and environment. */
export const config = defineConfig({
  httpHost: settings.httpHost,
  httpPort: settings.httpPort,
  https: settings.https,
  publicUrl: settings.publicUrl,
  dataDir: settings.dataDir,
  ...brokerSettings,
  actKey: settings.actKey,
  databaseUrl: settings.databaseUrl,
  uploadSecret: settings.uploadSecret,
  secretsKey: settings.secretsKey,
  logLevel: settings.logLevel,
  /** Key that admits agents. `svc start` makes it; undefined: no agent can join. */
  agentIssuer: settings.agentIssuer,
  agentBrokers: settings.agentBrokers,
  codeKey: settings.codeKey,
  agentPackages: settings.agentPackages,
  files: settings.files,
  s3AccessKeyId: settings.s3AccessKeyId,
  s3SecretAccessKey: settings.s3SecretAccessKey,
  limits: settings.limits,
  logs: settings.logs,
  auth: settings.auth,
  oidcClientSecret: settings.oidcClientSecret,
  http: settings.http,
  cors: settings.cors,
  metrics: settings.metrics,
  deviceCalls: settings.deviceCalls,
  webhooks: settings.webhooks,
  retention: settings.retention,
});

export type GatewayConfig = ConfigOf<typeof config>;
