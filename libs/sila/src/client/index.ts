export type { CallContext, CallLimits, Channel } from './channel.js';
export { Connection } from './connection.js';
export {
  isDefined,
  isFramework,
  SilaConnectionError,
  SilaError,
  UntrustedServer,
  type SilaErrorKind,
} from './errors.js';
export { look, type ServerLook } from './look.js';
export { recordedChannel, replayedChannel } from './recorded-channel.js';
export { RemoteFeature, type ExecutionState } from './remote-feature.js';
export { ServerLock } from './server-lock.js';
export { SilaClient, type ServerIdentity } from './sila-client.js';
export type { ShownCertificate, Trust } from './trust.js';
