import { describe } from 'vitest';
import { setUpBench, type BrokerUnderTest } from './contract/bench.js';
import { checksContract } from './contract/checks.js';
import { lifecycleContract } from './contract/lifecycle.js';
import { requestsContract } from './contract/requests.js';

/** The guarantees of every implementation of the bus. */
export function busContract(name: string, makeBroker: () => Promise<BrokerUnderTest>): void {
  describe(`a bus over ${name}`, () => {
    const bench = setUpBench(makeBroker);
    requestsContract(bench);
    checksContract(bench);
    lifecycleContract(bench);
  });
}
