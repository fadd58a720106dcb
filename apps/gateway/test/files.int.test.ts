import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FileTickets, openFileStore, taskFileKey, type FileStore } from '@lab/object-store';
import type { Surroundings } from '../src/app.module.js';
import { startServer, type RunningServer } from '../src/server.js';
import { MemoryKeys } from './memory-keys.js';
import { MemoryLines } from './memory-lines.js';
import {
  MemoryDeviceFiles,
  memoryLog,
  MemoryAnnouncements,
  MemoryEvents,
  ScriptedRequests,
  taskRecord,
} from './twins.js';
import { MemoryRecords } from './memory-records.js';
import { openAccess } from './memory-access.js';
import { idleWebhooks } from './memory-webhooks.js';
import { noEnrolment } from './memory-enrolments.js';

let files: FileStore;
let folder: string;
let records: MemoryRecords;
let gateway: RunningServer;
const log = memoryLog();

const surroundings = (): Surroundings => ({
  requests: new ScriptedRequests(),
  announcements: new MemoryAnnouncements(),
  broker: { trouble: () => Promise.resolve(undefined) },
  records,
  events: new MemoryEvents(),
  lines: new MemoryLines(),
  files,
  deviceFiles: new MemoryDeviceFiles(),
  keys: new MemoryKeys(),
  ...openAccess(log),
  ...idleWebhooks(log),
  ...noEnrolment(),
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-files-'));
  files = await openFileStore({ folder, publicUrl: 'http://127.0.0.1:1', secret: 's'.repeat(32) });
  records = new MemoryRecords();
  gateway = await startServer(surroundings(), { host: '127.0.0.1', port: 0, log });
});

afterAll(async () => {
  await gateway?.close();
  await rm(folder, { recursive: true, force: true });
});

