export { Digest } from './digest.js';
export { syncFolder } from './sync-folder.js';
export { writeFrom, type WriteOptions } from './write-from.js';
