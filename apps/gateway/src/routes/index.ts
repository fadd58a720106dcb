export { Body, JsonBody, OptionalBody } from './body.js';
export { documented, documentRoutes, Group } from './documented.js';
export { DryRun, isDryRun } from './dry-run.js';
export { InputInterceptor } from './input.interceptor.js';
export { takes, type BodyDescription } from './inputs.js';
export {
  Action,
  eventStream,
  fromOrchestrator,
  Operation,
  operationExtension,
  page,
  record,
  recordList,
  Unlisted,
  type Answer,
  type OperationDescription,
  type OperationDetails,
} from './operation.js';
export {
  CampaignName,
  LegalHoldId,
  lookupName,
  pathName,
  pathParameter,
  pathText,
  ProtocolRunName,
  ReservationId,
} from './path.js';
export {
  cursorOf,
  cursorValues,
  FromQuery,
  invalidQuery,
  limitFault,
  limitParameter,
  QueryFlag,
  queryParameter,
  QueryText,
  readFlag,
  readLimit,
  requireLimit,
  type QueryValues,
} from './query.js';
export { json, ref } from './schemas.js';
export { OnDemandTaskName, OwnRunName, workRoutes } from './work-routes.js';
