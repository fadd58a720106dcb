import { execFile } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mediaTypeOf, type TaskRunRecord } from '@lab/contracts';
import { openFileStore, taskFileKey, type FileStore } from '@lab/object-store';
import { startServer, type RunningServer } from '../src/server.js';
import { MemoryKeys } from './memory-keys.js';
import { MemoryLines } from './memory-lines.js';
import {
  expectProblem,
  memoryLog,
  MemoryAnnouncements,
  MemoryDeviceFiles,
  MemoryEvents,
  campaignRecord,
  runRecord,
  ScriptedRequests,
  send,
  taskRecord,
} from './twins.js';
import { MemoryRecords } from './memory-records.js';
import { openAccess } from './memory-access.js';
import { idleWebhooks } from './memory-webhooks.js';
import { noEnrolment } from './memory-enrolments.js';

const run = promisify(execFile);

let files: FileStore;
let folder: string;
let records: MemoryRecords;
let gateway: RunningServer;
const log = memoryLog();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-downloads-'));
  files = await openFileStore({ folder, publicUrl: 'http://127.0.0.1:1', secret: 's'.repeat(32) });
  records = new MemoryRecords();
  gateway = await startServer(
    {
      requests: new ScriptedRequests(),
      announcements: new MemoryAnnouncements(),
      broker: { trouble: () => Promise.resolve(undefined) },
      records,
      files,
      deviceFiles: new MemoryDeviceFiles(),
      events: new MemoryEvents(),
      lines: new MemoryLines(),
      keys: new MemoryKeys(),
      ...openAccess(log),
      ...idleWebhooks(log),
      ...noEnrolment(),
    },
    { host: '127.0.0.1', port: 0, log },
  );
});

afterAll(async () => {
  await gateway?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Creates a task whose files are stored under these names. */
async function taskWith(
  contents: Record<string, Buffer>,
  given: Partial<TaskRunRecord> = {},
): Promise<TaskRunRecord> {
  const id = randomUUID();
  const output_files = [];
  for (const [name, content] of Object.entries(contents)) {
    const stored = await files.put(taskFileKey(id, 1, name), Readable.from([content]));
    output_files.push({ name, ...stored, media_type: mediaTypeOf(name) });
  }
  return taskRecord({ id, state: 'completed', attempt: 1, output_files, ...given });
}

describe('a part of a file', () => {
  const content = randomBytes(100_000);
  const etag = `"${createHash('sha256').update(content).digest('hex')}"`;
  const path = '/api/tasks/image/files/photo.png';
  const part = (headers: Record<string, string>, method = 'GET'): Promise<Response> =>
    fetch(`${gateway.url}${path}`, { method, headers });

  beforeAll(async () => {
    records.taskRuns.push(
      await taskWith({ 'photo.png': content, empty: Buffer.alloc(0) }, { name: 'image' }),
    );
  });

  it.each([
    ['bytes=0-99', 0, 100],
    ['bytes=50000-', 50_000, 100_000],
    ['bytes=-10', 99_990, 100_000],
    ['bytes=99999-200000', 99_999, 100_000],
  ])('%s is answered with its position', async (range, start, end) => {
    const response = await part({ range, 'if-range': etag });
    expect(response.status).toBe(206);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-range': `bytes ${start}-${end - 1}/100000`,
      'content-length': String(end - start),
      'content-type': 'image/png',
      etag,
    });
    expect(Buffer.from(await response.arrayBuffer()).equals(content.subarray(start, end))).toBe(true);
  });

  it.each<Record<string, string>>([
    { range: 'bytes=0-1,5-6' },
    { range: 'bytes=0-1', 'if-range': '"of another file"' },
    { range: 'pages=1-2' },
  ])('is the whole file for %j', async (headers) => {
    const response = await part(headers);
    expect([response.status, response.headers.get('content-range')]).toEqual([200, null]);
    expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true);
  });

  it('behind the end is refused with the length of the file', async () => {
    const reply = await send(gateway.url, 'GET', path, undefined, { range: 'bytes=100000-' });
    expectProblem(reply, 416, 'range_not_satisfiable');
    expect(reply.headers.get('content-range')).toBe('bytes */100000');
    expect(reply.headers.get('content-disposition')).toBeNull();
  });

  it('does not change the answer to HEAD', async () => {
    const response = await part({ range: 'bytes=0-99' }, 'HEAD');
    expect([response.status, response.headers.get('content-length')]).toEqual([200, '100000']);
  });

  it('of an empty file is refused, and the whole file is not', async () => {
    const empty = `${gateway.url}/api/tasks/image/files/empty`;
    expect((await fetch(empty, { headers: { range: 'bytes=0-' } })).status).toBe(416);
    const whole = await fetch(empty);
    expect([whole.status, whole.headers.get('content-length'), await whole.text()]).toEqual([200, '0', '']);
  });
});

