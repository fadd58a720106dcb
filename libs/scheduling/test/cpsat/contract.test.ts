import { policyContract } from '../contract.js';
import { inlineSearcher } from '../../src/cpsat/inline-searcher.js';
import type { Policy } from '../../src/policy.js';
import { CpsatPolicy } from '../../src/cpsat/policy.js';

const unwanted = (message: string, fields?: Record<string, unknown>): never => {
  throw new Error(`${message}: ${JSON.stringify(fields)}`);
};

const cpsat = (now: () => number, atOnce?: number): CpsatPolicy =>
  new CpsatPolicy(
    {
      clock: { now },
      searcher: inlineSearcher({ rounds: 40 }),
      exact: null,
      log: { info: () => undefined, warn: unwanted, error: unwanted },
    },
    { time_limit: 5, seed: 1, resolution: 0.1, frozen_window: 10 },
    atOnce,
  );

/** Runs one step after the other at the same moment, while the starts of earlier steps are carried out. */
function inSteps(policy: CpsatPolicy): Policy {
  return {
    name: policy.name,
    scope: policy.scope,
    plan: (snapshot) => {
      for (;;) {
        const plan = policy.plan(snapshot);
        if (plan.assignments.length > 0 || plan.wakeAt !== snapshot.now + 1) return plan;
      }
    },
    begin: (ask) => policy.begin(ask),
    stop: () => policy.stop(),
  };
}

policyContract('cpsat', { make: cpsat, tickMs: 100, runs: 40 });
policyContract('cpsat in steps', { make: (now) => inSteps(cpsat(now, 0)), runs: 20 });
