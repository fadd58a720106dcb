/** Turns: commands are handled against the memory and committed together. */

export { type Person, audit, auditRequest } from './audit.js';
export { type NewEvent, labsOf, labsOfTask, newEvent, placeOf, subjectOf } from './row-events.js';
export { type Recall, TurnLoop } from './turn-loop.js';
export { Turn } from './turn.js';
export { WorkingState } from './working-state.js';
