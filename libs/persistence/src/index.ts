export { openStore, PostgresStore, type StoreOptions } from './store/postgres-store.js';
export type { KeptAnswer, KeyName, KeyState } from './gateway/idempotency.js';
export { openGatewayStore, type GatewayStore, type GatewayStoreOptions } from './gateway/store.js';
export type { LogLines } from './gateway/logs.js';
export { hashOfToken, issueToken } from './gateway/issue-token.js';
export type { AuditEntry } from './gateway/audit.js';
export type { AccessTokenRow, NewAccessToken, TokenPage } from './gateway/tokens.js';
export {
  deliveryRecord,
  messageIdOf,
  type AttemptEnd,
  type DeliveryRow,
} from './gateway/webhook-deliveries.js';
export {
  webhookRecord,
  type DeliverableEvent,
  type NewWebhook,
  type WebhookPatch,
  type WebhookRow,
} from './gateway/webhooks.js';
export type { LabRecordKind } from './records/labs.js';
export type { CampaignExtent, CampaignRun, CampaignRunsPart } from './records/campaign-runs.js';
export { openRecords, Records, type ListOptions, type RecordsOptions } from './records/records.js';
export { openEventLog, EventLog, type EventLogOptions, type EventPage } from './records/event-log.js';
