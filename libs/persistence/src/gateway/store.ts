import { type DatabaseOptions, openDatabase } from '../connection/index.js';
import { AuditTrail } from './audit.js';
import { IdempotencyKeys } from './idempotency.js';
import { LogLines } from './logs.js';
import { AccessTokens } from './tokens.js';
import { WebhookDeliveries } from './webhook-deliveries.js';
import { Webhooks } from './webhooks.js';

/** Options of {@link openGatewayStore}. By default `poolSize` is 4 and `statementTimeoutMs` is 5000. */
export type GatewayStoreOptions = Pick<DatabaseOptions, 'url' | 'onIdleError'> &
  Partial<Pick<DatabaseOptions, 'poolSize' | 'statementTimeoutMs'>>;

/** The tables that the gateway itself writes: one part per concern, over one small pool. */
export interface GatewayStore {
  readonly tokens: AccessTokens;
  readonly audit: AuditTrail;
  readonly keys: IdempotencyKeys;
  readonly logs: LogLines;
  readonly webhooks: Webhooks;
  readonly deliveries: WebhookDeliveries;
  /** Closes all connections. */
  close(): Promise<void>;
}

/**
 * Opens the store. It connects at the first use. The process that opens the engine's store brings the schema up to
 * date.
 */
export function openGatewayStore({
  poolSize = 4,
  statementTimeoutMs = 5_000,
  ...options
}: GatewayStoreOptions): GatewayStore {
  const { db } = openDatabase({ ...options, poolSize, statementTimeoutMs, applicationName: 'lab-gateway' });
  return {
    tokens: new AccessTokens(db),
    audit: new AuditTrail(db),
    keys: new IdempotencyKeys(db),
    logs: new LogLines(db),
    webhooks: new Webhooks(db),
    deliveries: new WebhookDeliveries(db),
    close: () => db.destroy(),
  };
}
