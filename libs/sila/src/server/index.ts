export { deviceFeature, fullIdentifierOf, type OfferedFunction } from './device-feature.js';
export { DeviceLock, type Reservations } from './device-lock.js';
export { ServedError } from './errors.js';
export {
  SilaServer,
  type ServedCall,
  type ServedFeature,
  type ServedIdentity,
  type ServedKeys,
} from './sila-server.js';
