export { addedFunctions, functionEntry, readSettings, type FunctionEntry } from './settings/index.js';
