export type { CampaignExtent, CampaignRun, CampaignRunsPart } from './campaign-runs.js';
export { openEventLog, EventLog, type EventPage } from './event-log.js';
export type { EndedTasksPart } from './ended-tasks.js';
export type { LabRecordKind } from './labs.js';
export { conditionOf, logColumns, storedLists } from './lists.js';
export { openRecords, Records } from './records.js';
export { acceptedTaskRecord } from './shapes.js';
export type { WorkDetail, WorkDetailName } from './work-details.js';
export { deliveryRecord, messageIdOf, webhookRecord } from './webhooks.js';
