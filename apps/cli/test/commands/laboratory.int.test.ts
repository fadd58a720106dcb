import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditRecord, DrainRecord, EffectRecord, TaskRunRecord } from '@lab/api-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startReceiver, type Receiver } from '../../../gateway/test/receiver.js';
import { rowsOf, startLaboratory, type Laboratory } from './laboratory.js';

/** Commands at a real service with real devices. */

let receiver: Receiver;
let lab: Laboratory;
const svc: Laboratory['svc'] = (...args) => lab.svc(...args);
const json: Laboratory['json'] = (...args) => lab.json(...args);

beforeAll(async () => {
  receiver = await startReceiver();
  lab = await startLaboratory(`webhooks: { allow: [127.0.0.1], http: true, ports: [${receiver.port}] }\n`);
});
afterAll(async () => {
  await lab?.close();
  await receiver?.close();
});

const brittle = { brittle: { lab_name: 'faulty_lab', name: 'brittle' } };

/** Submits a task of the device that fails on request. */
async function misbehave(name: string, mode: string): Promise<void> {
  const task = { name, type: 'misbehave', devices: brittle, input_parameters: { mode } };
  lab.put(`${name}.json`, JSON.stringify(task));
  expect(await svc('submit', `${name}.json`)).toMatchObject({ code: 0, err: '' });
}

const task = async (name: string): Promise<TaskRunRecord | undefined> =>
  (await json<TaskRunRecord[]>('list', 'tasks')).find((each) => each.name === name);

const stateIs = (name: string, state: string) =>
  expect.poll(async () => (await task(name))?.state, { timeout: 20_000 }).toBe(state);

describe('svc upgrade --check', () => {
  it('says that a service of this release has nothing to upgrade, and changes nothing', async () => {
    const { code, out, err } = await svc('upgrade', '--check');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const lines = out.split('\n');
    expect(lines[0]).toMatch(/^from (\d+\.\d+\.\d+) to \1$/);
    const rows = rowsOf({ code, err, out: lines.slice(2, lines.indexOf('', 2)).join('\n') });
    for (const name of ['gateway', 'orchestrator', 'agent svc_computer'])
      expect(rows).toContainEqual([name, expect.stringMatching(/^\d/) as string, 'has this release']);
    expect(rows).toContainEqual(['agent bench_b', '-', 'not known: it has not been heard']);
    expect(out).toContain('tables: they are up to date');
    expect(lines.at(-1)).toBe('nothing to upgrade');
  });

  it('upgrades nothing without --check', async () => {
    expect(await svc('upgrade')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--check') as string,
    });
  });
});

