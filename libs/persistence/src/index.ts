export * from './gateway/index.js';
export * from './records/index.js';
export type {
  AccessTokenRow,
  AgentEnrolmentRow,
  AgentInvitationRow,
  DeliveryRow,
  KeyName,
  WebhookRow,
} from './schema/index.js';
export * from './store/index.js';
