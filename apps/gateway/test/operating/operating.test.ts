import { describe, expect, it } from 'vitest';
import {
  allLabs,
  agentEvents,
  orchestratorRequests as requests,
  type ScheduledTask,
  type ScheduleRecord,
  ServiceError,
} from '@lab/contracts';
import { campaignRecord, expectProblem, runRecord, sharedHarness, taskRecord } from '../twins.js';
import {
  attempt,
  agent,
  attentionItem,
  deviceDetail,
  emergencyStop,
  queue,
  queuePage,
  schedule,
} from '../color-lab-records.js';

/** Requests of people other than submissions: settle, stop, pause and resume. */

const gateway = sharedHarness();

describe('an attention item', () => {
  const path = `/api/attention/${attentionItem.id}`;

  it('is listed by state and read by its id', async () => {
    const settled = { ...attentionItem, id: 'settled', state: 'resolved' as const };
    gateway.records.attention.push(attentionItem, settled);
    expect((await gateway.send('GET', '/api/attention')).body.items).toEqual([settled, attentionItem]);
    expect((await gateway.send('GET', '/api/attention?state=open')).body.items).toEqual([attentionItem]);
    expect((await gateway.send('GET', '/api/attention?limit=1')).body.items).toEqual([settled]);
    expect((await gateway.send('GET', path)).body).toEqual(attentionItem);
    expectProblem(await gateway.send('GET', '/api/attention/none'), 404, 'not_found');
    expectProblem(await gateway.send('GET', '/api/attention?state=closed'), 422, 'invalid');
  });

  it.each([
    [{ action: 'retry' }, { action: 'retry', by: 'unknown' }],
    [
      { action: 'completed', by: 'ada', note: 'seen', output_parameters: { red: 1 } },
      { action: 'completed', by: 'ada', note: 'seen', output_parameters: { red: 1 } },
    ],
  ])('is settled by %j', async (body, passedOn) => {
    gateway.records.attention.push(attentionItem);
    gateway.requests.on(requests.resolveAttention, ({ id }) => ({ id }));
    const reply = await gateway.send('POST', `${path}/resolve`, body);
    expect({ status: reply.status, body: reply.body }).toEqual({ status: 200, body: attentionItem });
    expect(gateway.requests.of(requests.resolveAttention)[0]?.body).toEqual({
      id: attentionItem.id,
      ...passedOn,
    });
  });

  it.each([
    [undefined, ['']],
    [{}, ['action']],
    [{ action: 'forget' }, ['action']],
    [{ action: 'failed', id: 'other', outputs: {} }, ['id', 'outputs']],
  ])('is not settled by %j', async (body, paths) => {
    const reply = await gateway.send('POST', `${path}/resolve`, body);
    expectProblem(reply, 422, 'invalid');
    expect(reply.body.errors?.map((fault) => fault.path).sort()).toEqual(paths);
    expect(gateway.requests.sent).toEqual([]);
  });

  it('explains why it was not settled', async () => {
    gateway.requests.on(requests.resolveAttention, () => {
      throw new ServiceError('wrong_state', 'it was settled by bo');
    });
    expectProblem(await gateway.send('POST', `${path}/resolve`, { action: 'failed' }), 409, 'wrong_state');
  });

  it('cannot be settled twice, and an unknown item cannot be settled', async () => {
    gateway.requests.on(requests.resolveAttention, () => {
      throw new ServiceError('not_found', 'there is no open attention item');
    });
    const again = () => gateway.send('POST', `${path}/resolve`, { action: 'failed' });
    expectProblem(await again(), 404, 'not_found');
    gateway.records.attention.push({ ...attentionItem, state: 'resolved' });
    expectProblem(await again(), 409, 'wrong_state');
  });
});

