export type { FileTicket, Files, InputFile, Modules, SpooledFile } from './files.js';
export { defaultLimits, type AgentLimits } from './limits.js';
export type { AgentLog } from './log.js';
export type { Hello, KnownEmergencyStops, Orchestrator, Registration } from './orchestrator.js';
export {
  Unanswered,
  type AgentIncarnation,
  type DeviceAddress,
  type OtherAgent,
  type PeerCall,
  type Peers,
} from './peers.js';
export {
  describeExit,
  type DeviceProcess,
  type DeviceProcesses,
  type ProcessExit,
  type ProcessHandle,
  type TaskProcess,
  type TaskProcesses,
} from './processes.js';
export { forgetOldest, remember } from './remember.js';
export { Retry, type RetryOptions } from './retry.js';
