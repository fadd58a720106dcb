import { policyContract } from '../../test/contract.js';
import { inlineSearcher } from './inline-searcher.js';
import { CpsatPolicy } from './policy.js';

const unwanted = (message: string, fields?: Record<string, unknown>): never => {
  throw new Error(`${message}: ${JSON.stringify(fields)}`);
};

policyContract('cpsat', {
  make: (now) =>
    new CpsatPolicy(
      {
        clock: { now },
        searcher: inlineSearcher({ rounds: 40 }),
        exact: null,
        log: { info: () => undefined, warn: unwanted, error: unwanted },
      },
      { time_limit: 5, seed: 1, resolution: 0.1, frozen_window: 10 },
    ),
  tickMs: 100,
  runs: 40,
});