describe('a claim', () => {
  const path = `/api/attention/${attentionItem.id}/claim`;
  const claim = { by: 'ada', since: '2026-11-20T09:32:00.000Z', until: '2026-11-20T09:42:00.000Z' };

  it.each([
    [undefined, { by: 'unknown', take_over: false }],
    [
      { by: 'ada', take_over: true },
      { by: 'ada', take_over: true },
    ],
  ])('by %j is passed on, and the item is the answer', async (body, passedOn) => {
    gateway.records.attention.push({ ...attentionItem, claim });
    gateway.requests.on(requests.claimAttention, ({ id }) => ({ id }));
    const reply = await gateway.send('POST', path, body);
    expect([reply.status, reply.body]).toEqual([200, { ...attentionItem, claim }]);
    const asked = { id: attentionItem.id, ...passedOn };
    expect(gateway.requests.of(requests.claimAttention).map(({ body }) => body)).toEqual([asked]);
  });

  it('is released by the person in the query', async () => {
    gateway.records.attention.push(attentionItem);
    gateway.requests.on(requests.releaseAttention, ({ id }) => ({ id }));
    const reply = await gateway.send('DELETE', `${path}?by=ada`);
    expect([reply.status, reply.body]).toEqual([200, attentionItem]);
    const asked = { id: attentionItem.id, by: 'ada' };
    expect(gateway.requests.of(requests.releaseAttention).map(({ body }) => body)).toEqual([asked]);
  });

  it('of another person is named in the refusal', async () => {
    const message = 'bo is deciding this attention item until 2026-11-20T09:42:00.000Z';
    gateway.requests.on(requests.claimAttention, () => {
      throw new ServiceError('wrong_state', message);
    });
    const reply = await gateway.send('POST', path);
    expectProblem(reply, 409, 'wrong_state');
    expect(reply.body.detail).toBe(message);
  });

  it('of a resolved item is refused as such, and of an unknown one as unknown', async () => {
    const unknown = (): never => {
      throw new ServiceError('not_found', 'there is no open attention item');
    };
    gateway.requests.on(requests.claimAttention, unknown).on(requests.releaseAttention, unknown);
    expectProblem(await gateway.send('POST', path), 404, 'not_found');
    gateway.records.attention.push({ ...attentionItem, state: 'resolved' });
    expectProblem(await gateway.send('POST', path), 409, 'wrong_state');
    expectProblem(await gateway.send('DELETE', path), 409, 'wrong_state');
  });

  it('takes no other field', async () => {
    const reply = await gateway.send('POST', path, { take_over: 'yes', minutes: 5 });
    expectProblem(reply, 422, 'invalid');
    expect(reply.body.errors?.map((fault) => fault.path).sort()).toEqual(['minutes', 'take_over']);
  });
});

describe('pause and resume', () => {
  it.each([
    ['/api/protocols/mix_1/pause', requests.pauseProtocolRun],
    ['/api/protocols/mix_1/resume', requests.resumeProtocolRun],
    ['/api/campaigns/mix_1/pause', requests.pauseCampaign],
    ['/api/campaigns/mix_1/resume', requests.resumeCampaign],
  ])('POST %s is sent on and answered with 202 and the record', async (path, request) => {
    gateway.records.runs.push(runRecord());
    gateway.records.campaignList.push(campaignRecord({ name: 'mix_1' }));
    gateway.requests.on(request, () => ({ id: 'i', name: 'mix_1' }));
    for (const body of [undefined, {}, { by: 'ada' }]) {
      const reply = await gateway.send('POST', path, body);
      expect([reply.status, reply.body.name]).toEqual([202, 'mix_1']);
    }
    const by = gateway.requests.of(request).map(({ body }) => body);
    const resumes = path.endsWith('/resume') ? { rights: allLabs } : {};
    expect(by).toEqual(
      ['unknown', 'unknown', 'ada'].map((each) => ({ name: 'mix_1', by: each, ...resumes })),
    );
    expectProblem(await gateway.send('POST', path, { force: true }), 422, 'invalid');
    expectProblem(await gateway.send('POST', `${path}?by=ada`), 422, 'invalid');
  });

  it('of the queue answers with the state of the queue', async () => {
    const paused = { ...queue, paused: true, paused_by: 'ada', paused_at: '2026-11-20T09:30:00.000Z' };
    gateway.requests
      .on(requests.pauseQueue, () => paused)
      .on(requests.resumeQueue, () => queue)
      .on(requests.readQueue, () => ({ queue: paused, items: [], end: null }));
    const pause = await gateway.send('POST', '/api/queue/pause', { by: 'ada' });
    expect([pause.status, pause.body]).toEqual([202, paused]);
    expect((await gateway.send('GET', '/api/queue')).body).toEqual({
      ...paused,
      items: [],
      next_cursor: null,
    });
    expect((await gateway.send('POST', '/api/queue/resume')).body).toEqual(queue);
    expect(gateway.requests.sent.map(({ body }) => body)).toEqual([
      { by: 'ada' },
      { rights: allLabs, limit: 100, descending: false, after: null },
      { by: 'unknown' },
    ]);
  });
});

