export { addedFunctions, functionEntry, type FunctionEntry } from './function-table.js';
export { readSettings } from './read-settings.js';
