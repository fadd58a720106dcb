import { chmod, mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditRecord, DeviceFileRecord, Page, TaskRunRecord } from '@lab/contracts';
import { withoutPython } from '@lab/testkit/python';
import { blocksOf, textOf } from '../tools/test/guide-blocks.js';
import { eventually, isOver } from './api.js';
import { startLab, type Lab } from './lab.js';
import { svc } from './svc.js';

/**
 * The package of the page docs/guide/instrument-files.md, in a whole service, with a vendor's program that writes slowly, renames, writes over
 * its files, writes late and gives names that nobody expects.
 */

const vendor = fileURLToPath(new URL('instrument-files/vendor.mjs', import.meta.url));

let lab: Lab;
let root: string;
let userDir: string;
let results: string;
let named: string;

const labFile = 'plate_lab/laboratories/plate_lab/lab.yml';

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'svc-e2e-instruments-')));
  userDir = join(root, 'packages');
  results = join(root, 'allowed', 'results');
  named = join(root, 'allowed', 'named');
  for (const folder of [results, named]) await mkdir(folder, { recursive: true });
  await writeFile(join(results, 'old.csv'), 'well,od\n');
  const program = async (folder: string): Promise<string> => {
    const path = join(folder, '..', `${folder === named ? 'named' : 'timed'}.sh`);
    await writeFile(
      path,
      `#!/bin/sh\nVENDOR_FOLDER='${folder}' exec '${process.execPath}' '${vendor}' "$1"\n`,
    );
    await chmod(path, 0o755);
    return path;
  };
  const files = blocksOf('', textOf('docs/guide/instrument-files.md')).filter(
    ({ path }) => path !== undefined && !(withoutPython() && path.startsWith('plate_py')),
  );
  for (const { path = '', text } of files) await put(path, text);
  for (const name of ['plate_lab', 'plate_py'])
    await put(`${name}/package.json`, JSON.stringify({ name, type: 'module' }));
  await put(
    'plate_lab/tasks/press/task.yml',
    'type: press\ndesc: Measures, and does not wait\ndevices:\n  reader: {type: plate_reader}\ninput_parameters:\n  sample_id: {type: str, desc: Sample}\n',
  );
  await put(
    'plate_lab/tasks/press/task.ts',
    `import { BaseTask, type TaskResult } from '@lab/sdk';
import type PlateReader from '../../devices/plate_reader/device.js';
export default class Press extends BaseTask<{ reader: PlateReader }, { sample_id: string }> {
  async _execute({ reader }: this['devices'], { sample_id }: { sample_id: string }): Promise<TaskResult> {
    await reader.measure({ sample_id });
    return [{}, {}, {}];
  }
}
`,
  );
  const ways = 'pattern: "*.csv", stable_s: 1, poll_s: 0.3, grace_s: 60';
  await put(
    labFile,
    `name: plate_lab
desc: Plate readers
devices:
  reader:
    type: plate_reader
    computer: svc_computer
    init_parameters: {command: '${await program(results)}'}
    files: {folder: '${results}', ${ways}}
  named:
    type: plate_reader
    computer: svc_computer
    init_parameters: {command: '${await program(named)}'}
    files: {folder: '${named}', ${ways}, name: '^(?<sample_id>[a-z]+-[0-9]+)', afterwards: move}
  forbidden:
    type: plate_reader
    computer: svc_computer
    files: {folder: '${root}', ${ways}}
  without:
    type: plate_reader
    computer: svc_computer
`,
  );
  const config = join(root, 'config.yml');
  await writeFile(config, 'retention: { undo_hours: 0 }\n');
  lab = await startLab(['plate_lab'], {
    userDir,
    env: { SVC_CONFIG: config, SVC_INSTRUMENT_FOLDERS: join(root, 'allowed'), SVC_PROTOCOLS: 'plate' },
  });
  // The agent has seen the folders.
  await eventually(
    () => lab.api.call<{ items: { message: string }[] }>('GET', '/api/logs?device=named&limit=500'),
    ({ body }) => body.items.some(({ message }) => message.includes('is watched')),
  );
});
afterAll(async () => {
  await lab?.stack.dispose();
  if (root !== undefined) await rm(root, { recursive: true, force: true });
});

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(userDir, path)), { recursive: true });
  await writeFile(join(userDir, path), text);
}

