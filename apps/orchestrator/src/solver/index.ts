export { CpSatSolver } from './cp-sat-solver.js';
export { schedulerOf } from './scheduler.js';
export { SearchWorker } from './search-worker.js';