describe('svc drain', () => {
  it('lets work that has begun go on, lets nothing begin, and tells what has not ended', async () => {
    await misbehave('drained', 'long_step');
    await stateIs('drained', 'running');
    try {
      const begun = await svc('drain', '--by', 'ada');
      expect(begun).toMatchObject({ code: 0, err: '' });
      const [first, header, ...rest] = begun.out.split('\n');
      expect(first).toMatch(
        /^drained by ada since \d{4}-\d\d-\d\d \S+Z: nothing new begins until svc drain --end$/,
      );
      expect(header).toMatch(/^NOT ENDED +STATE +SINCE +RUNS$/);
      expect(rest).toEqual([expect.stringMatching(/^drained +running +.*drained on svc_computer since/)]);
      expect((await svc('queue')).out).toMatch(/^drained by ada since .*svc drain --end$/m);

      const waited = await svc('drain', '--wait', '--timeout', '0.6');
      expect(waited.code).toBe(3);
      expect(waited.err.split('\n')).toEqual([
        '1 to end: drained (running)',
        'NOT DRAINED: 1 have begun and have not ended after 0.6 s.',
      ]);

      await misbehave('waits', 'not_at_all');
      expect((await task('waits'))?.state).toBe('queued');
      expect(await svc('cancel', 'task', 'drained')).toMatchObject({ code: 0 });
      const over = await svc('drain', '--wait');
      expect(over.code).toBe(0);
      expect(over.out.split('\n')[1]).toBe('everything that has begun has ended');
      expect(await json<DrainRecord>('drain')).toMatchObject({ draining: true, drained: true });
      expect((await task('waits'))?.state).toBe('queued');
    } finally {
      const { out } = await svc('drain', '--end');
      expect(out.split('\n')[0]).toBe('not drained: work may begin');
    }
    await stateIs('waits', 'completed');
  });

  it('of a campaign keeps only its runs from beginning', async () => {
    const parameters = [{ wait: { seconds: 0 } }];
    const campaign = { protocol: 'slow_multiplication', max_protocol_runs: 1 };
    lab.put(
      'swept.json',
      JSON.stringify({ name: 'swept', ...campaign, protocol_run_parameters: parameters }),
    );
    expect(await svc('queue', 'pause')).toMatchObject({ code: 0 });
    try {
      expect(await svc('submit', 'swept.json')).toMatchObject({ code: 0, err: '' });
      const { out } = await svc('drain', '--campaign', 'swept', '--by', 'ada');
      expect(out).toMatch(
        /^drained by ada since .*: no run of swept begins until svc drain --campaign swept --end\n/,
      );
      expect((await svc('queue')).out).not.toContain('drained');
      expect((await svc('drain', '--campaign', 'swept', '--end')).out).toMatch(
        /^not drained: work may begin/,
      );
    } finally {
      await svc('queue', 'resume');
    }
    expect(await svc('watch', 'campaign', 'swept')).toMatchObject({ code: 0 });
    const [row] = rowsOf(await svc('list', 'campaigns'));
    expect(row?.slice(0, 4)).toEqual(['swept', 'slow_multiplication', 'completed', '1/1']);
  });

  it.each([
    [['--end', '--wait'], 2, '--wait waits for the end of the work; leave it out with --end'],
    [['--wait', '--timeout', 'long'], 2, '--timeout must be a number of seconds above 0, not "long"'],
    [['now'], 2, 'too many arguments'],
    [['--campaign', 'none'], 3, 'none'],
    [['--campaign', 'none', '--end'], 3, 'none'],
  ])('refuses %j with the exit code %i, and drains nothing', async (args, code, reason) => {
    expect(await svc('drain', ...args)).toMatchObject({
      ...{ code, out: '', err: expect.stringContaining(reason) as string },
    });
    expect((await svc('queue')).out).not.toContain('drained by');
  });
});

describe('svc agent rollout', () => {
  it('says that there was none, and why no computer can be updated', async () => {
    expect(await svc('agent', 'rollout')).toMatchObject({
      ...{ code: 3, out: '', err: expect.stringContaining('there was no rollout; start one with') as string },
    });
    const started = await svc('agent', 'rollout', 'start', '--to', '9.9.9', '--reason', 'release');
    expect(started).toMatchObject({ code: 3, out: '' });
    expect(started.err).toMatch(
      /No computer can be updated to 9\.9\.9\..* svc_computer: its computer did not join with an invitation/,
    );
  });

  it.each([
    [['start', '--to', '1.0.0'], "required option '--reason <text>' not specified"],
    [
      ['start', '--to', '1.0.0', '--reason', 'x', '--settle', 'soon'],
      '"soon" is no duration: write 90s, 10m',
    ],
  ])('refuses %j', async (args, reason) => {
    expect(await svc('agent', 'rollout', ...args)).toMatchObject({
      ...{ code: 2, out: '', err: expect.stringContaining(reason) as string },
    });
  });
});

