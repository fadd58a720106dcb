export { claimOf, type Claim } from './claims.js';
export { isObject } from './fields/field.js';
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
export { dependenciesOf, edgesOf, fieldOf, type Dependencies, type Edge } from './graph.js';
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
export { bestSoFar, frontOf, goalsOf, isMeasured, type Goal, type Measured } from './results.js';
export { callsOf, callText, momentOf, type KnownCall, type KnownCalls, type Moment } from './known-calls.js';
export { labsSeen, mayAct, mayActOn, mayActSomewhere, roles, type Role } from './rights.js';
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
export { previewOf, tableOf, plainText, type Preview } from './values.js';
export {
  catalogueOf,
  languageFor,
  languages,
  type Catalogue,
  type Language,
  type WordKey,
} from './words/catalogues.js';
export { Words } from './words/words.js';
export {
  byTask,
  csvOf,
  dynamicFieldsOf,
  dynamicParametersOf,
  tableOfRuns,
  taskFormOf,
  valuesOf,
  workKinds,
  type Slot,
  type TaskForm,
  type WorkKind,
} from './submissions.js';
export {
  barAt,
  holdsOf,
  type Hold,
  barOf,
  groupings,
  latenessOf,
  rowsOf,
  ticksOf,
  type GanttBar,
  type GanttRow,
  type Grouping,
  type Span,
} from './gantt.js';
export {
  blockersOf,
  concernsUnit,
  membersOf,
  moves,
  placeReasonOf,
  placeWith,
  priorityAfter,
  priorityLimits,
  scopesOf,
  taskOf,
  workScopes,
  type Blocker,
  type Competitor,
  type Move,
  type PlaceAmongOthers,
  type PlaceReason,
  type WorkScope,
} from './queue.js';
export {
  declaredMetaOf,
  metaChanges,
  metaFieldsOf,
  metaPatch,
  metaTextsOf,
  type Meta,
  type MetaChange,
} from './meta.js';
export {
  benchPath,
  drawCode,
  labelServerOf,
  type CodeDrawing,
  type Labelled,
  type LabelServer,
} from './labels.js';
export { workFilterOf, type WorkFilter } from './work-filter.js';
export { runtimeFieldsOf } from './settings.js';
export { criticalChain, type ChainPart, type TimedTask } from './critical-chain.js';
export { joinedWindow, partToRead, type ScheduleWindow } from './schedule-window.js';
export { PlanChains, type ChainBar, type ChainCause } from './plan-chain.js';
export { linesOf, type ChainLine } from './chain-lines.js';
export { scheduleMinutes, scheduleViewOf, type ScheduleView } from './schedule-view.js';
export {
  quotaSize,
  roomStateOf,
  roomTone,
  usageKinds,
  usageOf,
  type RoomState,
  type UsageKind,
  type Used,
} from './usage.js';
