export { deleteOldVersions } from './package-versions.js';
export { archiveOld } from './archiving.js';
export { watchBackup } from './backup-watching.js';
export { deleteOld, sweepDeletions } from './deleting.js';
export { CommitWatch } from './commit-watch.js';
export { pruneEvents } from './event-pruning.js';
export { countUsage } from './usage-counting.js';
