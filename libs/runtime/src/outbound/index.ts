export { isNetwork } from './addresses.js';
export { AnswerTooLongError, bodyWithin } from './bounded-body.js';
export {
  maxAnswerBytes,
  Outbound,
  type OutboundAnswer,
  type OutboundPolicy,
  OutboundRefusedError,
  type Resolve,
} from './outbound.js';
