/** Doubles of the engine's ports and builders of its rows, for tests. */
export { MemoryAgents, type Delivery, type Execution, type LabSide } from './memory-agents.js';
export { MemoryDefinitions } from './memory-definitions.js';
export { MemoryOptimizers, type MemorySession, type OptimizerCall } from './memory-optimizers.js';
export { MemoryStore, type StoredEvent } from './memory-store.js';
export { SequentialIds } from './sequential-ids.js';
export { newTaskRun } from '../rows/index.js';
