/** Turns: commands are handled against the memory and committed together. */

export { type Person, audit } from './audit.js';
export { type NewEvent, placeOf, subjectOf, newEvent } from './row-events.js';
export { type Recall, TurnLoop } from './turn-loop.js';
export { Turn } from './turn.js';
export { WorkingState } from './working-state.js';
