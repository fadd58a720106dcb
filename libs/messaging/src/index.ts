export type {
  Bus,
  BusLog,
  BusStatus,
  EventHandler,
  MessageContext,
  RequestHandler,
  RequestOptions,
  ServeOptions,
  Subscription,
  TokensFor,
} from './bus.js';
export { connectBus, type BusIdentity, type ConnectOptions } from './connect-bus.js';
export { handledBy, serveAll, type Handled, type HandlersOf } from './handlers.js';
export { MemoryBroker, type CarriedMessage, type MemoryBrokerOptions } from './memory-broker.js';
export { ReachedNobody } from './reached-nobody.js';
export { systemBusTimers, type BusTimers } from './timers.js';
