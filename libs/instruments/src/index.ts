export { replaceFile } from './durable/index.js';
export { addedFunctions, functionEntry, readSettings, type FunctionEntry } from './settings/index.js';
