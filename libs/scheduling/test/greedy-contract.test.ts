import { policyContract } from './contract.js';
import { GreedyPolicy } from '../src/greedy.js';

policyContract('greedy', { make: () => new GreedyPolicy(), runs: 300 });

const greedy = new GreedyPolicy();
policyContract('greedy, shown everything,', {
  make: () => ({ name: 'greedy', scope: 'all', plan: (snapshot) => greedy.plan(snapshot) }),
  runs: 100,
});