describe('the queue', () => {
  const [waiting = expect.fail('the example has no task')] = queuePage.items;

  it('is read page by page and filtered by the process that decides the order', async () => {
    gateway.requests.on(requests.readQueue, ({ after }) => ({
      queue,
      items: [{ ...waiting, position: after === null ? 1 : 2 }],
      end: after === null ? { value: 1, id: waiting.id } : null,
    }));
    const part =
      'limit=1&lab=color_lab&device=color_lab.station_1&owner=ada&protocol_run=mix_2&campaign=sweep';
    const first = await gateway.send('GET', `/api/queue?${part}`);
    expect(first.body).toMatchObject({
      queued: 3,
      running: 2,
      items: [{ position: 1, label: 'mix_2/mix_colors' }],
    });
    const cursor = String(first.body.next_cursor);
    const second = await gateway.send('GET', `/api/queue?${part}&cursor=${cursor}`);
    expect(second.body).toMatchObject({ items: [{ position: 2 }], next_cursor: null });
    const asked = {
      lab: 'color_lab',
      device: 'color_lab.station_1',
      owner: 'ada',
      protocol_run: 'mix_2',
      campaign: 'sweep',
      rights: allLabs,
      limit: 1,
      descending: false,
    };
    expect(gateway.requests.of(requests.readQueue).map(({ body }) => body)).toEqual([
      { ...asked, after: null },
      { ...asked, after: { value: 1, id: waiting.id } },
    ]);
    expectProblem(await gateway.send('GET', `/api/queue?limit=1&cursor=${cursor}`), 400, 'bad_request');
    await gateway.send('GET', '/api/queue?sort=-position');
    expect(gateway.requests.of(requests.readQueue).at(-1)?.body).toMatchObject({ descending: true });
  });

  it.each(['sort=priority', 'limit=0', 'limit=501', 'state=queued', 'owner='])(
    'is refused with ?%s',
    async (query) => {
      expectProblem(await gateway.send('GET', `/api/queue?${query}`), 422, 'invalid');
      expect(gateway.requests.of(requests.readQueue)).toEqual([]);
    },
  );
});

describe('a drained computer', () => {
  const at = '/api/agents/bench_b';
  const drain = {
    ...{ by: 'ada', reason: 'update', since: '2026-11-23T17:00:00.000Z', until: null },
    ...{ drained: false, used_by: ['mix_1/mix'], kept_by: [] },
  };

  it('is requested with actor, reason and time, and answered with its agent', async () => {
    gateway.requests
      .on(requests.drainComputer, () => ({}))
      .on(requests.resumeComputer, () => ({}))
      .on(requests.listAgents, () => ({ agents: [{ ...agent, drain }] }));
    const until = '2026-11-23T18:00:00Z';
    const answers = [
      await gateway.send('POST', `${at}/drain`, { reason: 'update', until, by: 'ada' }),
      await gateway.send('POST', `${at}/drain`, { reason: 'update' }),
      await gateway.send('POST', `${at}/resume`),
    ];
    for (const answer of answers) expect(answer).toMatchObject({ status: 200, body: { drain } });
    expect(gateway.requests.of(requests.drainComputer).map((asked) => asked.body)).toEqual([
      { computer: 'bench_b', reason: 'update', until, by: 'ada' },
      { computer: 'bench_b', reason: 'update', until: null, by: 'unknown' },
    ]);
    expect(gateway.requests.of(requests.resumeComputer).map((asked) => asked.body)).toEqual([
      { computer: 'bench_b', by: 'unknown' },
    ]);
  });

  it('is refused without a reason', async () => {
    expectProblem(await gateway.send('POST', `${at}/drain`, {}), 422, 'invalid');
  });
});

