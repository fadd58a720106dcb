export {
  look,
  SilaClient,
  SilaConnectionError,
  SilaError,
  UntrustedServer,
  type ServerIdentity,
  type ServerLook,
  type ShownCertificate,
  type SilaErrorKind,
  type Trust,
} from './client/index.js';
export {
  announce,
  discover,
  type Address,
  type Announced,
  type Announcement,
  type FoundServer,
} from './network/index.js';
export { SilaDevice, SilaLocked, type LockTerms } from './device/index.js';
export {
  deviceFeature,
  DeviceLock,
  fullIdentifierOf,
  SilaServer,
  type OfferedFunction,
  type Reservations,
  type ServedIdentity,
  type ServedKeys,
} from './server/index.js';
export { connect, SilaSession } from './task/index.js';
