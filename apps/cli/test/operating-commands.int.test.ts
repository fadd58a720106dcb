import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { orchestratorRequests as requests, ServiceError } from '@lab/contracts';
import { Sealing, Secret } from '@lab/runtime';
import { freePort } from '@lab/testkit';
import {
  agent,
  attentionItem,
  deviceDetail,
  emergencyStop,
  queue,
  queuePage,
  reservation,
  schedule,
} from '../../gateway/test/color-lab-records.js';
import { campaignRecord, runRecord, startHarness, type Harness } from '../../gateway/test/twins.js';
import { MemoryRecords } from '../../gateway/test/memory-records.js';
import { svcHere, trimmed, type Ran } from './in-process.js';

/** The commands in this process, with the real gateway. The test scripts the answers of the orchestrator. */

const cli = fileURLToPath(new URL('../bin/svc.mjs', import.meta.url));
const me = userInfo().username;

let gateway: Harness;
let folder: string;

beforeAll(async () => {
  [gateway, folder] = await Promise.all([
    startHarness({}, new Sealing(new Secret('k'.repeat(32)))),
    mkdtemp(join(tmpdir(), 'svc-commands-')),
  ]);
});
afterAll(async () => {
  await gateway?.server.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  gateway.requests.sent.length = 0;
  Object.assign(gateway.records, new MemoryRecords());
});

const svcAt = async (url: string, ...args: string[]): Promise<Ran> =>
  trimmed(await svcHere([...args, '--url', url], { folder }));
const svc = (...args: string[]): Promise<Ran> => svcAt(gateway.url, ...args);

const bodies = (): unknown[] => gateway.requests.sent.map(({ body }) => body);

describe('svc agents', () => {
  it('lists the agents with the reason of their absence, and shows one with its devices', async () => {
    gateway.requests.on(requests.listAgents, () => ({ agents: [agent] }));
    const { out } = await svc('agents');
    expect(out.split('\n')[1]).toMatch(
      /^bench_b +suspect +color_lab +0\.1\.0 +1 to 2 +1 +1 +2026-11-20 09:31:00Z +it has not been heard/,
    );
    const shown = await svc('agents', 'bench_b');
    expect(shown.out).toMatch(/^bench_b: suspect\n/);
    expect(shown.out).toMatch(/clock +0\.012 s ahead\n/);
    expect(shown.out).toMatch(/color_lab\.station_1 +busy/);
    expect(JSON.parse((await svc('agents', 'bench_b', '--json')).out)).toEqual(agent);
    expect((await svc('agents', '--lab', 'none')).out).toBe('no agents');
    expect(await svc('agents', 'nowhere')).toMatchObject({ code: 3 });
  });
});

describe('svc effects', () => {
  it('says what it looked for when there is no call', async () => {
    expect((await svc('effects')).out).toBe('no calls');
    const { out } = await svc('effects', '--device', 'lab.amr', '--since', '2026-11-20T14:02:00Z');
    expect(out).toBe('no calls, device lab.amr, since 2026-11-20T14:02:00.000Z');
  });

  it.each(['25:00', '14:60', '2 pm'])('refuses %s, which is no time', async (time) => {
    expect(await svc('effects', '--around', time)).toMatchObject({
      code: 2,
      err: expect.stringContaining(`not "${time}"`) as string,
    });
  });
});

