import type { FileStore as StoredFiles } from '@lab/object-store';
import type {
  AccessTokens,
  DeviceFiles,
  Enrolments,
  EventLog,
  IdempotencyKeys,
  LogLines,
  Packages,
  Records,
  Refusals,
  WebhookDeliveries,
  Webhooks,
} from '@lab/persistence';

/**
 * Stores in the database, as Nest injects them. Every method rejects with ServiceError `store_unavailable` when the
 * database does not answer.
 */

/** A class without a body, under which Nest injects an object with the public members of T. */
function port<T>(): abstract new () => Pick<T, keyof T> {
  abstract class Port {}
  return Port as abstract new () => Pick<T, keyof T>;
}

export abstract class RecordReader extends port<Omit<Records, 'ping' | 'close'>>() {}
export abstract class EventReader extends port<Omit<EventLog, 'close'>>() {}
/** Output of tasks and devices. */
export abstract class LogReader extends port<Pick<LogLines, 'extent' | 'after'>>() {}
export abstract class TokenStore extends port<AccessTokens>() {}
export abstract class EnrolmentStore extends port<Enrolments>() {}
/** Packed packages. */
export abstract class PackageStore extends port<Packages>() {}
/** Files of instruments. */
export abstract class DeviceFileStore extends port<Pick<DeviceFiles, 'attach' | 'delete' | 'keep'>>() {}
export abstract class RefusalStore extends port<Refusals>() {}
export abstract class Keys extends port<IdempotencyKeys>() {}
export abstract class WebhookStore extends port<Webhooks>() {}
export abstract class DeliveryStore extends port<WebhookDeliveries>() {}

/** Files that tasks produced. */
export abstract class FileStore extends port<
  Pick<StoredFiles, 'get' | 'received' | 'receive' | 'acceptTicket' | 'acceptDownload'>
>() {}
