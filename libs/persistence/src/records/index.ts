export type { CampaignExtent, CampaignRun, CampaignRunsPart } from './campaign-runs.js';
export { openEventLog, EventLog, type EventLogOptions, type EventPage } from './event-log.js';
export type { LabRecordKind } from './labs.js';
export { conditionOf, logColumns, storedLists } from './lists.js';
export { openRecords, Records, type ListOptions, type RecordsOptions } from './records.js';
export { deliveryRecord, messageIdOf, webhookRecord } from './webhooks.js';
