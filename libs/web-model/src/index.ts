export {
  emptyText,
  faultsByField,
  fieldFaultCodes,
  fieldsOf,
  readFields,
  textOf,
  type FaultsByField,
  type Field,
  type FieldFault,
  type FieldKind,
  type Texts,
  type Value,
} from './fields/index.js';
export { freshnessOf, type Freshness } from './freshness.js';
export {
  hear,
  isOver,
  noRecords,
  readEvent,
  type Heard,
  type LabEvent,
  type RecordList,
  type Records,
} from './records.js';
export { mayAct, type Role } from './rights.js';
export {
  agentTone,
  deviceTone,
  isWarning,
  progressOf,
  situationOf,
  stopScopeOf,
  tones,
  workTone,
  type Progress,
  type Situation,
  type StopScope,
  type Tone,
} from './situation.js';
export { languageFor, languages, Words, type Language, type WordKey } from './words/words.js';
