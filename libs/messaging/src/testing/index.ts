/** A broker in memory, so that processes can be connected in a test without a server. */
export {
  MemoryBroker,
  type CarriedMessage,
  type MemoryBrokerOptions,
  type MemoryIdentity,
  type MemoryWire,
} from './memory-broker.js';
