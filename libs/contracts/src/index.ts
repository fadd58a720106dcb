export type { JsonObject, JsonValue } from './json.js';
export {
  errorCatalogue,
  isServiceError,
  ServiceError,
  toServiceError,
  type Effect,
  type ErrorCode,
  type Fault,
  type ServiceErrorOptions,
} from './errors.js';
export { dtoFaults, dtoSchema, zodSchema, type Checked, type Schema } from './schema.js';
export {
  agentStates,
  agentTransitions,
  attemptStates,
  attemptTransitions,
  deviceStates,
  deviceTransitions,
  isSatisfied,
  isTerminal,
  isUsable,
  mayDispatchTo,
  mayFollow,
  runStates,
  runTransitions,
  taskRunStates,
  taskRunTransitions,
  type AgentState,
  type AttemptState,
  type DeviceState,
  type RunState,
  type TaskRunState,
} from './states.js';
export {
  CampaignSubmission,
  DeviceReference,
  ProtocolRunSubmission,
  TaskSubmission,
  type TaskParameters,
} from './rest/submissions.js';
export { isWellFormedName, maxNameLength } from './rest/rules.js';
export type {
  CampaignRecord,
  DeviceRecord,
  FileRecord,
  Problem,
  ProtocolRunRecord,
  Reason,
  ResourceValue,
  TaskRunRecord,
} from './rest/records.js';
export {
  decodeToken,
  defineEvent,
  defineRequest,
  encodeToken,
  subjectOf,
  tokensOf,
  type AnyEvent,
  type AnyRequest,
  type BodyOf,
  type EventDefinition,
  type ReplyOf,
  type RequestDefinition,
  type RequestOf,
  type Tokens,
  type TokensOf,
} from './messages/define.js';
export {
  envelope,
  envelopeVersion,
  replyEnvelope,
  wireError,
  type Envelope,
  type ReplyEnvelope,
  type WireError,
} from './messages/envelope.js';
export { orchestratorEvents, orchestratorRequests } from './messages/orchestrator.js';
export { agentEvents, agentRequests } from './messages/agent.js';
export {
  optimizerEvents,
  serviceNames,
  serviceRequests,
  type ServiceHealth,
  type ServiceName,
} from './messages/service.js';
export {
  attemptOutcome,
  attemptResult,
  deviceAssignment,
  deviceStatus,
  taskStart,
  type AttemptOutcome,
  type AttemptReport,
  type AttemptResult,
  type AttemptStatus,
  type AuthorError,
  type DeviceAssignment,
  type DeviceBinding,
  type DeviceFunction,
  type DeviceStatus,
  type FileDescription,
  type FunctionKind,
  type Isolation,
  type ModuleReference,
  type TaskStart,
} from './messages/work.js';
export {
  fromDevice,
  fromTask,
  toDevice,
  toTask,
  type FromDevice,
  type FromTask,
  type LogLevel,
  type ToDevice,
  type ToTask,
} from './messages/ipc.js';
