export { brokerOf, brokerSettings } from './broker.js';
export { ConfigError } from './fault-text.js';
export type { AuthSettings, OidcSettings, PipelineSettings } from './auth-schema.js';
export type {
  BackupSettings,
  HttpsSettings,
  QuotaSettings,
  SchedulerSettings,
  WebhookSettings,
} from './file-schema.js';
export { type ConfigDefinition, type ConfigOf, type ConfigSources, defineConfig } from './load-config.js';
export { isLoopback } from './loopback.js';
export { optional, servedAt, setting, type Setting, settings, wholeNumber } from './settings.js';
