/** The solvers of the orchestrator, which benchmarks measure by themselves. */
export { CpSatSolver } from './solver/cp-sat-solver.js';
export { SearchWorker } from './solver/search-worker.js';
