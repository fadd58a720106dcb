export { isTriedOut, MayBeTriedOut, readDryRun } from './dry-run.js';
export { DtoPipe } from './dto-pipe.js';
export {
  invalidQuery,
  limitFault,
  lookupName,
  readArguments,
  readFlag,
  readLimit,
  readListQuery,
  readQuery,
  readScheduleQuery,
  refuseBody,
  usualSchedule,
} from './request-input.js';
