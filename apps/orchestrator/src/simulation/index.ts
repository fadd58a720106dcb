export { DryRuns } from './dry-runs.js';
export { Simulations } from './simulations.js';
