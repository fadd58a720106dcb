/** Simulations of a scenario: work that is submitted to an empty laboratory. */

export { defaultMaxTasks, simulate } from './simulate.js';