describe('svc attention', () => {
  const device = {
    ...attentionItem,
    id: 'i2',
    kind: 'device' as const,
    subject: 'color_lab.arm',
    actions: ['idle' as const],
    choices: [{ action: 'idle' as const, effect: 'the agent starts the device again' }],
    look_at: ['color_lab.arm on bench_b: does it stand still?'],
  };

  it('lists open items or says that there are none, and shows one with its known facts', async () => {
    expect(await svc('attention')).toEqual({ code: 0, out: 'nothing needs attention', err: '' });
    gateway.records.attention.push(attentionItem, device, { ...device, id: 'over', state: 'resolved' });
    const { out } = await svc('attention', 'list');
    expect(out.split('\n').map((line) => line.trimStart().split(/ {2,}/))).toEqual([
      ['SUBJECT', 'SINCE', 'REASON', 'ACTIONS', 'ID'],
      ['color_lab.arm', '2026-11-20 09:31:00Z', 'outcome_unknown', 'idle', 'i2'],
      [
        'mix_1/mix_colors',
        '2026-11-20 09:31:00Z',
        'outcome_unknown',
        'completed, failed, retry',
        attentionItem.id,
      ],
      [''],
      ['color_lab.arm'],
      ['why', device.reason.message],
      ['look at', 'color_lab.arm on bench_b: does it stand still?'],
      ['idle', 'the agent starts the device again'],
      [''],
      ['mix_1/mix_colors'],
      ['why', attentionItem.reason.message],
      ['look at', ...attentionItem.look_at],
      ...attentionItem.choices.map(({ action, effect }) => [action, effect]),
    ]);
    expect((await svc('attention', 'list', '--all')).out.split('\n')).toHaveLength(
      out.split('\n').length + 1,
    );
    expect(JSON.parse((await svc('attention', '--json')).out)).toEqual([device, attentionItem]);
    const shown = await svc('attention', 'show', 'mix_1/mix_colors');
    expect(shown.out).toMatch(/^task mix_1\/mix_colors: open\n/);
    expect(shown.out).toContain('"function": "mix"');
    expect(shown.out).toMatch(
      /\n {2}look at {4}color_lab\.station_1 on svc_computer: was mix\(\.\.\.\) done\?\n/,
    );
    expect(shown.out).toMatch(/\n {2}retry {6}the task starts again from its beginning; /);
    expect(await svc('attention', 'mix_1/mix_colors')).toEqual(shown);
    expect(JSON.parse((await svc('attention', 'i2', '--json')).out)).toEqual(device);
    expect((await svc('attention', 'show', 'over')).out).toContain('color_lab.arm: resolved');
    expect(await svc('attention', 'show', 'none')).toMatchObject({
      code: 3,
      out: '',
      err: expect.stringContaining('none') as string,
    });
  });

  it('settles an item by its subject, with outputs from a file', async () => {
    gateway.records.attention.push(attentionItem);
    gateway.requests.on(requests.resolveAttention, ({ id }) => ({ id }));
    const outputs = { output_parameters: { red: 1 } };
    await writeFile(join(folder, 'outputs.json'), JSON.stringify(outputs));
    const resolve = ['attention', 'resolve', 'mix_1/mix_colors'];
    expect(
      await svc(...resolve, '--action', 'completed', '--note', 'seen', '--outputs', 'outputs.json'),
    ).toEqual({
      code: 0,
      out: 'mix_1/mix_colors: completed',
      err: '',
    });
    expect(bodies()).toEqual([
      { id: attentionItem.id, action: 'completed', by: me, note: 'seen', ...outputs },
    ]);

    await writeFile(join(folder, 'wrong.json'), JSON.stringify({ red: 1 }));
    for (const file of ['wrong.json', 'none.json'])
      expect(await svc(...resolve, '--action', 'completed', '--outputs', file)).toMatchObject({
        code: 2,
        err: expect.stringContaining(file) as string,
      });
    expect((await svc(...resolve, '--action', 'forget')).code).toBe(2);
    expect((await svc(...resolve)).err).toContain('--action');
    expect(gateway.requests.sent).toHaveLength(1);
  });

  it('claims an item, shows who is deciding, and releases it', async () => {
    const claim = { by: me, since: '2026-11-20T09:32:00.000Z', until: '2026-11-20T09:42:00.000Z' };
    gateway.records.attention.push({ ...attentionItem, claim });
    for (const each of [requests.claimAttention, requests.releaseAttention])
      gateway.requests.on(each, ({ id }) => ({ id }));
    const claiming = ['attention', 'claim', 'mix_1/mix_colors'];
    expect((await svc(...claiming)).out).toMatch(/^mix_1\/mix_colors: .+ is deciding until .+ 09:42:00Z$/);
    await svc(...claiming, '--take-over');
    expect((await svc('attention')).out).toContain(`\n  claim      ${me} is deciding until `);
    expect((await svc('attention', 'release', attentionItem.id)).out).toBe('mix_1/mix_colors: released');
    const by = { by: me };
    expect(bodies()).toMatchObject([{ ...by, take_over: false }, { ...by, take_over: true }, by]);
  });

  it('explains in a sentence why an item was not settled', async () => {
    gateway.records.attention.push(attentionItem);
    gateway.requests.on(requests.resolveAttention, () => {
      throw new ServiceError('invalid', 'the outputs are not those of mix_colors', {
        faults: [{ path: 'output_parameters.red', code: 'required', message: 'is missing' }],
      });
    });
    const { code, err } = await svc('attention', 'resolve', attentionItem.id, '--action', 'completed');
    expect(code).toBe(3);
    expect(err.split('\n')).toEqual([
      'The request is well-formed but invalid: the outputs are not those of mix_colors',
      '  output_parameters.red: is missing',
    ]);
  });
});

