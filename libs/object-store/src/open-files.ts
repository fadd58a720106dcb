import { openFileStore, type FileStoreOptions } from './file-store.js';
import type { FileStore } from './object-store.js';
import type { S3StoreOptions } from './s3-store.js';

/** The storage of files. */
export type FilesOptions = ({ kind: 'disk' } & FileStoreOptions) | ({ kind: 's3' } & S3StoreOptions);

/**
 * Opens the store of the given kind. The S3 client is loaded only for a bucket.
 *
 * @throws ServiceError `bad_request` for a short secret; `service_unavailable` when folder or bucket cannot be used
 */
export async function openFiles(options: FilesOptions): Promise<FileStore> {
  if (options.kind === 'disk') return openFileStore(options);
  const { openS3Store } = await import('./s3-store.js');
  return openS3Store(options);
}