describe('svc effects, audit and code', () => {
  it('show a call of a person, and what became of it', async () => {
    expect(await svc('rpc', 'faulty_lab', 'brittle', 'step', '--by', 'eve')).toMatchObject({ code: 0 });
    const failed = await svc('rpc', 'faulty_lab', 'brittle', 'fail', '{"message":"jammed"}', '--by', 'eve');
    expect(failed).toMatchObject({ code: 3, err: expect.stringContaining('jammed') as string });
    await expect
      .poll(async () => (await json<EffectRecord[]>('effects', '--person', 'eve')).length, {
        timeout: 10_000,
      })
      .toBe(2);
    const [step, fail] = await json<EffectRecord[]>('effects', '--person', 'eve');
    const rows = rowsOf(await svc('effects', '--person', 'eve'));
    expect(rows.map((row) => row.slice(2))).toEqual([
      ['faulty_lab.brittle', 'step {"seconds":0}', 'eve', step?.state],
      ['faulty_lab.brittle', 'fail {"message":"jammed"}', 'eve', fail?.state],
    ]);
    const shown = await svc('effects', step?.id ?? '');
    expect(shown.out).toMatch(/^faulty_lab\.brittle: step \{"seconds":0\}\n {2}state +\w+\n {2}began +/);
    expect(shown.out).toMatch(/\n {2}by +eve\n {2}result +\{"steps":\d+\}\n {2}computer +svc_computer\n/);
    expect(shown.out).toMatch(/\n {2}package +faulty_lab 1\.0\.0\n/);
    expect((await svc('effects', fail?.id ?? '')).out).toMatch(
      /\n {2}error +\w+: .*jammed.* \(effect \w+\)\n/,
    );
    const later = ['--since', new Date(Date.now() + 60_000).toISOString()];
    expect((await svc('effects', '--person', 'eve', ...later)).out).toBe(
      `no calls, person eve, since ${later[1]}`,
    );
    expect(await json<EffectRecord[]>('effects', '--person', 'eve', '--limit', '1')).toMatchObject([
      { id: fail?.id },
    ]);
    expect(await svc('effects', 'unknown-id')).toMatchObject({ code: 3, out: '' });
    expect(await svc('effects', '--device', 'brittle')).toMatchObject({ code: 2 });
  });

  it('show the code of a call of a task, as it was bundled from its package', async () => {
    await misbehave('stepped', 'not_at_all');
    await stateIs('stepped', 'completed');
    await expect
      .poll(async () => (await json<EffectRecord[]>('effects', '--task', 'stepped')).length, {
        timeout: 10_000,
      })
      .toBe(1);
    const around = new Date().toISOString();
    const device = ['--device', 'faulty_lab.brittle', '--around', around];
    const [call] = await json<EffectRecord[]>('effects', '--task', 'stepped', ...device);
    expect(call).toMatchObject({ function: 'step', task: 'stepped', person: null });
    const { code, out } = await svc('code', call?.code_hash ?? '');
    expect(code).toBe(0);
    expect(out).toMatch(/^\/\/ faulty_lab 1\.0\.0, first loaded \d{4}-\d\d-\d\d \S+Z\n/);
    expect(out).toContain('Counts a step');
    expect(await svc('code', 'f'.repeat(64))).toMatchObject({ code: 3, out: '' });
  });

  it('show the acts of a person by kind and subject', async () => {
    await svc('queue', 'pause', '--by', 'kim');
    await svc('queue', 'resume', '--by', 'kim');
    const acts = await json<AuditRecord[]>('audit', '--person', 'kim');
    expect(acts.map(({ action }) => action)).toEqual(expect.arrayContaining(['queue.pause', 'queue.resume']));
    const rows = rowsOf(await svc('audit', '--person', 'kim', '--action', 'queue.pause', '--limit', '1'));
    expect(rows.map((row) => row.slice(1, 3))).toEqual([['kim', 'queue.pause']]);
    expect((await svc('audit', '--person', 'nobody', '--until', '23:59:59')).out).toBe('no acts');
    expect(await svc('audit', '--since', 'yesterday')).toMatchObject({ code: 2 });
  });
});

describe('svc attention', () => {
  it('asks a person about a failed task if its policy says so, and takes the outputs from a file', async () => {
    const parameters = { trouble: { mode: 'throw' } };
    const policy = { trouble: { on_failure: 'ask' } };
    lab.put(
      'asks.json',
      JSON.stringify({ name: 'asks', type: 'mishap', parameters, failure_policy: policy }),
    );
    expect(await svc('submit', 'asks.json')).toMatchObject({ code: 0, err: '' });
    const subjects = async () => rowsOf(await svc('attention')).map(([subject]) => subject?.trim());
    await expect.poll(subjects, { timeout: 20_000 }).toContain('asks/trouble');
    const shown = await svc('attention', 'asks/trouble');
    expect(shown.out).toMatch(/^task asks\/trouble: open\n {2}id +\S+\n {2}since +/);
    expect(shown.out).toMatch(/\n {2}why +.*told to throw/);
    lab.put('outputs.json', JSON.stringify({ output_parameters: { steps: 'many' } }));
    const resolve = ['attention', 'resolve', 'asks/trouble', '--note', 'looked', '--by', 'ada'];
    const wrong = await svc(...resolve, '--action', 'completed', '--outputs', 'outputs.json');
    expect(wrong).toMatchObject({
      code: 3,
      err: expect.stringContaining('output_parameters.steps') as string,
    });
    lab.put('outputs.json', JSON.stringify({ output_parameters: { steps: 2 } }));
    expect(await svc(...resolve, '--action', 'completed', '--outputs', 'outputs.json')).toEqual({
      ...{ code: 0, out: 'asks/trouble: completed', err: '' },
    });
    expect(await svc('watch', 'protocol', 'asks')).toMatchObject({ code: 0 });
    const all = rowsOf(await svc('attention', 'list', '--all'));
    const resolved = all.find(([subject]) => subject === 'asks/trouble');
    expect(resolved?.[3]).toBe('completed');
    const id = resolved?.[4] ?? '';
    expect((await svc('attention', 'show', id)).out).toMatch(
      /^task asks\/trouble: resolved\n[\s\S]*\n {2}resolved +completed, by ada at .*\n {2}note +looked\n/,
    );
    expect((await svc('attention')).out).toBe('nothing needs attention');
    expect(await svc('retry', 'asks/trouble')).toMatchObject({ code: 3 });
  });
});

