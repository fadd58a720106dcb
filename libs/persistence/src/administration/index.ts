export { ownSchema, type SchemaState } from '../schema/index.js';
export { rolesScript } from '../roles/index.js';
export { noteBackup, type NotedBackup } from './backup-state.js';
export { bringUpToDate } from './bring-up-to-date.js';
export {
  beginAnew,
  countRecords,
  recordedDeviceFiles,
  recordedFiles,
  type RecordCounts,
  type RecordedFile,
} from './after-recovery.js';
