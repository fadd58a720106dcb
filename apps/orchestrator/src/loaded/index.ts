export {
  LoadedDefinitions,
  type DrainPurpose,
  type LabVersion,
  type LoadedSet,
} from './loaded-definitions.js';
export { readLoadedRecord, type LoadedRecord } from './loaded-record.js';
