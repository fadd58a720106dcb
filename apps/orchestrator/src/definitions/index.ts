export { definitionRecord, definitionSummaries, labRecords, packageRecords } from './definition-records.js';
export { firstLoad } from './first-load.js';
export { LabLoading } from './lab-loading.js';
export { Loading, type LoadingParts } from './loading.js';
export { faultOf, PackageIndex } from './package-index.js';
export { ProtocolLoading } from './protocol-loading.js';
