export { ganttSvg } from './gantt-svg.js';
export { ganttText, type Drawn } from './gantt-text.js';
export type { SimulationPorts } from './laboratory.js';
export { defaultMaxTasks, simulate } from './simulate.js';
export { requirePlayable, whatIf, type Present } from './what-if.js';
