import { type DatabaseOptions, openDatabase } from '../connection/index.js';
import { AuditTrail } from './audit.js';
import { DeviceFiles } from './device-files.js';
import { EffectLog } from './effects.js';
import { Enrolments } from './enrolments.js';
import { FileSweeps } from './file-sweeps.js';
import { IdempotencyKeys } from './idempotency.js';
import { LogLines } from './logs.js';
import { Packages } from './packages.js';
import { Refusals } from './refusals.js';
import { AccessTokens } from './tokens.js';
import { WebhookDeliveries } from './webhook-deliveries.js';
import { Webhooks } from './webhooks.js';

export interface GatewayStoreOptions extends DatabaseOptions {
  /** Hours from the request to delete a file to the beginning of its deletion. Default: 24. */
  undoHours?: number;
}

/** The tables that the gateway itself writes: one part per concern, over one small pool. */
export type GatewayStore = ReturnType<typeof openGatewayStore>;

/** Opens the store. It connects at the first use. The engine's store brings the schema up to date. */
export function openGatewayStore({ undoHours = 24, ...options }: GatewayStoreOptions) {
  const { db } = openDatabase(options, 'lab-gateway');
  return {
    tokens: new AccessTokens(db),
    audit: new AuditTrail(db),
    keys: new IdempotencyKeys(db),
    fileSweeps: new FileSweeps(db),
    logs: new LogLines(db),
    effects: new EffectLog(db),
    deviceFiles: new DeviceFiles(db, undoHours),
    enrolments: new Enrolments(db),
    packages: new Packages(db),
    refusals: new Refusals(db),
    webhooks: new Webhooks(db),
    deliveries: new WebhookDeliveries(db),
    close: () => db.destroy(),
  };
}