describe('a pipe that is closed early', () => {
  it('ends the command without a word', async () => {
    const text = 'x'.repeat(200_000);
    gateway.records.audit.push(
      ...Array.from({ length: 5 }, (_, n) => ({
        ...{ id: `e${n}`, seq: n + 1, at: '2026-11-20T09:31:00.000Z', by: 'ann', kind: null },
        ...{ action: 'x', subject: 'y', detail: { text }, request_id: null, ip: null, hash: '' },
      })),
    );
    const said = await new Promise<string>((resolve) => {
      execFile(
        '/bin/sh',
        ['-c', `"$0" "$1" audit --json --url "$2" | head -c 1`, process.execPath, cli, gateway.url],
        (_error, out, err) => resolve(`${out}|${err}`),
      );
    });
    expect(said).toBe('[|');
  });
});

describe('svc estop', () => {
  it('stops, lists and releases', async () => {
    gateway.requests
      .on(requests.engageStop, ({ id, scope }) => {
        gateway.records.stops.push({ ...emergencyStop, id, scope });
        return { id };
      })
      .on(requests.listDevices, () => ({ devices: [] }))
      .on(requests.releaseStop, ({ id }) => ({
        ids: id === null ? gateway.records.stops.map((each) => each.id) : [id],
      }));
    const stopped = await svc(
      'estop',
      '--lab',
      'color_lab',
      '--device',
      'arm',
      '--reason',
      'spill',
      '--by',
      'bo',
    );
    expect(stopped).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^stopped: device:color_lab\.arm \(/) as string,
    });
    const engaged = gateway.requests.of(requests.engageStop).map(({ body }) => body);
    expect(engaged).toMatchObject([{ scope: 'device:color_lab.arm', reason: 'spill', by: 'bo' }]);
    expect((await svc('estop')).out).toMatch(/^stopped: all /);
    expect((await svc('estop', 'list')).out.split('\n')).toHaveLength(3);
    expect((await svc('estop', 'release')).out.split('\n')).toHaveLength(2);
    const [first] = gateway.records.stops;
    expect((await svc('estop', 'release', first?.id ?? '')).out).toBe(
      `released: device:color_lab.arm (${first?.id})`,
    );
    const given = gateway.requests.of(requests.releaseStop).map(({ body }) => body);
    const [all, one] = [given.slice(0, 2), given.slice(2)];
    expect(all).toHaveLength(2);
    expect(all).toEqual(expect.arrayContaining(gateway.records.stops.map(({ id }) => ({ id, by: me }))));
    expect(one).toEqual([{ id: first?.id, by: me }]);
  });

  it('says aloud which device is not known to be stopped, with the exit code 3', async () => {
    const doing = {
      call_id: 'c',
      function: 'move',
      arguments: { to: 'rack' },
      since: '2026-11-23T14:01:58.100Z',
    };
    const arm = { ...deviceDetail, name: 'arm', computer: 'bench_c', functions: [], held_by: 'mix_1/carry' };
    const last = { state: 'busy', at: '2026-11-23T14:02:11.000Z' } as const;
    gateway.requests
      .on(requests.engageStop, ({ id }) => ({ id }))
      .on(requests.listDevices, () => ({
        devices: [{ ...arm, state: 'unreachable' as const, doing, last_known: last }],
      }));
    const { code, out, err } = await svc('estop');
    expect([code, err]).toEqual([
      3,
      'NOT CONFIRMED: 1 of 1 devices. Use the hardware switch of each device that may be moving.',
    ]);
    expect(out.split('\n').slice(1)).toEqual([
      'DEVICE         COMPUTER  STATE        LAST KNOWN',
      'color_lab.arm  bench_c   not_reached  busy at 2026-11-23 14:02:11Z: move {"to":"rack"} since 2026-11-23 14:01:58Z, task mix_1/carry',
    ]);
    const waited = await svc('estop', '--wait', '--timeout', '0.5', '--json');
    expect(waited.code).toBe(3);
    expect(JSON.parse(waited.out)).toMatchObject({ confirmed: false, devices: [{ state: 'not_reached' }] });
    expect((await svc('estop', '--wait', '--timeout', 'long')).code).toBe(2);
  });

  it('lists the questions that are open when a stop is released', async () => {
    gateway.records.stops.push(emergencyStop);
    gateway.records.attention.push(attentionItem);
    gateway.requests.on(requests.releaseStop, () => ({ ids: [emergencyStop.id] }));
    const { out, err } = await svc('estop', 'release');
    expect(out).toBe(`released: ${emergencyStop.scope} (${emergencyStop.id})`);
    expect(err).toBe(
      `1 question waits for a decision (svc attention):\n  ${attentionItem.id}  task ${attentionItem.subject}`,
    );
  });

  it('stops nothing when a word is mistyped', async () => {
    expect((await svc('estop', 'relaese')).code).toBe(2);
    expect((await svc('estop', '--lba', 'color_lab')).code).toBe(2);
    expect((await svc('estop', '--device', 'arm')).err).toContain('lab_name');
    expect(gateway.requests.sent).toEqual([]);
  });

  it('tells the user where to turn when no service answers', async () => {
    const { code, err } = await svcAt(`http://127.0.0.1:${await freePort()}`, 'estop');
    expect(code).toBe(3);
    expect(err).toMatch(/^NOT CONFIRMED: .* Use the hardware switches\.\n.*nothing answers/);
  });
});