describe('an archive', () => {
  const photo = randomBytes(200_000);
  const table = Buffer.from('x,y\n1,2\n');

  /** Downloads an archive, tests it with another program and returns its contents. */
  async function unpacked(path: string): Promise<Record<string, Buffer>> {
    const response = await fetch(`${gateway.url}${path}`);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/zip');
    expect(response.headers.get('content-length')).toBe(String(bytes.length));
    const zip = join(folder, `${randomUUID()}.zip`);
    await writeFile(zip, bytes);
    const program = `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    assert archive.testzip() is None
    archive.extractall(sys.argv[2])
    print(json.dumps(archive.namelist()))`;
    const target = join(folder, randomUUID());
    const { stdout } = await run('python3', ['-c', program, zip, target]);
    const names = JSON.parse(stdout) as string[];
    return Object.fromEntries(
      await Promise.all(names.map(async (name) => [name, await readFile(join(target, name))] as const)),
    );
  }

  it('has all files of a task and the name of the task', async () => {
    records.taskRuns.push(
      await taskWith(
        { 'photo.png': photo, 'größe.csv': table, empty: Buffer.alloc(0) },
        { name: 'archived' },
      ),
    );
    expect(await unpacked('/api/tasks/archived/files.zip')).toEqual({
      'photo.png': photo,
      'größe.csv': table,
      empty: Buffer.alloc(0),
    });
    const head = await fetch(`${gateway.url}/api/tasks/archived/files.zip`, { method: 'HEAD' });
    expect(head.headers.get('content-disposition')).toBe('attachment; filename="archived.zip"');
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(photo.length);
  });

  it('has all files of a protocol run, with a folder for each task', async () => {
    const tasks = [
      await taskWith({ 'photo.png': photo }, { name: 'image', protocol_run: 'mix_1' }),
      await taskWith({}, { name: 'wash', protocol_run: 'mix_1' }),
      await taskWith({ 'photo.png': table }, { name: 'again', protocol_run: 'mix_1' }),
    ];
    records.runs.push(runRecord({ name: 'mix_1', tasks }));
    expect(await unpacked('/api/protocols/mix_1/files.zip')).toEqual({
      'image/photo.png': photo,
      'again/photo.png': table,
    });
  });

  it('has all files of a campaign, with a folder for each run and task, over any number of pages', async () => {
    records.campaignList.push(campaignRecord({ name: 'sweep' }));
    const photos = [await taskWith({ 'photo.png': photo }, {}), await taskWith({ 'photo.png': table }, {})];
    const others = Array.from({ length: 600 }, () => taskWith({ 'x.csv': table }, {}));
    const named = [...photos, ...(await Promise.all(others))].map((task, nth) => ({ task, nth }));
    for (const { task, nth } of named) {
      const [file = expect.fail('the task has no file')] = task.output_files;
      records.files.push({
        ...file,
        task_run_id: task.id,
        task: 'image',
        type: task.type,
        protocol_run: `sweep_run_${nth + 1}`,
        campaign: 'sweep',
        owner: 'ada',
        attempt: task.attempt,
        created_at: new Date(1_800_000_000_000 + nth).toISOString(),
      });
    }
    records.files.push({ ...(records.files[0] ?? expect.fail('no file')), campaign: 'other' });
    const contents = await unpacked('/api/campaigns/sweep/files.zip');
    expect(Object.keys(contents).length).toBe(602);
    expect(contents['sweep_run_1/image/photo.png']).toEqual(photo);
    expect(contents['sweep_run_2/image/photo.png']).toEqual(table);
    expect(contents['sweep_run_602/image/x.csv']).toEqual(table);
  });

  it('unpacks only below the chosen folder, and no file overwrites another', async () => {
    const odd = { '..': table, 'a\\b': table, 'a:b': table, A_B: photo, 'end.': table };
    records.taskRuns.push(await taskWith(odd, { name: 'odd' }));
    expect(Object.keys(await unpacked('/api/tasks/odd/files.zip'))).toEqual([
      '__',
      'a_b',
      'a_b~2',
      'A_B~3',
      'end_',
    ]);
  });

  it('without files is empty', async () => {
    records.taskRuns.push(await taskWith({}, { name: 'none' }));
    expect(await unpacked('/api/tasks/none/files.zip')).toEqual({});
  });

  it('of unknown work is not found', async () => {
    for (const path of [
      '/api/tasks/nothing/files.zip',
      '/api/protocols/nothing/files.zip',
      '/api/campaigns/nothing/files.zip',
    ]) {
      expectProblem(await send(gateway.url, 'GET', path), 404, 'not_found');
    }
    expectProblem(await send(gateway.url, 'GET', '/api/protocols/mix_1/files.zip?x=1'), 422, 'invalid');
  });

  it('breaks off when a file is gone, and the log says so', async () => {
    const task = await taskWith({ first: photo, gone: table }, { name: 'broken' });
    await files.delete(taskFileKey(task.id, 1, 'gone'));
    records.taskRuns.push(task);
    const response = await fetch(`${gateway.url}/api/tasks/broken/files.zip`);
    await expect(response.arrayBuffer()).rejects.toThrow();
    expect(JSON.stringify(log.lines)).toContain('the archive of broken broke off');
  });

  it('leaves no file open when the client disconnects', async () => {
    const open = async (): Promise<number> => {
      const numbers = await readdir('/proc/self/fd');
      // A descriptor may be closed meanwhile.
      const targets = numbers.map((number) => readlink(`/proc/self/fd/${number}`).catch(() => ''));
      return (await Promise.all(targets)).filter((target) => target.includes(folder)).length;
    };
    const large = Buffer.alloc(20_000_000, 1);
    records.taskRuns.push(await taskWith({ large }, { name: 'large' }));
    const leaving = get(`${gateway.url}/api/tasks/large/files.zip`);
    const [response] = (await once(leaving, 'response')) as [IncomingMessage];
    await once(response, 'readable');
    expect(await open()).toBe(1);
    leaving.destroy();
    await expect.poll(open, { timeout: 10_000 }).toBe(0);
  });
});
