/** Simulations from the current state of a laboratory: estimates of submissions, and what-if questions. */

export { estimate } from './estimate.js';
export { type CurrentState, requirePlayable } from './current-state.js';
export { whatIf } from './what-if.js';