describe('svc device', () => {
  const outage = {
    by: me,
    reason: 'worn',
    since: emergencyStop.engaged_at,
    until: '2026-11-24T18:00:00.000Z',
  };
  const path = { lab: deviceDetail.lab_name, device: deviceDetail.name };
  const name = `${path.lab}.${path.device}`;
  const shows = (more: Partial<typeof deviceDetail>): void => {
    const device = { ...deviceDetail, ...more, functions: [] };
    gateway.requests.on(requests.listDevices, () => ({ devices: [device] }));
  };

  it('takes a device out of service until a time, and puts it back', async () => {
    gateway.requests.on(requests.disableDevice, () => ({})).on(requests.enableDevice, () => ({}));
    shows({ out_of_service: outage, held_by: 'mix_1/mix' });
    const until = '2026-11-24T19:00+01:00';
    const disabled = await svc('device', 'disable', name, '--reason', 'worn', '--until', until);
    expect(disabled).toEqual({
      code: 0,
      out: `${name}: out of service by ${me} until 2026-11-24 18:00:00Z: worn\nmix_1/mix has it and continues to its end`,
      err: '',
    });
    expect((await svc('list', 'devices')).out).toContain('until 2026-11-24 18:00:00Z: worn');
    shows({ out_of_service: null, held_by: null });
    expect((await svc('device', 'enable', name)).out).toBe(`${name}: in service, ${deviceDetail.state}`);
    expect(bodies().filter((body) => 'by' in (body as object))).toEqual([
      { ...path, by: me, reason: 'worn', until: outage.until },
      { ...path, by: me },
    ]);
  });

  it('restarts a device for a reason', async () => {
    gateway.requests.on(requests.restartDevice, () => ({}));
    shows({ state: 'restarting' });
    const { code, out } = await svc('device', 'restart', name, '--reason', 'cable');
    expect([code, out]).toEqual([0, `${name}: the restart has begun, restarting`]);
    expect(bodies()[0]).toEqual({ ...path, by: me, reason: 'cable' });
  });

  it('refuses a device without its laboratory, a time that is none and a missing reason', async () => {
    for (const [wrong, ...args] of [
      ['<lab>.<device>', 'enable', 'robot_arm'],
      ['is no time', 'disable', name, '--reason', 'x', '--until', 'soon'],
      ['--reason', 'disable', name],
    ]) {
      const { code, err } = await svc('device', ...args);
      expect([code, err.includes(wrong ?? '')]).toEqual([2, true]);
    }
    expect(gateway.requests.sent).toEqual([]);
  });
});

