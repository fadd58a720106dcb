export { type ChildOptions, type RunningChild, startChild } from './child.js';
export { lackOfRoom } from './disk-room.js';
export { type ExitInfo, exitText } from './exit-info.js';
export { boundGarbage } from './heap.js';
export { identify, isStillRunning, type ProcessIdentity, signalProcess } from './identity.js';
export { acquireLock, type FileLock, LockedError } from './lock-file.js';
export { type LogFile, openLogFile } from './log-file.js';
export type { ServiceMessage } from './readiness.js';
export { Supervision, type SupervisionEvent, type SupervisionOptions } from './supervision.js';
