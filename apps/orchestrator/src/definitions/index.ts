export { definitionRecord, definitionSummaries, labRecords, packageRecords } from './definition-records.js';
export { firstLoad } from './first-load.js';
export { LabLoading } from './lab-loading.js';
export { LoadedDefinitions, type LoadedSet } from './loaded-definitions.js';
export { readLoadedRecord } from './loaded-record.js';
export { Loading } from './loading.js';
export { faultOf, PackageIndex } from './package-index.js';
export { ProtocolLoading } from './protocol-loading.js';
