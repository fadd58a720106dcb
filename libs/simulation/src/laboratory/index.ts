/** A simulated laboratory: the real engine on a virtual clock, with simulated agents, optimizers and store. */

export { type Luck, courseOf } from './courses.js';
export type { TaskHistory, UnitSpell } from './history.js';
export { Laboratory, type SimulationPorts } from './laboratory.js';
export { policyOf } from './policies.js';
export { Twins } from './twins.js';
export { runParameters, valuesOf } from './values.js';