describe('a device out of service', () => {
  const at = '/api/labs/color_lab/devices/arm';
  const body = { reason: 'worn', until: '2026-11-23T18:00:00Z', by: 'ada' };

  it('is requested with actor, reason and time, and answered with the device', async () => {
    gateway.requests
      .on(requests.disableDevice, () => ({}))
      .on(requests.enableDevice, () => ({}))
      .on(requests.listDevices, () => ({
        devices: [{ ...deviceDetail, functions: [], lab_name: 'color_lab', name: 'arm' }],
      }));
    const answers = [
      await gateway.send('POST', `${at}/disable`, body),
      await gateway.send('POST', `${at}/disable`, { reason: 'worn' }),
      await gateway.send('POST', `${at}/enable`),
    ];
    for (const answer of answers) expect(answer).toMatchObject({ status: 200, body: { name: 'arm' } });
    const named = { lab: 'color_lab', device: 'arm' };
    expect(gateway.requests.of(requests.disableDevice).map((asked) => asked.body)).toEqual([
      { ...named, ...body },
      { ...named, reason: 'worn', until: null, by: 'unknown' },
    ]);
    expect(gateway.requests.of(requests.enableDevice).map((asked) => asked.body)).toEqual([
      { ...named, by: 'unknown' },
    ]);
  });

  it('is restarted with actor and reason', async () => {
    gateway.requests
      .on(requests.restartDevice, () => ({}))
      .on(requests.listDevices, () => ({
        devices: [{ ...deviceDetail, functions: [], lab_name: 'color_lab', name: 'arm' }],
      }));
    const { status } = await gateway.send('POST', `${at}/restart`, { reason: 'cable', by: 'ada' });
    expect(status).toBe(202);
    expect(gateway.requests.of(requests.restartDevice).map((asked) => asked.body)).toEqual([
      { lab: 'color_lab', device: 'arm', reason: 'cable', by: 'ada' },
    ]);
    expectProblem(await gateway.send('POST', `${at}/restart`, {}), 422, 'invalid');
    gateway.requests.on(requests.restartDevice, () => {
      throw new ServiceError('wrong_state', 'the task mix_1/mix has the device color_lab.arm');
    });
    expectProblem(await gateway.send('POST', `${at}/restart`, { reason: 'cable' }), 409, 'wrong_state');
  });

  it.each([
    ['reason', { until: body.until }],
    ['until', { ...body, until: 'tomorrow' }],
    ['until', { ...body, until: '2026-11-23T18:00:00' }],
    ['duration', { ...body, duration: 3 }],
  ])('is refused when %s is wrong', async (path, wrong) => {
    const answer = await gateway.send('POST', `${at}/disable`, wrong);
    expectProblem(answer, 422, 'invalid');
    expect(answer.body.errors?.[0]).toMatchObject({ path });
  });
});

