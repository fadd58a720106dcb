export { ApiClient, type CallOptions, type ClientOptions, type EventOptions } from './client.js';
export { ProblemError, UnreachableError } from './errors.js';
export type {
  AnswerOf,
  DryRunOf,
  InputOf,
  ItemOf,
  ListPath,
  OperationOf,
  PathOf,
  TriedOutPath,
} from './operations.js';
export type { ServerEvent } from './server-events.js';
export type * from './generated.js';