describe('svc estop', () => {
  it('stops the devices of a laboratory, lists the stop and releases it', async () => {
    const stopped = await svc(
      ...['estop', '--lab', 'faulty_lab', '--reason', 'spill', '--by', 'ada', '--wait'],
    );
    expect([stopped.code, stopped.err]).toEqual([0, '']);
    const [, id = ''] = /^stopped: lab:faulty_lab \((\S+)\)\n/.exec(stopped.out) ?? [];
    expect(rowsOf({ ...stopped, out: stopped.out.split('\n').slice(1).join('\n') })).toEqual([
      ['faulty_lab.brittle', 'svc_computer', 'stopped'],
    ]);
    const [listed] = rowsOf(await svc('estop', 'list'));
    expect([listed?.[0], listed?.[2], listed?.[3], listed?.at(-1)]).toEqual([
      ...['lab:faulty_lab', 'ada', 'spill', id],
    ]);
    expect((await svc('list', 'devices')).out).toMatch(/^faulty_lab\.brittle .*spill/m);
    expect(await svc('estop', 'release', id, '--by', 'ada')).toEqual({
      ...{ code: 0, out: `released: lab:faulty_lab (${id})`, err: '' },
    });
    expect((await svc('estop', 'release')).out).toBe('no stop is in force');
    expect((await svc('estop', 'list')).out).toBe('no stop is in force');
    expect((await svc('estop', 'list', '--all')).out).toMatch(/released|by ada/i);
  });

  it('says that a device of a computer without an agent may be moving', async () => {
    const args = ['estop', '--lab', 'multiplication_lab', '--wait', '--timeout', '0.3'];
    try {
      const { code, out, err } = await svc(...args);
      expect(code).toBe(3);
      expect(out).toMatch(/^stop sent: lab:multiplication_lab /);
      expect(out).toMatch(/^multiplication_lab\.multiplier_a +svc_computer +stopped$/m);
      expect(out).toMatch(/^multiplication_lab\.multiplier_b +bench_b +not_reached/m);
      expect(err).toMatch(/NOT CONFIRMED: 1 of 2 devices\. Use the hardware switch/);
    } finally {
      await svc('estop', 'release');
    }
    expect(await svc('estop', '--lab', 'nowhere')).toMatchObject({
      ...{ code: 3, out: '', err: expect.stringContaining('nowhere') as string },
    });
    expect((await svc('estop', 'list')).out).toBe('no stop is in force');
  });
});

describe('svc resources', () => {
  it('sets, resets and lists the data of a resource, with its history', async () => {
    const set = ['resources', 'set', 'paper_2', '{"lines": 7}', '--reason', 'torn', '--by', 'ada'];
    expect(await svc(...set)).toEqual({ code: 0, out: 'paper_2: {"lines":7}', err: '' });
    expect(rowsOf(await svc('resources', '--lab', 'multiplication_lab', '--type', 'paper'))).toContainEqual([
      ...['paper_2', 'paper', 'multiplication_lab', '-', '-', '{"lines":7}'],
    ]);
    expect((await svc('resources', 'reset', 'paper_2', '--by', 'ada')).out).toBe('paper_2: {"lines":20}');
    const history = rowsOf(await svc('resources', 'history', 'paper_2', '--limit', '2'));
    expect(history.map((row) => row.slice(1, 4))).toEqual([
      ['reset by ada', '{"lines":7}', '{"lines":20}'],
      ['set by ada', '{"lines":20}', '{"lines":7}'],
    ]);
    expect((await svc('resources', 'history', 'paper_1')).out).toBe('no task has had it');
    expect(await svc('resources', 'set', 'paper_1', '[7]')).toMatchObject({
      ...{ code: 2, err: 'the data must be a JSON object, such as {"ml": 12.5}' },
    });
    expect(await svc('resources', 'reset', 'paper_9')).toMatchObject({ code: 3, out: '' });
    expect((await svc('resources', '--type', 'beaker')).out).toBe('no resources');
  });
});

