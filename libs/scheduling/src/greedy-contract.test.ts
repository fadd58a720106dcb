import { policyContract } from '../test/contract.js';
import { GreedyPolicy } from './greedy.js';

policyContract('greedy', { make: () => new GreedyPolicy(), runs: 400 });