describe('svc reservation', () => {
  it('reserves a device or a resource from a time to a time or for a duration, lists and ends', async () => {
    const { lab, device, from, to, id } = reservation;
    const name = `${lab}.${device}`;
    gateway.requests
      .on(requests.addReservation, () => reservation)
      .on(requests.endReservation, () => reservation)
      .on(requests.listReservations, () => ({ reservations: [reservation] }));
    const given = ['--from', '2026-11-23T15:00+01:00', '--to', '2h', '--reason', 'calibration'];
    const text = `${name} by ada from 2026-11-23 14:00:00Z to 2026-11-23 16:00:00Z: calibration`;
    expect(await svc('reservation', 'add', name, ...given)).toEqual({
      code: 0,
      out: `reserved: ${text}\nend it early with: svc reservation end ${id}`,
      err: '',
    });
    await svc('reservation', 'add', 'color_lab.beaker_1', '--resource', ...given);
    expect((await svc('reservation', 'list')).out).toMatch(
      /^NAME .*\ncolor_lab\.robot_arm .* ada .* reservation-1$/,
    );
    expect((await svc('reservation', 'end', id)).out).toBe(`ended: ${text}`);
    const window = { from, to, reason: 'calibration', by: me };
    expect(bodies().filter((body) => 'by' in (body as object))).toEqual([
      { lab, device, resource: null, ...window },
      { lab, device: null, resource: 'beaker_1', ...window },
      { id, by: me },
    ]);
  });

  it('refuses a device without its laboratory, and a missing end or reason', async () => {
    for (const [wrong, ...args] of [
      ['<lab>.<device>', 'robot_arm', '--to', '2h', '--reason', 'x'],
      ['is no time', 'l.arm', '--to', 'soon', '--reason', 'x'],
      ['--to', 'l.arm', '--reason', 'x'],
      ['--reason', 'l.arm', '--to', '2h'],
    ]) {
      const { code, err } = await svc('reservation', 'add', ...args);
      expect([code, err.includes(wrong ?? '')]).toEqual([2, true]);
    }
    expect(gateway.requests.sent).toEqual([]);
  });
});

