export { isArchived, isListed, joinArchive, rootOfRun, rootOfTask } from './archived.js';
export { eventChannel } from './commit-function.js';
export type {
  Database,
  StoredAttempt,
  StoredAttention,
  StoredAudit,
  StoredCampaign,
  StoredEmergencyStop,
  StoredProtocolRun,
  StoredResource,
  StoredTaskRun,
  StoredTrial,
} from './database.js';
export type {
  AccessTokenRow,
  DeliveryRow,
  IdempotencyKeyRow,
  KeyName,
  LogLineRow,
  WebhookRow,
} from './gateway-rows.js';
export { migrate } from './migrate.js';
export { asStorable, isStorable } from './storable-text.js';
export { snakeCase, type Columns, type Stored, type Table } from './table.js';
export * as tables from './tables.js';
