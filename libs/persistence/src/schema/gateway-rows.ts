import type { DeliveryRecord, LogLine, TokenRecord, WebhookRecord } from '@lab/contracts';

/** Rows of the tables that only the gateway writes. Their fields are the columns; times are ISO 8601 text. */

/** An access token as it is stored: only its hash, never the token itself. */
export interface AccessTokenRow extends TokenRecord {
  /** SHA-256 of the whole token, hexadecimal. */
  hash: string;
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
