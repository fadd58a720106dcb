export * from './gateway/index.js';
export {
  deliveryRecord,
  EventLog,
  messageIdOf,
  openEventLog,
  openRecords,
  Records,
  webhookRecord,
  type CampaignExtent,
  type CampaignRun,
  type CampaignRunsPart,
  type EventPage,
  type LabRecordKind,
} from './records/index.js';
export type { AccessTokenRow, DeliveryRow, KeyName, WebhookRow } from './schema/index.js';
export * from './store/index.js';
