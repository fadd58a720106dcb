export * from './gateway/index.js';
export * from './records/index.js';
export type {
  AccessTokenRow,
  AgentEnrolmentRow,
  AgentInvitationRow,
  DeliveryRow,
  KeyName,
  SchemaState,
  WebhookRow,
} from './schema/index.js';
export * from './store/index.js';
