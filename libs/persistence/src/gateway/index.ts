export type { AuditEntry } from '@lab/contracts';
export type { DeletionObstacle, DeviceFiles } from './device-files.js';
export type { Applicant, Enrolments, JoinFault, NewInvitation } from './enrolments.js';
export type { FileSweeps, WaitingSweep } from './file-sweeps.js';
export type { IdempotencyKeys, KeptAnswer, KeyState } from './idempotency.js';
export {
  hashOfToken,
  issuePipelineToken,
  issueSession,
  issueToken,
  type IssuerOwner,
  type PipelineToken,
} from './issue-token.js';
export type { LogLines } from './logs.js';
export { openGatewayStore, type GatewayStore } from './store.js';
export type { Packages, StoredActivation, StoredVersion, UploadedPackage } from './packages.js';
export type { Refusals } from './refusals.js';
export type {
  AccessTokens,
  IssuerPerson,
  NewAccessToken,
  ProvenPerson,
  TokenOwner,
  TokenPage,
} from './tokens.js';
export type { AttemptEnd, WebhookDeliveries } from './webhook-deliveries.js';
export type { DeliverableEvent, NewWebhook, WebhookPatch, Webhooks } from './webhooks.js';
