export type { AcquisitionChoice, AcquisitionFunction, AcquisitionProblem } from './acquisition.js';
export { nonDominatedBoxes, type Boxes } from './boxes.js';
export { acquisitionFunction } from './create.js';
export { defaultReference, hypervolume, paretoFront } from './pareto.js';
export { maximise, type Maximum, type MaximiseOptions } from './maximise.js';
