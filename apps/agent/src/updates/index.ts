export { platformHere } from './choice.js';
export { UpdatesFromService, updateModes, type UpdateMode } from './from-service.js';
export { update, type Outcome, type Stage, type UpdateOptions } from './update.js';
