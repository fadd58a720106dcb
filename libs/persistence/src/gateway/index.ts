export type { AuditEntry } from '@lab/contracts';
export type { Applicant, Enrolments, JoinFault, NewInvitation } from './enrolments.js';
export type { IdempotencyKeys, KeptAnswer, KeyState } from './idempotency.js';
export { hashOfToken, issueToken } from './issue-token.js';
export type { LogLines } from './logs.js';
export { openGatewayStore, type GatewayStore } from './store.js';
export type { AccessTokens, NewAccessToken, TokenPage } from './tokens.js';
export type { AttemptEnd, WebhookDeliveries } from './webhook-deliveries.js';
export type { DeliverableEvent, NewWebhook, WebhookPatch, Webhooks } from './webhooks.js';