describe('svc webhook', () => {
  it('sends events to a receiver, tells what came of them, and sends them again', async () => {
    const made = await svc(
      ...['webhook', 'create', receiver.url, '--type', 'resource', '--description', 'for the door'],
    );
    expect(made.out).toMatch(/^webhook {2}\S+\nsecret {3}whsec_\S+$/);
    const id = /^webhook {2}(\S+)$/m.exec(made.out)?.[1] ?? '';
    const shown = await svc('webhook', 'show', id);
    expect(shown.out).toMatch(/\nfor +for the door\nevents +type=resource\n/);
    expect(rowsOf(await svc('webhook', 'list')).map((row) => row.slice(0, 3))).toEqual([
      [id, receiver.url, 'active'],
    ]);

    expect((await svc('webhook', 'ping', id)).out).toMatch(/^accepted with 204 after \d+ ms$/);
    receiver.answer = () => ({ status: 500, text: 'out of order' });
    const refused = await svc('webhook', 'ping', id);
    expect([refused.code, refused.out]).toEqual([3, '']);
    expect(refused.err).toMatch(/^not accepted: .*500/);
    receiver.answer = () => undefined;

    for (const lines of [1, 2]) await svc('resources', 'set', 'paper_2', JSON.stringify({ lines }));
    await svc('resources', 'reset', 'paper_2');
    const delivered = async () =>
      rowsOf(await svc('webhook', 'deliveries', id, '--state', 'delivered')).filter(
        ([, event]) => event !== '-',
      );
    await expect.poll(async () => (await delivered()).length, { timeout: 15_000 }).toBeGreaterThanOrEqual(2);
    const row = (await delivered())[0] ?? [];
    const [event = '', delivery = ''] = [row[1], row.at(-1)];
    expect(row.slice(2, 6)).toEqual([expect.stringMatching(/^resource\./), 'delivered', '1', '204']);
    expect((await svc('webhook', 'redeliver', id, delivery)).out).toBe(`event ${event} is sent again`);
    expect((await svc('webhook', 'replay', id, '--from', '0')).out).toBe(
      `${receiver.url} goes on behind event 0`,
    );

    expect((await svc('webhook', 'disable', id)).out).toMatch(/^state +disabled/m);
    expect((await svc('webhook', 'enable', id)).out).toMatch(/^state +active$/m);
    expect((await svc('webhook', 'delete', id)).code).toBe(0);
    expect((await svc('webhook', 'list')).out).toBe('no webhooks');
    expect(await svc('webhook', 'show', id)).toMatchObject({ code: 3, out: '' });
  });

  it.each([
    [['create', 'http://192.0.2.1/hook'], 3, 'url'],
    [['replay', 'some-id', '--from', 'begin'], 2, '--from must be a whole number from 0'],
    [['replay', 'some-id'], 2, '--from'],
    [['deliveries', 'some-id', '--state', 'lost'], 2, 'Allowed choices are'],
    [['deliveries', 'some-id'], 3, 'some-id'],
  ])('refuses %j with the exit code %i and a reason', async (args, code, reason) => {
    expect(await svc('webhook', ...args)).toMatchObject({
      ...{ code, out: '', err: expect.stringContaining(reason) as string },
    });
  });
});