describe('a reset of a resource', () => {
  it('is sent on with actor and reason, and answered with the resource', async () => {
    const beaker = {
      name: 'beaker_1',
      type: 'beaker',
      meta: { ml: 0 },
      lab: 'color_lab',
      used_by: null,
      held_by: null,
      since: null,
    };
    gateway.records.resources.push(beaker);
    gateway.requests.on(requests.resetResource, ({ name }) => ({ name }));
    const path = '/api/resources/beaker_1/reset';
    for (const body of [undefined, { reason: 'washed', force: true, by: 'ada' }])
      expect(await gateway.send('POST', path, body)).toMatchObject({ status: 200, body: beaker });
    expect(gateway.requests.of(requests.resetResource).map(({ body }) => body)).toEqual([
      { name: 'beaker_1', by: 'unknown', reason: '', force: false },
      { name: 'beaker_1', by: 'ada', reason: 'washed', force: true },
    ]);
    expectProblem(await gateway.send('POST', path, { force: 'yes' }), 422, 'invalid');
    gateway.requests.on(requests.resetResource, () => {
      throw new ServiceError('wrong_state', 'the task mix_1/mix has the resource "beaker_1"');
    });
    const refused = await gateway.send('POST', path);
    expectProblem(refused, 409, 'wrong_state');
    expect(refused.body.detail).toContain('mix_1/mix');
  });
});

describe('the attempts of a task', () => {
  it('are read with their task', async () => {
    gateway.records.taskRuns.push(
      taskRecord({ id: 'r' }),
      taskRecord({ id: 'm', name: 'mix', protocol_run: 'mix_1' }),
    );
    gateway.records.attempts.push({ ...attempt, task_run_id: 'm' });
    expect((await gateway.send('GET', '/api/tasks/rinse_1/attempts')).body.items).toEqual([]);
    expect((await gateway.send('GET', '/api/tasks/mix/attempts?protocol_run_name=mix_1')).body.items).toEqual(
      [{ ...attempt, task_run_id: 'm' }],
    );
    expectProblem(await gateway.send('GET', '/api/tasks/mix/attempts'), 404, 'not_found');
    expectProblem(await gateway.send('GET', '/api/tasks/mix/attempts?run=mix_1'), 422, 'invalid');
  });
});