describe('an input file of a task', () => {
  const content = Buffer.alloc(100_000, 'numbers\n');
  const sha256 = createHash('sha256').update(content).digest('hex');
  const key = taskFileKey('t1', 2, 'numbers.txt');
  const grant = { key, size: content.length, sha256, expiresInMs: 60_000 };
  const tickets = new FileTickets({ publicUrl: 'http://127.0.0.1:1', secret: 's'.repeat(32) });
  const fetched = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${gateway.url}${path}`, { headers });

  it('is downloaded with a ticket, whole or from a given byte', async () => {
    await files.put(
      key,
      (async function* () {
        yield content;
      })(),
    );
    const path = new URL(tickets.downloadTicket(grant).url).pathname;
    const whole = await fetched(path);
    expect(whole.status).toBe(200);
    expect(Buffer.from(await whole.arrayBuffer()).equals(content)).toBe(true);
    const rest = await fetched(path, { range: 'bytes=90000-', 'if-range': `"${sha256}"` });
    expect([rest.status, rest.headers.get('content-range')]).toEqual([206, 'bytes 90000-99999/100000']);
    expect(Buffer.from(await rest.arrayBuffer()).equals(content.subarray(90_000))).toBe(true);
  });

  it('is not found when it is missing, and is refused without a ticket or with a ticket for an upload', async () => {
    const gone = tickets.downloadTicket({ ...grant, key: taskFileKey('t1', 1, 'numbers.txt') });
    const missing = await fetched(new URL(gone.url).pathname);
    expect([missing.status, ((await missing.json()) as { code: string }).code]).toEqual([404, 'not_found']);
    const upload = new URL((await tickets.uploadTicket(grant)).url).pathname;
    for (const path of [upload.replace('uploads', 'downloads'), '/api/downloads/none']) {
      const refused = await fetched(path);
      expect(refused.status).toBe(403);
      // The token is a key to a file.
      expect(await refused.json()).toMatchObject({ code: 'forbidden', instance: '/api/downloads' });
    }
  });
});

describe('a file', () => {
  const content = Buffer.alloc(300_000, 'spectrum\n');
  const sha256 = createHash('sha256').update(content).digest('hex');
  const fileName = 'größe "1".csv';

  async function ticket(key: string): Promise<string> {
    const { url } = await files.uploadTicket({ key, size: content.length, sha256, expiresInMs: 60_000 });
    return new URL(url).pathname;
  }

  const upload = (path: string, body: Buffer): Promise<Response> =>
    fetch(`${gateway.url}${path}`, {
      method: 'PUT',
      body: new Uint8Array(body),
      headers: { 'content-type': 'application/octet-stream' },
    });

  it('uploaded with a ticket is downloaded byte for byte, under its name, as an attachment', async () => {
    const task = taskRecord({
      name: 'measure',
      state: 'completed',
      attempt: 1,
      output_files: [{ name: fileName, size: content.length, sha256, media_type: 'text/csv' }],
    });
    records.taskRuns.push(task);
    const path = `/api/tasks/measure/files/${encodeURIComponent(fileName)}`;
    expect((await fetch(`${gateway.url}${path}`)).status).toBe(404);

    const stored = await upload(await ticket(taskFileKey(task.id, 1, fileName)), content);
    expect({ status: stored.status, body: await stored.json() }).toEqual({
      status: 201,
      body: { size: content.length, sha256 },
    });

    const response = await fetch(`${gateway.url}${path}`);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/csv',
      'content-length': String(content.length),
      'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
      'accept-ranges': 'bytes',
      etag: `"${sha256}"`,
      'content-disposition': `attachment; filename="gr__e _1_.csv"; filename*=UTF-8''gr%C3%B6%C3%9Fe%20%221%22.csv`,
      'x-content-type-options': 'nosniff',
    });
    expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true);

    const head = await fetch(`${gateway.url}${path}`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(content.length)]);
  });

  it('that differs from its ticket is refused and not kept', async () => {
    const key = taskFileKey(randomUUID(), 1, 'x');
    const other = Buffer.from(content);
    other[5] = 0;
    expect((await upload(await ticket(key), other)).status).toBe(422);
    expect((await upload(await ticket(key), content.subarray(1))).status).toBe(422);
    await expect(files.get(key)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('without a valid ticket is refused', async () => {
    const path = await ticket(taskFileKey(randomUUID(), 1, 'x'));
    const forged = path.slice(0, -2) + (path.endsWith('AA') ? 'BB' : 'AA');
    for (const wrong of [forged, '/api/uploads/x', '/api/uploads/..%2F..']) {
      const reply = await upload(wrong, content);
      expect(reply.status).toBe(403);
      expect(((await reply.json()) as { instance: string }).instance).toBe('/api/uploads');
    }
  });

  it('leaves nothing when its upload breaks off', async () => {
    const key = taskFileKey(randomUUID(), 1, 'x');
    const path = await ticket(key);
    await new Promise<void>((resolve) => {
      const sending = request(`${gateway.url}${path}`, {
        method: 'PUT',
        headers: { 'content-length': content.length, 'content-type': 'application/octet-stream' },
      });
      sending.once('error', () => resolve());
      sending.write(content.subarray(0, 100_000), () => sending.destroy(new Error('the agent lost power')));
    });
    await expect(files.get(key)).rejects.toMatchObject({ code: 'not_found' });
    expect((await upload(path, content)).status).toBe(201);
    expect(log.lines).toEqual([]);
  });

  it('continues an interrupted upload at the same byte', async () => {
    const key = taskFileKey(randomUUID(), 1, 'x');
    const path = await ticket(key);
    const received = async (): Promise<number> => {
      const { status, headers } = await fetch(`${gateway.url}${path}`, { method: 'HEAD' });
      expect(status).toBe(200);
      return Number(headers.get('upload-offset'));
    };
    expect(await received()).toBe(0);
    const sending = request(`${gateway.url}${path}`, {
      method: 'PUT',
      headers: { 'content-length': content.length, 'content-type': 'application/octet-stream' },
    });
    const gone = new Promise((resolve) => sending.once('error', resolve));
    sending.write(content.subarray(0, 100_000));
    while ((await received()) < 100_000) await new Promise(setImmediate);
    sending.destroy(new Error('the agent lost power'));
    await gone;

    const rest = async (from: number, body: Buffer): Promise<number> => {
      const headers = { 'content-type': 'application/octet-stream', 'upload-offset': String(from) };
      const options = { method: 'PUT', body: new Uint8Array(body), headers };
      return (await fetch(`${gateway.url}${path}`, options)).status;
    };
    expect(await rest(99_999, content.subarray(99_999))).toBe(409);
    expect(await rest(400_000, Buffer.alloc(0))).toBe(422);
    expect(await rest(100_000, content.subarray(100_001))).toBe(422);
    expect(await rest(100_000, content.subarray(100_000))).toBe(201);
    expect(await received()).toBe(content.length);
    expect(await rest(content.length, Buffer.alloc(0))).toBe(201);
    expect(log.lines).toEqual([]);
  });

  it('shows the progress of its upload only with a valid ticket', async () => {
    expect((await fetch(`${gateway.url}/api/uploads/x`, { method: 'HEAD' })).status).toBe(403);
  });

  it('is dropped after the allowed pause when its bytes stop arriving', async () => {
    const hasty = await startServer(surroundings(), {
      host: '127.0.0.1',
      port: 0,
      log,
      limits: { bodyMs: 50 },
    });
    const key = taskFileKey(randomUUID(), 1, 'x');
    const sending = request(`${hasty.url}${await ticket(key)}`, {
      method: 'PUT',
      headers: { 'content-length': content.length, 'content-type': 'application/octet-stream' },
    });
    try {
      const gone = new Promise<void>((resolve) => {
        sending.once('error', () => resolve());
        sending.once('response', (response) => response.resume().once('close', () => resolve()));
      });
      sending.write(content.subarray(0, 1_000));
      await gone;
      await expect(files.get(key)).rejects.toMatchObject({ code: 'not_found' });
    } finally {
      sending.destroy();
      await hasty.close();
    }
  });
});
