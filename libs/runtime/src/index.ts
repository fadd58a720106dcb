export { Secret } from './log/secret.js';
export {
  holdsSecrets,
  isSealed,
  Sealing,
  withSecretsHidden,
  withSecretsOpened,
  withSecretsSealed,
} from './log/sealing.js';
export { steadyClock, systemClock, systemIds, systemTimers, uuidV7Source } from './time/clock.js';
export { createLog, type Log, type LogFields, type LogLevelName, type LogOptions } from './log/log.js';
export { withoutCredentials } from './log/redaction.js';
export { ConfigError } from './config/index.js';
export type { AuthSettings, OidcSettings, SchedulerSettings, WebhookSettings } from './config/index.js';
export { optional, servedAt, setting, settings, wholeNumber, type Setting } from './config/index.js';
export { defineConfig, type ConfigDefinition, type ConfigOf, type ConfigSources } from './config/index.js';
export { inRounds, type RoundPlan, type RoundPorts } from './time/rounds.js';
export { overrideEnvironment, processEnvironment } from './environment.js';
export { Shutdown } from './shutdown.js';
export { runService, type ServiceContext, type ServiceOptions } from './run-service.js';
export { exitText, type ExitInfo } from './process/index.js';
export { startChild, type ChildOptions, type RunningChild } from './process/index.js';
export { Supervision, type SupervisionEvent, type SupervisionOptions } from './process/index.js';
export { identify, isStillRunning, signalProcess, type ProcessIdentity } from './process/index.js';
export { acquireLock, LockedError, type FileLock } from './process/index.js';
export { openLogFile, type LogFile } from './process/index.js';
export { Meter, type MetricLabels, type Reading } from './metrics/index.js';
export { measureProcess, tellMeasurements } from './metrics/index.js';
export { AnswerTooLongError, bodyWithin } from './outbound/index.js';
export {
  maxAnswerBytes,
  Outbound,
  OutboundRefusedError,
  type OutboundAnswer,
  type OutboundPolicy,
  type Resolve,
} from './outbound/index.js';