describe('svc labs, protocols, tasks and packages', () => {
  it('unload and load a laboratory with its protocols, and tell what became of its devices', async () => {
    const states = async () =>
      (await svc('labs', 'list')).out.split('\n').map((line) => line.split(/ {2,}/).slice(0, 2));
    expect(await states()).toContainEqual(['faulty_lab', 'loaded']);
    const unloaded = await svc('labs', 'unload', 'faulty_lab', '--drain');
    expect(unloaded).toMatchObject({ code: 0, err: '' });
    expect(unloaded.out).toMatch(/^faulty_lab: unloaded\n[\s\S]* {2}unloaded with it: misbehaving, mishap$/);
    expect(await states()).toContainEqual(['faulty_lab', 'unloaded']);
    const loaded = await svc('labs', 'load', 'faulty_lab');
    expect(loaded.out).toMatch(/^faulty_lab: loaded\n {2}brittle on svc_computer: idle$/);
    const again = await svc('labs', 'reload', 'faulty_lab');
    expect(again.out).toMatch(/^faulty_lab: loaded\n {2}brittle on svc_computer: idle/);
    expect((await svc('protocols', 'load', 'misbehaving', 'mishap')).out).toBe(
      'misbehaving: loaded\nmishap: loaded',
    );
    expect(await svc('labs', 'load', 'nowhere')).toMatchObject({
      ...{ code: 3, out: '', err: expect.stringContaining('nowhere') as string },
    });
  });

  it('unload, load and reload protocols and task types, and list them with their files', async () => {
    expect((await svc('protocols', 'unload', 'slow_multiplication')).out).toBe(
      'slow_multiplication: unloaded',
    );
    const row = async (): Promise<string | undefined> =>
      (await svc('protocols', 'list')).out.split('\n').find((line) => line.startsWith('slow_multiplication'));
    expect(await row()).toMatch(/^slow_multiplication +unloaded +\S*multiplication_lab\S*\.yml$/);
    expect((await svc('protocols', 'load', 'slow_multiplication')).out).toBe('slow_multiplication: loaded');
    expect((await svc('protocols', 'reload', 'slow_multiplication')).out).toBe('slow_multiplication: loaded');
    expect(await row()).toMatch(/^slow_multiplication +loaded /);
    expect((await svc('tasks', 'reload', 'wait')).out).toMatch(/^wait: reloaded/);
    expect((await svc('tasks', 'list')).out).toMatch(/^multiply +loaded +\S/m);
    for (const kind of ['protocols', 'tasks'])
      expect(await svc(kind, 'reload', 'nothing')).toMatchObject({
        ...{ code: 3, out: '', err: expect.stringContaining('nothing') as string },
      });
  });

  it('read all packages again, and show an error with its line', async () => {
    const { code, out, err } = await svc('packages');
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(
      /^faulty_lab\n {2}labs: faulty_lab\n {2}devices: brittle\n {2}tasks: keep_paper, leave_files, misbehave, note, report\n/,
    );
    const file = 'packages/multiplication_lab/tasks/multiply/task.yml';
    const text = readFileSync(join(lab.folder, file), 'utf8');
    try {
      lab.put(file, text.replace('type: int', 'type: integer'));
      const wrong = await svc('packages');
      expect(wrong.code).toBe(1);
      expect(wrong.err).toMatch(/multiplication_lab\/tasks\/multiply\/task\.yml:8:11 /);
      expect(wrong.err).toContain('type: integer');
      expect((await svc('tasks', 'list')).out).toMatch(/^multiply +loaded +has errors +\S/m);
      expect(await svc('tasks', 'reload', 'multiply')).toMatchObject({
        ...{ code: 3, out: '', err: expect.stringMatching(/task\.yml:8:11/) as string },
      });
    } finally {
      lab.put(file, text);
      expect((await svc('packages')).code).toBe(0);
    }
  });
});