describe('svc resources', () => {
  const beaker = {
    name: 'beaker_1',
    type: 'beaker',
    meta: { ml: 0 },
    lab: 'color_lab',
    used_by: 'mix_1/mix',
    held_by: null,
    since: null,
  };

  it('lists resources and their history, and resets the data of one', async () => {
    gateway.records.resources.push(beaker);
    gateway.records.usesOf.set('beaker_1', [
      {
        kind: 'reset',
        task_run_id: null,
        task: null,
        type: null,
        protocol_run: null,
        campaign: null,
        state: null,
        slot: null,
        taken: { ml: 5 },
        left: { ml: 0 },
        by: 'ada',
        reason: 'washed',
        started_at: emergencyStop.engaged_at,
        ended_at: emergencyStop.engaged_at,
      },
    ]);
    gateway.requests.on(requests.resetResource, ({ name }) => ({ name }));
    expect((await svc('resources')).out.split('\n')[1]?.split(/ {2,}/)).toEqual([
      'beaker_1',
      'beaker',
      'color_lab',
      'mix_1/mix',
      '-',
      '{"ml":0}',
    ]);
    expect((await svc('resources', 'history', 'beaker_1')).out).toMatch(
      /2026-11-20 09:30:00Z +reset by ada +{"ml":5} +{"ml":0} +washed$/,
    );
    expect(await svc('resources', 'reset', 'beaker_1', '--reason', 'washed', '--force')).toEqual({
      code: 0,
      out: 'beaker_1: {"ml":0}',
      err: '',
    });
    expect(bodies()).toEqual([{ name: 'beaker_1', by: me, reason: 'washed', force: true }]);
    expect((await svc('resources', '--lab', 'none')).out).toBe('no resources');
  });
});

describe('svc pause, resume and queue', () => {
  it('send the change to the service and print the state', async () => {
    gateway.records.runs.push(runRecord({ state: 'paused' }));
    gateway.records.campaignList.push(campaignRecord({ state: 'running' }));
    gateway.requests
      .on(requests.pauseProtocolRun, () => ({ id: 'i', name: 'mix_1' }))
      .on(requests.resumeCampaign, () => ({ id: 'i', name: 'sweep' }))
      .on(requests.resumeProtocolRun, ({ name }) => {
        throw new ServiceError('not_found', `there is no protocol run ${name}`);
      })
      .on(requests.readQueue, ({ lab }) => ({
        queue,
        items: lab === undefined ? [] : queuePage.items,
        end: null,
      }))
      .on(requests.pauseQueue, ({ by }) => ({
        ...queue,
        paused: true,
        paused_by: by,
        paused_at: emergencyStop.engaged_at,
      }));
    expect(await svc('pause', 'protocol', 'mix_1')).toEqual({ code: 0, out: 'mix_1: paused', err: '' });
    expect((await svc('resume', 'campaign', 'sweep')).out).toBe('sweep: running');
    expect((await svc('queue')).out).toBe('5 waiting, 3 of them ready to start, 2 running (0 listed)');
    const { out: listed } = await svc('queue', '--lab', 'color_lab');
    expect(listed.split('\n')[0]).toBe('5 waiting, 3 of them ready to start, 2 running (1 listed)');
    expect((await svc('queue', 'pause', '--by', 'bo')).out).toContain(
      'paused by bo since 2026-11-20 09:30:00Z',
    );
    expect(JSON.parse((await svc('queue', '--json', '--lab', 'color_lab')).out)).toEqual(queuePage);
    expect((await svc('queue', '--lab', 'color_lab')).out.split('\n').at(-1)).toBe(
      '1  mix_2/mix_colors  ada    0 (now 1)  2026-11-20 09:19:00Z  device: color_lab.station_1 is in the hands of mix_1/mix_colors',
    );
    expect((await svc('queue', 'stop')).code).toBe(2);
    expect(await svc('resume', 'protocol', 'none')).toMatchObject({
      code: 3,
      err: expect.stringContaining('there is no protocol run none') as string,
    });
  });
});

