export {
  answered,
  databaseError,
  givenUp,
  isRefusal,
  rowsOf,
  staleEpoch,
  unavailable,
  wrongState,
} from './database-errors.js';
export { isoTime, openDatabase, type DatabaseOptions, type OpenDatabase } from './open-database.js';