describe('an emergency stop', () => {
  const engaged = (): void => {
    gateway.requests.on(requests.listDevices, () => ({ devices: [] }));
    gateway.requests.on(requests.engageStop, ({ id, scope, by, reason }) => {
      gateway.records.stops.push({ ...emergencyStop, id, scope, by, reason });
      return { id };
    });
  };

  it.each([
    [undefined, { scope: 'all', by: 'unknown', reason: '' }],
    [{}, { scope: 'all', by: 'unknown', reason: '' }],
    [
      { lab_name: 'color_lab', by: 'ada' },
      { scope: 'lab:color_lab', by: 'ada', reason: '' },
    ],
    [
      { lab_name: 'color_lab', device_name: 'arm', reason: 'spill' },
      { scope: 'device:color_lab.arm', by: 'unknown', reason: 'spill' },
    ],
  ])('with %j reaches the agents, is recorded and is answered with 201', async (body, stop) => {
    engaged();
    const reply = await gateway.send('POST', '/api/estop', body);
    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({ ...stop, released_at: null, confirmed: true, devices: [] });
    const told = { name: agentEvents.emergencyStop.name, body: { ...stop, id: reply.body.id } };
    expect(gateway.announcements.announced[0]).toEqual(told);
    expect(gateway.requests.of(requests.engageStop).map((each) => each.body)).toEqual([told.body]);
  });

  it('of a device without its laboratory stops nothing and names the missing field', async () => {
    const reply = await gateway.send('POST', '/api/estop', { device_name: 'arm' });
    expectProblem(reply, 400, 'bad_request');
    expect(reply.body).toMatchObject({
      effect: 'none',
      detail: expect.stringContaining('lab_name') as string,
    });
    expect([gateway.announcements.announced, gateway.requests.sent]).toEqual([[], []]);
  });

  it('of an unknown laboratory names the error', async () => {
    gateway.requests.on(requests.engageStop, () => {
      throw new ServiceError('unknown_lab', 'the laboratory "none" is not loaded');
    });
    expectProblem(await gateway.send('POST', '/api/estop', { lab_name: 'none' }), 404, 'unknown_lab');
    expect(gateway.requests.of(requests.engageStop)).toHaveLength(1);
  });

  it('that is not recorded yet is answered with 202, and can be read', async () => {
    gateway.requests.on(requests.engageStop, () => {
      throw new ServiceError('store_unavailable', 'the database is away');
    });
    gateway.requests.on(requests.listDevices, () => ({ devices: [] }));
    const reply = await gateway.send('POST', '/api/estop', { reason: 'spill' });
    expect([reply.status, reply.body.engaged_at, reply.body.confirmed]).toEqual([202, null, true]);
    const read = await gateway.send('GET', `/api/estop/${String(reply.body.id)}`);
    expect([read.status, read.body]).toEqual([200, reply.body]);
  });

  it('is read by its id, with the devices only while it is in force', async () => {
    const over = { ...emergencyStop, id: 'over', released_at: emergencyStop.engaged_at, released_by: 'bo' };
    gateway.records.stops.push(emergencyStop, over);
    gateway.requests.on(requests.listDevices, () => ({ devices: [{ ...deviceDetail, functions: [] }] }));
    const read = await gateway.send('GET', `/api/estop/${emergencyStop.id}`);
    expect(read.body).toMatchObject({ ...emergencyStop, confirmed: false, complete: true });
    expect(read.body.devices).toMatchObject([{ name: 'station_1', state: 'not_reached' }]);
    expect((await gateway.send('GET', '/api/estop/over')).body).toEqual({
      ...over,
      confirmed: false,
      complete: true,
      devices: [],
    });
    expectProblem(await gateway.send('GET', '/api/estop/none'), 404, 'not_found');
  });

  it.each([{ lab: 'color_lab' }, [], 'all'])('with the body %j stops nothing', async (body) => {
    expectProblem(await gateway.send('POST', '/api/estop', JSON.stringify(body)), 422, 'invalid');
    expect(gateway.announcements.announced).toEqual([]);
  });

  it('is listed while it is in force, and afterwards on request', async () => {
    const { engaged_at: later } = emergencyStop;
    const engaged_at = '2026-11-20T09:00:00.000Z';
    const released = { ...emergencyStop, id: 'over', engaged_at, released_at: later };
    gateway.records.stops.push(emergencyStop, released);
    expect((await gateway.send('GET', '/api/estop')).body.items).toEqual([emergencyStop]);
    expect((await gateway.send('GET', '/api/estop?all=false')).body.items).toEqual([emergencyStop]);
    expect((await gateway.send('GET', '/api/estop?all=true')).body.items).toEqual([emergencyStop, released]);
    expectProblem(await gateway.send('GET', '/api/estop?all=yes'), 422, 'invalid');
  });

  it.each([
    [undefined, { id: emergencyStop.id, by: 'unknown' }],
    [
      { id: emergencyStop.id, by: 'ada' },
      { id: emergencyStop.id, by: 'ada' },
    ],
  ])('is released by %j', async (body, passedOn) => {
    gateway.records.stops.push(emergencyStop);
    gateway.requests.on(requests.releaseStop, () => ({ ids: [emergencyStop.id] }));
    const reply = await gateway.send('POST', '/api/estop/release', body);
    expect([reply.status, reply.body]).toEqual([200, [emergencyStop]]);
    expect(gateway.requests.of(requests.releaseStop)[0]?.body).toEqual(passedOn);
  });
});

