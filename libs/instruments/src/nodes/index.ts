export { CallNotes } from './call-notes.js';
export { follow } from './follow.js';
export { fileDeclaration, fileOf, type GivenFile } from './given-file.js';
export { linkShape, optionalText, readLinked, type LinkSettings } from './link-settings.js';
export {
  askJson,
  didNothing,
  isLost,
  isRefusal,
  PeerError,
  type Link,
  type LinkAnswer,
  type LinkRequest,
} from './link.js';
export { LinkRecords } from './link-records.js';
export { beforeStart, nothingDone } from './nothing-done.js';
export { endProcess, OutcomeUnknown, type GiveUp } from './outcome-unknown.js';
export { declarationsOf, literalOf, signatureOf, type PythonParameter } from './python-parameters.js';
export {
  changedFunctions,
  functionChanges,
  type FunctionChange,
  type FunctionChanges,
  type ToldFunction,
} from './told-functions.js';
