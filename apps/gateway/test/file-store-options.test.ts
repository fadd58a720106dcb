import { Secret } from '@lab/runtime';
import { describe, expect, it } from 'vitest';
import { storeOf } from '../src/file-store-options.js';

const given = {
  dataDir: '/data',
  publicUrl: 'http://127.0.0.1:8070',
  uploadSecret: new Secret('s'.repeat(32)),
  s3AccessKeyId: undefined,
  s3SecretAccessKey: undefined,
};
const s3 = { store: 's3', bucket: 'lab', region: 'eu-central-1', path_style: true } as const;

describe('the store of files', () => {
  it('is the folder of the data unless the configuration says otherwise', () => {
    expect(storeOf({ ...given, files: { store: 'disk' } })).toMatchObject({
      kind: 'disk',
      folder: '/data/files',
    });
  });

  it('is a bucket with the given keys, or without keys', () => {
    const keys = { s3AccessKeyId: new Secret('key'), s3SecretAccessKey: new Secret('secret') };
    expect(storeOf({ ...given, ...keys, files: s3 })).toMatchObject({
      kind: 's3',
      bucket: 'lab',
      pathStyle: true,
      accessKeyId: 'key',
      secretAccessKey: 'secret',
    });
    for (const name of ['s3AccessKeyId', 's3SecretAccessKey'] as const) {
      expect(() => storeOf({ ...given, ...keys, [name]: undefined, files: s3 })).toThrow(
        'SVC_S3_ACCESS_KEY_ID',
      );
    }
  });
});
