export { archiveOld } from './archiving.js';
export { CommitWatch } from './commit-watch.js';
export { pruneEvents } from './event-pruning.js';