async function run(name: string, type: string, device: string, sample: string): Promise<TaskRunRecord> {
  const answer = await lab.api.submit('tasks', {
    ...{ name, type, input_parameters: { sample_id: sample } },
    devices: { reader: { lab_name: 'plate_lab', name: device } },
  });
  expect(answer).toMatchObject({ status: 201 });
  return eventually(() => lab.api.task(name), isOver);
}

async function filesOf(query: string): Promise<DeviceFileRecord[]> {
  return (await lab.api.call<Page<DeviceFileRecord>>('GET', `/api/device-files?${query}`)).body.items;
}

const content = async ({ lab: of, device, id }: DeviceFileRecord): Promise<string> =>
  (await lab.api.call<string>('GET', `/api/labs/${of}/devices/${device}/files/${id}/content`)).body;

describe('a run that waits for a file which a program writes slowly', () => {
  it('gets the whole file, and the next task parses it', async () => {
    await lab.api.submit('protocols', {
      ...{ name: 'slow', type: 'plate', parameters: { measure: { sample_id: 'slow-1' } } },
    });
    const ended = await eventually(() => lab.api.run('slow'), isOver);
    expect(ended).toMatchObject({ state: 'completed' });
    const [measure, parse] = ended.tasks;
    expect(measure?.output_files).toMatchObject([{ name: 'plate.csv', media_type: 'text/csv' }]);
    expect(parse?.output_parameters).toEqual({ wells: 2, mean_od: 0.5 });
    const [file] = await filesOf('protocol_run=slow');
    expect(file).toMatchObject({
      ...{
        path: 'slow-1.csv',
        matched: 'time',
        task: 'measure',
        protocol_run: 'slow',
        computer: 'svc_computer',
      },
      sha256: measure?.output_files[0]?.sha256,
    });
  });
});

describe('a task in Python that waits for a file', () => {
  it.skipIf(withoutPython())('gets it and returns it, as one in TypeScript does', async () => {
    const task = await run('in_python', 'measure_plate', 'reader', 'rename-9');
    expect(task).toMatchObject({ state: 'completed', output_files: [{ name: 'plate.csv' }] });
    expect((await filesOf('task=in_python')).map(({ path }) => path)).toEqual(['rename-9.csv']);
  });
});

describe('a program that', () => {
  it('renames a temporary file gives the file under its final name alone', async () => {
    expect(await run('renamed', 'measure', 'reader', 'rename-1')).toMatchObject({ state: 'completed' });
    expect((await filesOf('task=renamed')).map(({ path }) => path)).toEqual(['rename-1.csv']);
  });

  it('writes over its file gives each task its own version', async () => {
    for (const n of [1, 2]) {
      const task = await run(`over_${n}`, 'measure', 'reader', `over-${n}`);
      expect(task).toMatchObject({ state: 'completed' });
      const [file] = await filesOf(`task=over_${n}`);
      expect(file === undefined ? '' : await content(file)).toBe(`well,od\nA1,${n}\n`);
    }
  });

  it('writes after the task has ended still gives it the file', async () => {
    const task = await run('late', 'press', 'reader', 'late-1');
    expect(task).toMatchObject({ state: 'completed', output_files: [] });
    const [file] = await eventually(
      () => filesOf('task=late'),
      (files) => files.length > 0,
    );
    expect(Date.parse(file?.made_at ?? '')).toBeGreaterThan(Date.parse(task.ended_at ?? ''));
  });

  it('gives names that no system likes loses nothing, and hidden and other files stay', async () => {
    await run('garbage', 'press', 'reader', 'garbage-1');
    const files = await eventually(
      () => filesOf('task=garbage'),
      ({ length }) => length === 2,
    );
    expect(files.map(({ name }) => name).sort()).toEqual(['%FF%FE.csv', 'a_b___.csv']);
    for (const file of files) expect(await content(file)).toContain('A1,0.25');
  });

  it('names its files by the sample gives them to the task of that sample, whatever ran meanwhile', async () => {
    await run('first', 'press', 'named', 'late-7');
    await run('second', 'press', 'named', 'over-8');
    const [file] = await eventually(
      () => filesOf('task=first'),
      ({ length }) => length === 1,
    );
    expect(file).toMatchObject({ path: 'late-7.csv', matched: 'name' });
    await eventually(
      async () => (await readdir(named)).filter((name) => name.endsWith('.csv')),
      ({ length }) => length === 0,
    );
    expect((await readdir(join(named, 'taken'))).sort()).toEqual(['late-7.csv', 'result.csv']);
  });
});

