export { estimate } from './estimate.js';
export { ganttSvg } from './gantt-svg.js';
export { ganttText, type Drawn } from './gantt-text.js';
export type { SimulationPorts } from './laboratory.js';
export { defaultMaxTasks, simulate } from './simulate.js';
export { requirePlayable, type Present } from './present.js';
export { whatIf } from './what-if.js';
