import { join } from 'node:path';
import type { FilesOptions } from '@lab/object-store';
import { acceptedTexts } from '@lab/trust/key-ring';
import type { GatewayConfig } from './config.js';

type Given = Pick<
  GatewayConfig,
  'dataDir' | 'files' | 'publicUrl' | 'uploadSecret' | 's3AccessKeyId' | 's3SecretAccessKey'
>;

/**
 * The options of the configured file store.
 *
 * @throws Error when the configuration chooses S3 without its keys
 */
export function storeOf({
  dataDir,
  files,
  publicUrl,
  uploadSecret,
  s3AccessKeyId,
  s3SecretAccessKey,
}: Given): FilesOptions {
  const what = 'secret for tickets of files (SVC_UPLOAD_SECRET)';
  const tickets = { publicUrl, secret: acceptedTexts(() => uploadSecret.reveal(), what) };
  if (files.store === 'disk') return { kind: 'disk', ...tickets, folder: join(dataDir, 'files') };
  if (s3AccessKeyId === undefined || s3SecretAccessKey === undefined) {
    throw new Error('files.store is s3, so SVC_S3_ACCESS_KEY_ID and SVC_S3_SECRET_ACCESS_KEY must be set');
  }
  const { bucket, endpoint, region, path_style: pathStyle } = files;
  return {
    kind: 's3',
    ...tickets,
    ...{ bucket, endpoint, region, pathStyle },
    accessKeyId: s3AccessKeyId.reveal(),
    secretAccessKey: s3SecretAccessKey.reveal(),
  };
}
