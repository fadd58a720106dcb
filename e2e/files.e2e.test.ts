import { createHash } from 'node:crypto';
import { access, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TaskRunRecord } from '@lab/contracts';
import { startS3Server, type S3Server } from '../libs/object-store/test/s3-server.js';
import { eventually, isOver } from './api.js';
import { startLab, type Lab } from './lab.js';
import { svc } from './svc.js';

/** Specification, line 19: files produced by tasks are in an object store, and users can download them. */

let lab: Lab;
let server: S3Server;
let client: S3Client;
let folder: string;
let task: TaskRunRecord;
/** When the task had ended, in milliseconds since 1970. */
let ended: number;
let env: Record<string, string> = {};

const bucket = 'laboratory-files';
const backupBucket = 'laboratory-backup';
/** Larger than one part of an upload. */
const kilobytes = 20_000;

beforeAll(async () => {
  server = await startS3Server();
  const { endpoint, accessKeyId, secretAccessKey } = server;
  client = new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  });
  for (const Bucket of [bucket, backupBucket]) await client.send(new CreateBucketCommand({ Bucket }));
  folder = await mkdtemp(join(tmpdir(), 'svc-e2e-files-'));
  const { out: recipient } = await svc({}, 'backup', 'key', '--out', join(folder, 'key.txt'));
  const at = `endpoint: ${endpoint}\n  path_style: true\n`;
  await writeFile(
    join(folder, 'config.yml'),
    `files:\n  store: s3\n  bucket: ${bucket}\n  ${at}` +
      `backup:\n  to: s3://${backupBucket}\n  recipient: ${recipient.trim()}\n  ${at}`,
  );
  env = {
    SVC_CONFIG: join(folder, 'config.yml'),
    SVC_S3_ACCESS_KEY_ID: accessKeyId,
    SVC_S3_SECRET_ACCESS_KEY: secretAccessKey,
    SVC_BACKUP_S3_ACCESS_KEY_ID: accessKeyId,
    SVC_BACKUP_S3_SECRET_ACCESS_KEY: secretAccessKey,
  };
  lab = await startLab(['multiplication_lab'], { env });
  const answer = await lab.api.submit('tasks', {
    name: 'files',
    type: 'write_file',
    input_parameters: { text: 'Grüße', kilobytes },
  });
  expect(answer.status).toBe(201);
  task = await eventually(() => lab.api.task('files'), isOver);
  ended = Date.now();
});
afterAll(async () => {
  await lab?.stack.dispose();
  client?.destroy();
  await server?.close();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

describe('files of a task in a bucket', () => {
  it('are complete in the bucket and exist nowhere else', async () => {
    expect(task).toMatchObject({ state: 'completed', reason: null });
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
    expect(Contents.map(({ Size = 0 }) => Size).sort((a, b) => a - b)).toEqual(
      task.output_files.map(({ size }) => size).sort((a, b) => a - b),
    );
    await expect(access(join(lab.stack.dataDir, 'files'))).rejects.toThrow();
  });

  it('leave nothing on the computer of the task, whose scratch folder held one of them', async () => {
    const spool = join(lab.stack.dataDir, 'agents', 'svc_computer', 'spool');
    await expect.poll(() => readdir(spool)).toEqual([]);
  });

  it('are downloaded as the record describes them, also in parts', async () => {
    const large = task.output_files.find(({ name }) => name === 'large.bin');
    const address = `${lab.stack.url}/api/tasks/files/files/large.bin`;
    const whole = Buffer.from(await (await fetch(address)).arrayBuffer());
    expect(whole.length).toBe(kilobytes * 1024);
    expect(createHash('sha256').update(whole).digest('hex')).toBe(large?.sha256);
    const rest = await fetch(address, {
      headers: { range: 'bytes=9000000-', 'if-range': `"${large?.sha256}"` },
    });
    expect(rest.status).toBe(206);
    expect(Buffer.from(await rest.arrayBuffer()).equals(whole.subarray(9_000_000))).toBe(true);
  });

  it('are downloaded as one archive', async () => {
    const response = await fetch(`${lab.stack.url}/api/tasks/files/files.zip`);
    const length = Number(response.headers.get('content-length'));
    expect(response.status).toBe(200);
    expect((await response.arrayBuffer()).byteLength).toBe(length);
    expect(length).toBeGreaterThan(kilobytes * 1024);
  });
});

describe('a backup in a bucket', () => {
  it('is made, is verified without the files that are in a bucket of their own, and says so', async () => {
    // The whole copy begins with the service, and the records of the task may follow it.
    const listed = await eventually(
      () => svc(env, 'backup', 'list'),
      ({ code, out }) => code === 0 && Date.parse(/ to (\S+ \S+Z)/.exec(out)?.[1] ?? '') > ended,
    );
    expect(listed.out).toMatch(/^from \S+ \S+Z to \S+ \S+Z\n {2}whole copy of /);
    const { out, code, err } = await svc(
      env,
      ...['backup', 'verify', '--key', join(folder, 'key.txt'), '--in', join(folder, 'verified')],
    );
    expect([code, err]).toEqual([0, expect.not.stringContaining('not in the backup')]);
    expect(out).toContain('1 task runs');
    expect(out).toContain('files of tasks are in a bucket, and not in this backup');
  });
});
