export { agentsOverBus } from './agents-over-bus.js';
export { announceLeadership } from './announcement.js';
export { Leadership, type LeadershipPorts, type Term } from './leadership.js';
export { engineHandlers, engineListeners, type RequestsBesideEngine } from './engine-handlers.js';
export { Lease, storeUnder } from './lease.js';
export { OptimizerDirectory, type OptimizerWorker } from './optimizer-directory.js';
export { optimizersOverBus } from './optimizers-over-bus.js';
export { leaderTimings } from './timings.js';
export { engineUnder, type EngineSurroundings } from './wire-engine.js';