describe('svc webhook', () => {
  it('creates a webhook with the details that it includes, and shows them', async () => {
    const url = 'https://receiver.example.org/lab';
    const made = await svc('webhook', 'create', url, '--include', 'meta,outputs');
    const id = /^webhook {2}(\S+)$/m.exec(made.out)?.[1] ?? '';
    expect((await gateway.webhooks.byId(id))?.include).toEqual(['meta', 'outputs']);
    expect((await svc('webhook', 'show', id)).out).toMatch(/^includes +meta, outputs$/m);
    const refused = await svc('webhook', 'create', url, '--include', 'files');
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining('--include must be one or more of meta, outputs, not "files"') as string,
    ]);
  });

  it('gives a webhook a new secret and sends it an event again', async () => {
    const url = 'https://receiver.example.org/lab';
    const made = (await gateway.send('POST', '/api/webhooks', { url })).body;
    const id = String(made['id']);
    const rotated = await svc('webhook', 'rotate-secret', id, '--overlap', '3600');
    expect(rotated.out).toMatch(
      /^secret {3}whsec_\S{44}\nthe secret that there was signs beside it until \d{4}-\d\d-\d\d .*Z$/,
    );
    expect(rotated.out).not.toContain(String(made['secret']));
    expect((await svc('webhook', 'rotate-secret', id, '--overlap', '0')).out).toContain('signs no more');
    expect((await svc('webhook', 'rotate-secret', id, '--overlap', 'a day')).code).toBe(2);

    const sent = { id: 'd1', webhook_id: id, type: 'task_run.failed', aggregate: 'task_run/t', body: '{}' };
    const end = { state: 'given_up' as const, status: 500, duration_ms: 1, error: 'no', answer: null };
    Object.assign(await gateway.deliveries.keep(sent, end), { event_id: 7 });
    expect(await svc('webhook', 'redeliver', id, 'd1')).toEqual({
      code: 0,
      out: 'event 7 is sent again',
      err: '',
    });
    expect(await gateway.deliveries.byId(id, 'd1')).toMatchObject({ state: 'pending' });
    expect((await svc('webhook', 'redeliver', id, 'none')).code).toBe(3);
  });
});

describe('svc schedule', () => {
  it('shows the plan, the tasks with their times and reasons for waiting, and the end of each run', async () => {
    gateway.requests.on(requests.readSchedule, () => schedule);
    const { code, out } = await svc('schedule', '--run', 'mix_1', '--limit', '7');
    expect(code).toBe(0);
    expect(bodies()).toEqual([{ run: 'mix_1', limit: 7, rights: { see: 'all', use: 'all' } }]);
    expect(out.split('\n').map((line) => line.split(/ {2,}/))).toEqual(
      expect.arrayContaining([
        ['cpsat at 2026-11-20 09:30:02Z: 2 tasks'],
        [
          'plan of 09:30:00.0 by cp-sat, seed 1: 4.2 s to the end, objective 12.4, at most 0.0 % more than the least possible',
        ],
        ['TASK', 'STATE', 'ON', 'PLANNED', 'ACTUAL', 'WAITS FOR'],
        [
          'mix_1/mix_colors',
          'running',
          'color_lab.station_1, beaker_1',
          '09:30:01.5 to 09:30:02.3',
          '09:30:01.5 to -',
          '-',
        ],
        [
          'rinse_1',
          'queued',
          'color_lab.cleaning_station, beaker_1',
          '09:30:04.1 to 09:30:04.4',
          '-',
          'resource: beaker_1 is kept by mix_1 until 2026-11-20T09:30:04.150Z',
        ],
        ['RUN', 'STATE', 'TASKS', 'ENDS'],
        ['mix_1', 'running', '1 of 7', '09:30:04.1'],
        ['from 09:30:01.5 on; now is at 0.5 s'],
        ['color_lab'],
        ['', 'A mix_1'],
      ]),
    );
    expect(out).toMatch(/^ +station_1 +A{20,}$/m);
  });

  it('prints everything as JSON, and explains a wrong argument', async () => {
    gateway.requests.on(requests.readSchedule, () => ({
      ...schedule,
      policy: 'greedy' as const,
      plan: null,
      tasks: [],
    }));
    expect((await svc('schedule')).out.split('\n')[0]).toBe(
      'greedy at 2026-11-20 09:30:02Z: 2 tasks (0 listed)',
    );
    expect(JSON.parse((await svc('schedule', '--json')).out)).toMatchObject({ policy: 'greedy', plan: null });
    expect(await svc('schedule', '--limit', '0')).toMatchObject({
      code: 3,
      err: expect.stringContaining('?limit: must be a whole number from 1 to 1000') as string,
    });
  });
});
