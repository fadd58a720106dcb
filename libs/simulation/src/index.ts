export { estimate } from './forecasts/estimate.js';
export { ganttSvg } from './charts/gantt-svg.js';
export { ganttText, type Drawn } from './charts/gantt-text.js';
export type { SimulationPorts } from './laboratory/laboratory.js';
export { defaultMaxTasks, simulate } from './scenarios/simulate.js';
export { requirePlayable, type Present } from './forecasts/present.js';
export { whatIf } from './forecasts/what-if.js';
