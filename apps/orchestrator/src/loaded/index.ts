export { LoadedDefinitions, type LabVersion, type LoadedSet } from './loaded-definitions.js';
export { readLoadedRecord, type LoadedRecord } from './loaded-record.js';
