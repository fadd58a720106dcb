export { simulate, defaultMaxTasks } from './simulate.js';
export type { SimulationPorts } from './laboratory.js';