describe('a loose file', () => {
  it('is attached by a person, with an entry in the audit and an event', async () => {
    const [file] = await eventually(
      () => filesOf('device=named&loose=true'),
      ({ length }) => length === 1,
    );
    expect(file).toMatchObject({ path: 'result.csv', task: null });
    const url = { SVC_URL: lab.stack.url };
    const id = file?.id ?? '';
    const said = await svc(
      url,
      'files',
      'attach',
      'plate_lab.named',
      id,
      'second',
      '--reason',
      'no sample id',
      '--by',
      'ada',
    );
    expect(said).toMatchObject({ code: 0, err: '' });
    expect((await filesOf('task=second')).map(({ attached_by: by, reason }) => [by, reason])).toEqual([
      ['ada', 'no sample id'],
    ]);
    const audit = await lab.api.call<Page<AuditRecord>>('GET', '/api/audit?by=ada');
    expect(audit.body.items[0]?.action).toBe(
      'POST /api/labs/{lab_id}/devices/{device_id}/files/{file_id}/attach',
    );
    const events = await lab.api.call<{ items: { type: string }[] }>(
      'GET',
      `/api/events/history?aggregate=device_file/${id}`,
    );
    expect(events.body.items.map(({ type }) => type)).toEqual(['device_file.stored', 'device_file.attached']);
  });

  it('is listed and fetched from the command line', async () => {
    const url = { SVC_URL: lab.stack.url };
    const list = await svc(url, 'files', 'device', 'plate_lab.reader', '--task', 'renamed', '--json');
    const [file] = JSON.parse(list.out) as DeviceFileRecord[];
    const output = join(root, 'fetched.csv');
    const said = await svc(url, 'files', 'fetch', 'plate_lab.reader', file?.id ?? '', '--output', output);
    expect(said).toMatchObject({ code: 0, out: `wrote ${output}\n` });
  });

  it('is removed with its bytes when a person deletes it, and the audit keeps what it was', async () => {
    await writeFile(join(named, 'nobody.csv'), 'well,od\n');
    const [file] = await eventually(
      () => filesOf('device=named&text=nobody&loose=true'),
      ({ length }) => length === 1,
    );
    const id = file?.id ?? '';
    const hasBytes = async (): Promise<boolean> =>
      (await readdir(lab.stack.dataDir, { recursive: true })).some(
        (path) => path.includes('device-files') && path.includes(id),
      );
    expect(await hasBytes()).toBe(true);
    const of = ['plate_lab.named', id];
    const url = { SVC_URL: lab.stack.url };
    const said = await svc(url, 'files', 'delete', ...of, '--reason', 'a test', '--by', 'ada');
    expect(said).toMatchObject({ code: 0, err: '' });
    expect(said.out).toMatch(/nobody\.csv[^]*by +ada[^]*reason +a test/);
    await eventually(
      () => filesOf('device=named&text=nobody'),
      ({ length }) => length === 0,
    );
    await eventually(hasBytes, (there) => !there);
    const late = await svc(url, 'files', 'keep', ...of);
    expect(late).toMatchObject({ code: 3 });
    expect(late.err).toContain('There is no file of the device "plate_lab.named"');
    const audit = await lab.api.call<Page<AuditRecord>>('GET', '/api/audit?action=device_file.remove');
    expect(audit.body.items).toMatchObject([
      { by: 'ada', detail: { path: 'nobody.csv', size: 8, sha256: file?.sha256, reason: 'a test' } },
    ]);
  });
});

describe('a folder', () => {
  it('is not read if its operator has not allowed it, and the task and the log say so', async () => {
    const task = await run('forbidden', 'measure', 'forbidden', 'none-1');
    expect(task.reason).toMatchObject({ code: 'invalid' });
    expect(JSON.stringify(task.reason)).toContain('SVC_INSTRUMENT_FOLDERS');
    const { body } = await lab.api.call<{ items: { message: string }[] }>(
      'GET',
      '/api/logs?device=forbidden',
    );
    expect(body.items.map(({ message }) => message).join('\n')).toContain('does not allow');
  });

  it('that a device does not have fails the task at once', async () => {
    const task = await run('without', 'measure', 'without', 'none-1');
    expect(JSON.stringify(task.reason)).toContain('has no files in lab.yml');
  });

  it('gives nothing that was there before the first look', async () => {
    expect((await filesOf('limit=500')).map(({ path }) => path)).not.toContain('old.csv');
  });
});