describe('svc submit --dry-run', () => {
  it('predicts the times of work and stores nothing, and refuses what the submission would be refused for', async () => {
    const run = { type: 'slow_multiplication', parameters: { wait: { seconds: 1 } } };
    lab.put('tried.json', JSON.stringify({ name: 'tried', ...run }));
    const tried = await svc('submit', 'tried.json', '--dry-run');
    expect(tried).toMatchObject({ code: 0, err: '' });
    expect(tried.out).toMatch(/^tried: valid; nothing was stored\n/);
    expect(await json('submit', 'tried.json', '--dry-run')).toMatchObject({ resolved: { name: 'tried' } });
    expect((await svc('list', 'protocols')).out).not.toContain('tried');
    const both = await svc('submit', 'tried.json', '--dry-run', '--watch');
    expect(both).toMatchObject({ code: 2, err: expect.stringContaining('leave out --watch') as string });

    const parameters = [{ wait: { seconds: 0.5 } }, { wait: { seconds: 0.5 } }];
    const campaign = { protocol: 'slow_multiplication', max_protocol_runs: 2 };
    lab.put('two.json', JSON.stringify({ name: 'two', ...campaign, protocol_run_parameters: parameters }));
    expect((await svc('submit', 'two.json', '--dry-run')).out).toMatch(/^two: valid; nothing was stored\n/);
    lab.put('wrong.yml', 'name: wrong\ntype: slow_multiplication\nparameters:\n  wait: { seconds: soon }\n');
    const wrong = await svc('submit', 'wrong.yml', '--dry-run');
    expect(wrong).toMatchObject({ code: 3, out: '', err: expect.stringContaining('wrong.yml:4') as string });
    lab.put('nothing.yml', 'name: nothing\ntype: no_such_type\nparameters: {}\n');
    expect(await svc('submit', 'nothing.yml', '--dry-run')).toMatchObject({ code: 3, out: '' });
    lab.put('list.yml', '- name: many\n');
    expect(await svc('submit', 'list.yml')).toMatchObject({
      ...{ code: 2, err: expect.stringContaining('must be an object') as string },
    });
  });
});

describe('svc files', () => {
  it('lists the files of a real task, and gets one or all of them', async () => {
    const task = { name: 'writes', type: 'write_file', input_parameters: { text: 'hello', kilobytes: 2 } };
    lab.put('writes.json', JSON.stringify(task));
    const watched = await svc('submit', 'writes.json', '--watch');
    expect([watched.code, watched.out.split('\n').at(-1)]).toEqual([0, 'writes  completed']);
    const rows = rowsOf(await svc('files', 'list', 'writes'));
    expect(rows.length).toBeGreaterThan(0);
    const [name = '', bytes = ''] = rows[0] ?? [];
    expect(await svc('files', 'get', 'writes', name, '-o', 'one')).toMatchObject({
      ...{ code: 0, out: `wrote ${join(lab.folder, 'one')}` },
    });
    expect(statSync(join(lab.folder, 'one')).size).toBe(Number(bytes));
    const zip = join(lab.folder, 'writes.zip');
    expect((await svc('files', 'zip', 'task', 'writes')).out).toBe(`wrote ${zip}`);
    expect(readFileSync(zip).subarray(0, 2).toString()).toBe('PK');
    expect(await svc('files', 'zip', 'task', 'writes')).toMatchObject({
      ...{ code: 2, err: `${zip} is there already; name another place with --output` },
    });
    for (const kind of ['task', 'protocol', 'campaign'])
      expect(await svc('files', 'zip', kind, 'none', '-o', 'none.zip')).toMatchObject({ code: 3, out: '' });
    expect(existsSync(join(lab.folder, 'none.zip'))).toBe(false);
  });
});

describe('svc list', () => {
  it('shows runs with their campaign, and the tasks that got a device', async () => {
    lab.put('listed.yml', 'name: listed\ntype: slow_multiplication\nparameters: { wait: { seconds: 0 } }\n');
    expect((await svc('submit', 'listed.yml', '--watch')).code).toBe(0);
    const runs = rowsOf(await svc('list', 'protocols', '--state', 'completed'));
    expect(runs.map((row) => row.slice(0, 3))).toContainEqual(['listed', 'slow_multiplication', 'completed']);
    const tasks = rowsOf(await svc('list', 'tasks', '--device', 'multiplication_lab.multiplier_a'));
    expect(tasks.map((row) => row.slice(0, 4))).toContainEqual(['wait', 'listed', 'wait', 'completed']);
    expect(await svc('list', 'protocols', '--device', 'multiplication_lab.multiplier_a')).toMatchObject({
      ...{ code: 2, err: '--device selects tasks only' },
    });
    expect(rowsOf(await svc('list', 'devices')).map((row) => row.slice(0, 4))).toContainEqual([
      ...['multiplication_lab.multiplier_b', 'multiplier', 'unreachable', 'bench_b'],
    ]);
    expect(await svc('list', 'tasks', '--limit', '501')).toMatchObject({ code: 3, out: '' });
    expect(await svc('list', 'beakers')).toMatchObject({ code: 2, out: '' });
  });
});
