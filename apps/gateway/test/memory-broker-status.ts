import type { BrokerStatus } from '../src/ports/broker.js';

/** The state of a broker, set by a test. */
export class MemoryBrokerStatus implements BrokerStatus {
  connected = true;
  /** What is wrong while it is not connected. */
  words = 'nats-server at lab-pc:4222 cannot be reached';

  trouble(): Promise<string | undefined> {
    return Promise.resolve(this.connected ? undefined : this.words);
  }
}
