export { archiveOld } from './archiving.js';
export { pruneEvents } from './event-pruning.js';
