import type { DeliveryRecord, LogLine, TokenRecord, WebhookRecord } from '@lab/contracts';

/** Rows of the tables that only the gateway writes. Their fields are the columns; times are ISO 8601 text. */

/** An access token as it is stored: only its hash, never the token itself. */
export interface AccessTokenRow extends TokenRecord {
  /** SHA-256 of the whole token, hexadecimal. */
  hash: string;
  /** Of a session: id of the token with which it began; null: that of an issuer, or this is no session. */
  made_from: string | null;
  /** Of a pipeline: what names the signed token that was exchanged for this one, hashed. */
  exchanged: string | null;
}

/** An idempotency key that a principal gave for one address. */
export interface KeyName {
  principal: string;
  /** Method and path. */
  route: string;
  key: string;
}

export interface IdempotencyKeyRow extends KeyName {
  /** The id that the request gives to what it submits, also when it is repeated. */
  submission_id: string;
  fingerprint: string;
  begun_at: string;
  holder: string;
  held_until: string;
  status: number | null;
  location: string | null;
  body: string | null;
}

/** A log line as it is stored. */
export interface LogLineRow extends LogLine {
  stored_at: string;
  stream: string;
  seq: number;
}

/** A webhook as it is stored. Its secrets are sealed. */
export interface WebhookRow extends Omit<WebhookRecord, 'state'> {
  secret: string;
  previous_secret: string | null;
  /** Id of the process that delivers to the webhook. */
  holder: string;
  held_until: string;
}

/** An event that is sent, or was sent, to a webhook. */
export interface DeliveryRow extends Omit<DeliveryRecord, 'message_id'> {
  /** JSON text, the same in every attempt of a round. */
  body: string;
  /** Rises each time that a delivery which had ended is requested again. An attempt of an earlier round settles nothing. */
  round: number;
}

/** An invitation of a computer as it is stored: only the hash of its secret. */
export interface AgentInvitationRow {
  id: string;
  /** SHA-256 of the secret, hexadecimal. */
  secret_hash: string;
  /** Name of the computer; with `*` for any characters when several may join. */
  computer: string;
  /** The laboratory that must declare the computer; null: any. */
  lab: string | null;
  /** How many computers may join. */
  uses: number;
  used: number;
  needs_approval: boolean;
  created_at: string;
  created_by: string;
  expires_at: string;
  withdrawn_at: string | null;
  withdrawn_by: string | null;
}

/** The agent of a computer that joined. */
export interface AgentEnrolmentRow {
  /** Its public key, in the encoding of NATS. */
  key: string;
  computer: string;
  invitation_id: string;
  /** Address from which it joined. */
  address: string;
  version: string;
  joined_at: string;
  /** Null: an administrator has not approved it yet. */
  approved_at: string | null;
  approved_by: string | null;
  /** End of its present credentials. */
  valid_until: string | null;
  revoked_at: string | null;
  revoked_by: string | null;
  /** Why it was revoked. */
  reason: string | null;
}
