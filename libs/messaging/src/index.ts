export { AgentClocks, type AgentSession } from './agent-clocks.js';
export { updateAccount } from './update-account.js';
export { brokerPlaces } from './broker-address.js';
export { brokerTrouble } from './broker-trouble.js';
export type {
  Bus,
  BusLog,
  BusStatus,
  EventHandler,
  MessageContext,
  RequestHandler,
  RequestOptions,
  ServeOptions,
  SignAct,
  Subscription,
  TokensFor,
} from './bus.js';
export {
  connectBus,
  connectionTimings,
  demandClosedBroker,
  type BrokerAccess,
  ownerOf,
  type BusIdentity,
  type ConnectOptions,
} from './connect-bus.js';
export { handledBy, serveAll, type Handled, type HandlersOf } from './handlers.js';
export {
  LeaderRequests,
  type LeaderRequest,
  type LeaderRequestsParts,
  type NamedSubmission,
  type SubmissionAsked,
} from './leader-requests.js';
export { LeaderWatch } from './leader-watch.js';
export { Repeats } from './repeats.js';
export { ReachedNobody } from './reached-nobody.js';
export type { Refusal, Wire, WireMessage, WireSubscription } from './wire.js';
export { systemBusTimers, type BusTimers } from './timers.js';
