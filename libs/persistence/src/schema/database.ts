import type { AuditRecord } from '@lab/contracts';
import type { DefinitionRow } from '@lab/engine';
import type {
  AccessTokenRow,
  AgentEnrolmentRow,
  AgentInvitationRow,
  DeliveryRow,
  IdempotencyKeyRow,
  LogLineRow,
  WebhookRow,
} from './gateway-rows.js';
import type { StoredOf } from './table.js';
import type * as tables from './tables.js';

export type StoredCampaign = StoredOf<typeof tables.campaigns>;
export type StoredProtocolRun = StoredOf<typeof tables.protocolRuns>;
export type StoredTaskRun = StoredOf<typeof tables.taskRuns>;
export type StoredAttempt = StoredOf<typeof tables.attempts>;
export type StoredTrial = StoredOf<typeof tables.trials>;
export type StoredAttention = StoredOf<typeof tables.attention>;
export type StoredEmergencyStop = StoredOf<typeof tables.emergencyStops>;
export type StoredDeletion = StoredOf<typeof tables.deletions>;
export type StoredResource = StoredOf<typeof tables.resources>;
/** With the columns that the gateway and the trigger of the chain fill. */
export type StoredAudit = StoredOf<typeof tables.audit> &
  Pick<AuditRecord, 'seq' | 'kind' | 'request_id' | 'ip' | 'hash'> & { previous: string };

/** The tables as Kysely reads them. */
export interface Database {
  campaign: StoredCampaign;
  protocol_run: StoredProtocolRun;
  task_run: StoredTaskRun;
  attempt: StoredAttempt;
  trial: StoredTrial;
  allocation: StoredOf<typeof tables.allocations>;
  archive: StoredOf<typeof tables.archive>;
  resource: StoredResource;
  agent: StoredOf<typeof tables.agents>;
  attention: StoredAttention;
  deletion: StoredDeletion;
  legal_hold: StoredOf<typeof tables.legalHolds>;
  emergency_stop: StoredEmergencyStop;
  queue_pause: StoredOf<typeof tables.queuePauses>;
  drain: StoredOf<typeof tables.drains>;
  audit: StoredAudit;
  access_token: AccessTokenRow;
  agent_invitation: AgentInvitationRow;
  agent_enrolment: AgentEnrolmentRow;
  idempotency_key: IdempotencyKeyRow;
  log_line: LogLineRow;
  webhook: WebhookRow;
  webhook_delivery: DeliveryRow;
  definition: { hash: string; kind: DefinitionRow['kind']; body: DefinitionRow['body'] };
}
