/** The parts that load no library, for processes that must stay small. */
export { processEnvironment } from './environment.js';
export {
  acquireLock,
  type FileLock,
  identify,
  isStillRunning,
  LockedError,
  type ProcessIdentity,
  signalProcess,
} from './process/index.js';
