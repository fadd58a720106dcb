export { createLog, type Log, type LogFields, type LogLevelName, logLevels, type LogOptions } from './log.js';
export { withoutCredentials } from './redaction.js';
export {
  holdsSecrets,
  isSealed,
  Sealing,
  withSecretsHidden,
  withSecretsOpened,
  withSecretsSealed,
} from './sealing.js';
export { FileSecret } from './file-secret.js';
export { Secret } from './secret.js';