describe('the schedule', () => {
  it('is the answer of the orchestrator, in whole or in part', async () => {
    gateway.requests.on(requests.readSchedule, () => schedule);
    expect((await gateway.send('GET', '/api/schedule')).body).toEqual(schedule);
    const part = 'run=mix_1&device=color_lab.station_1&lab=color_lab&limit=1000';
    expect((await gateway.send('GET', `/api/schedule?${part}`)).status).toBe(200);
    expect(gateway.requests.of(requests.readSchedule).map((each) => each.body)).toEqual([
      { rights: allLabs, limit: 500 },
      { rights: allLabs, run: 'mix_1', device: 'color_lab.station_1', lab: 'color_lab', limit: 1_000 },
    ]);
  });

  it('of a window joins unfinished and ended tasks by their starts, and says whether it is cut', async () => {
    const [running, queued] = schedule.tasks as [ScheduledTask, ScheduledTask];
    const ended: ScheduledTask = {
      ...running,
      id: '0190c0de-0000-7000-8000-000000000001',
      state: 'completed',
      started_at: '2026-11-20T09:10:00.000Z',
      ended_at: '2026-11-20T09:20:00.000Z',
    };
    const over: ScheduledTask = { ...running, state: 'completed', ended_at: '2026-11-20T09:30:02.000Z' };
    gateway.records.ended = [ended, over];
    gateway.requests.on(requests.readSchedule, ({ window }) =>
      window?.after === null
        ? { ...schedule, tasks: [running], truncated: true }
        : { ...schedule, tasks: [queued], truncated: false },
    );
    const window = 'from=2026-11-20T09:00:00Z&to=2026-11-20T11:00:00%2B01:00&lab=color_lab';
    const { status, body } = await gateway.send('GET', `/api/schedule?${window}&limit=10000`);
    const read = body as unknown as ScheduleRecord;
    expect([status, read.tasks, read.tasks_total, read.truncated]).toEqual([
      ...[200, [ended, over, queued], 3],
      false,
    ]);
    expect(read.units[0]?.timeline.map(({ task, planned }) => [task, planned])).toEqual([
      [ended.id, false],
      [over.id, false],
    ]);
    const range = { from: Date.parse('2026-11-20T09:00:00Z'), to: Date.parse('2026-11-20T10:00:00Z') };
    const first = { start: Date.parse(running.started_at ?? ''), id: running.id };
    expect(gateway.requests.of(requests.readSchedule).map((each) => each.body)).toEqual([
      { rights: allLabs, lab: 'color_lab', limit: 1_000, window: { ...range, after: null } },
      { rights: allLabs, lab: 'color_lab', limit: 1_000, window: { ...range, after: first } },
    ]);
    expect(gateway.records.askedEnded).toEqual([
      {
        ...{ lab: 'color_lab', limit: 10_001 },
        ...{ from: '2026-11-20T09:00:00.000Z', to: '2026-11-20T10:00:00.000Z' },
      },
    ]);
    const { body: part } = await gateway.send('GET', `/api/schedule?${window}&limit=2`);
    const cut = part as unknown as ScheduleRecord;
    expect([cut.tasks.map(({ id }) => id), cut.truncated]).toEqual([[ended.id, over.id], true]);
  });

  it.each([
    ['from=2026-11-20T09:00:00Z', '?to'],
    ['to=2026-11-20T09:00:00Z', '?from'],
    ['from=2026-11-20T09:00:00&to=2026-11-20T10:00:00Z', '?from'],
    ['from=2026-11-20T09:00:00Z&to=yesterday', '?to'],
    ['from=2026-11-20T09:00:00Z&to=2026-11-20T09:00:00Z', '?to'],
    ['from=2026-11-20T09:00:00Z&to=2026-11-20T10:00:00Z&limit=10001', '?limit'],
  ])('of the window ?%s is refused at %s', async (query, path) => {
    const reply = await gateway.send('GET', `/api/schedule?${query}`);
    expectProblem(reply, 422, 'invalid');
    expect(reply.body).toMatchObject({ errors: [{ path }] });
    expect(gateway.requests.of(requests.readSchedule)).toEqual([]);
  });

  it.each(['runs=mix_1', 'limit=0', 'limit=1001', 'limit=many', 'run=a&run=b'])(
    'is refused with ?%s',
    async (query) => {
      expectProblem(await gateway.send('GET', `/api/schedule?${query}`), 422, 'invalid');
      expect(gateway.requests.of(requests.readSchedule)).toEqual([]);
    },
  );
});
