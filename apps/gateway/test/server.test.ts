import { beforeEach, describe, expect, it } from 'vitest';
import { allLabs, agentRequests, orchestratorRequests, ServiceError } from '@lab/contracts';
import {
  campaignRecord,
  expectProblem,
  raw,
  runRecord,
  sharedHarness,
  startHarness,
  taskRecord,
} from './twins.js';

const gateway = sharedHarness();

const run = { name: 'mix_1', type: 'color_mixing' };

describe('a submission', () => {
  it.each([
    [
      '/api/protocols',
      run,
      orchestratorRequests.submitProtocolRun,
      () => gateway.records.runs.push(runRecord({ name: 'mix 1/ä' })),
    ],
    [
      '/api/campaigns',
      { name: 'sweep', protocol: 'color_mixing', max_protocol_runs: 3 },
      orchestratorRequests.submitCampaign,
      () => gateway.records.campaignList.push(campaignRecord({ name: 'mix 1/ä' })),
    ],
    [
      '/api/tasks',
      { name: 'rinse_1', type: 'clean_container', devices: { arm: { lab_name: 'color_lab', name: 'arm' } } },
      orchestratorRequests.submitTask,
      () => gateway.records.taskRuns.push(taskRecord({ name: 'mix 1/ä' })),
    ],
  ])(
    'to %s is sent on unchanged with an id, and answered with 201, the record and its address',
    async (path, body, request, store) => {
      gateway.requests.on(request, () => {
        store();
        return { id: 'i', name: 'mix 1/ä' };
      });
      const reply = await gateway.send('POST', path, body);
      expect(reply.status).toBe(201);
      expect(reply.headers.get('location')).toBe(`${path}/mix%201%2F%C3%A4`);
      expect(reply.body.name).toBe('mix 1/ä');
      const audit = {
        action: `POST ${path}`,
        subject: expect.stringContaining(`/${body.name}`),
        by: 'local',
      };
      expect(gateway.requests.of(request)[0]?.body).toEqual({
        ...body,
        rights: allLabs,
        submission_id: expect.any(String),
        audit: expect.objectContaining(audit),
      });
      const read = await gateway.send('GET', reply.headers.get('location') ?? '');
      expect(read.body).toEqual(reply.body);
    },
  );

  it.each([
    ['/api/protocols', { ...run, name: 3, colour: 1 }, ['name', 'colour']],
    [
      '/api/campaigns',
      { name: 'a', protocol: '', max_protocol_runs: -1, x: 1 },
      ['protocol', 'max_protocol_runs', 'x'],
    ],
    ['/api/tasks', { name: 'a', type: 'b', priority: 0.5, devices: { arm: {} } }, ['priority', 'devices']],
    ['/api/tasks', undefined, ['']],
    ['/api/tasks', 'null', ['']],
    ['/api/tasks', '[]', ['']],
    ['/api/protocols', '{"name": "x\\u0000", "type": "y"}', ['name']],
  ])('to %s with %j is refused with every fault and reaches no orchestrator', async (path, body, paths) => {
    const reply = await gateway.send('POST', path, body);
    expectProblem(reply, 422, 'invalid');
    expect(new Set(reply.body.errors?.map((fault) => fault.path))).toEqual(new Set(paths));
    expect(reply.body.effect).toBe('none');
    expect(gateway.requests.sent).toEqual([]);
  });

  it('to /api/tasks is answered with the record of the orchestrator, without reading it', async () => {
    const record = taskRecord({ name: 'rinse_1' });
    gateway.requests.on(orchestratorRequests.submitTask, () => ({ id: 'i', name: 'rinse_1', record }));
    const reply = await gateway.send('POST', '/api/tasks', { name: 'rinse_1', type: 'clean_container' });
    expect([reply.status, reply.body]).toEqual([201, record]);
    expect(gateway.records.taskRuns).toEqual([]);
  });

  it('refused by the orchestrator carries its code and faults', async () => {
    gateway.requests.on(orchestratorRequests.submitProtocolRun, () => {
      throw new ServiceError('invalid', 'missing parameters', {
        faults: [{ path: 'parameters.mix.cyan', code: 'required', message: 'is missing', hint: 'A number.' }],
      });
    });
    const reply = await gateway.send('POST', '/api/protocols', run);
    expectProblem(reply, 422, 'invalid');
    expect(reply.body.errors).toEqual([
      { path: 'parameters.mix.cyan', code: 'required', message: 'is missing', hint: 'A number.' },
    ]);
  });

  it.each([
    ['duplicate_name', 409],
    ['unknown_protocol', 422],
    ['backlog_full', 429],
    ['store_unavailable', 503],
  ] as const)('refused with %s is a problem of status %i', async (code, status) => {
    gateway.requests.on(orchestratorRequests.submitProtocolRun, () => {
      throw new ServiceError(code, 'words for people');
    });
    const reply = await gateway.send('POST', '/api/protocols', run);
    expectProblem(reply, status, code);
    expect(reply.body.detail).toBe('words for people');
    expect(reply.headers.get('retry-after')).toBe(status === 429 || status === 503 ? '1' : null);
  });

  it.each([
    [0.2, '1'],
    [7.2, '8'],
    [900, '60'],
  ])('that may succeed in %d s says to retry after %s s', async (retryAfterS, header) => {
    gateway.requests.on(orchestratorRequests.submitProtocolRun, () => {
      throw new ServiceError('backlog_full', 'too many', { retryAfterS });
    });
    const reply = await gateway.send('POST', '/api/protocols', run);
    expectProblem(reply, 429, 'backlog_full');
    expect(reply.headers.get('retry-after')).toBe(header);
  });

  it('without an answer tells the client to look before sending again', async () => {
    gateway.requests.on(orchestratorRequests.submitProtocolRun, () => {
      throw new ServiceError('deadline_exceeded', 'no reply on svc.v1.x', { effect: 'maybe' });
    });
    const reply = await gateway.send('POST', '/api/protocols', run);
    expectProblem(reply, 504, 'deadline_exceeded');
    expect(reply.body.effect).toBe('maybe');
    expect(reply.body.detail).toContain('Read the record');
  });

  it('reports its success when the record cannot be read afterwards', async () => {
    gateway.requests.on(orchestratorRequests.submitProtocolRun, () => {
      gateway.records.failure = new ServiceError('store_unavailable', 'gone');
      return { id: 'i', name: 'mix_1' };
    });
    const reply = await gateway.send('POST', '/api/protocols', run);
    expectProblem(reply, 503, 'store_unavailable');
    expect(reply.body.effect).toBe('done');
    expect(reply.headers.get('retry-after')).toBeNull();
  });
});

describe('a cancel', () => {
  it.each([
    ['/api/protocols/mix_1/cancel', orchestratorRequests.cancelProtocolRun, { name: 'mix_1' }],
    ['/api/campaigns/mix_1/cancel', orchestratorRequests.cancelCampaign, { name: 'mix_1' }],
    ['/api/tasks/mix_1/cancel', orchestratorRequests.cancelTask, { name: 'mix_1' }],
    [
      '/api/tasks/mix_1/cancel?protocol_run_name=run%201',
      orchestratorRequests.cancelTask,
      { name: 'mix_1', protocol_run_name: 'run 1' },
    ],
  ])('POST %s is sent on and answered with 202 and the record', async (path, request, body) => {
    gateway.records.runs.push(runRecord());
    gateway.records.campaignList.push(campaignRecord({ name: 'mix_1' }));
    gateway.records.taskRuns.push(
      taskRecord({ name: 'mix_1' }),
      taskRecord({ name: 'mix_1', protocol_run: 'run 1' }),
    );
    gateway.requests.on(request, () => ({ id: 'i', name: 'mix_1' }));
    for (const sent of [undefined, {}]) {
      const reply = await gateway.send('POST', path, sent);
      expect(reply.status).toBe(202);
      expect(reply.body.name).toBe('mix_1');
    }
    expect(gateway.requests.of(request).map((message) => message.body)).toEqual([body, body]);
  });

  it.each([
    ['/api/tasks/mix/cancel?protocol_run=run_1', undefined],
    ['/api/tasks/mix/cancel?protocol_run_name=a&protocol_run_name=b', undefined],
    ['/api/tasks/mix/cancel', { protocol_run_name: 'run_1' }],
    ['/api/protocols/mix/cancel', { force: true }],
    ['/api/protocols/mix/cancel?force=1', undefined],
    ['/api/campaigns/mix/cancel', ['x']],
  ])('POST %s with %j cancels nothing', async (path, body) => {
    expectProblem(await gateway.send('POST', path, body), 422, 'invalid');
    expect(gateway.requests.sent).toEqual([]);
  });
});

describe('reading', () => {
  it('distinguishes an on-demand task from a task of a run', async () => {
    gateway.records.taskRuns.push(
      taskRecord({ type: 'alone' }),
      taskRecord({ type: 'inside', protocol_run: 'mix_1' }),
    );
    expect((await gateway.send('GET', '/api/tasks/rinse_1')).body.type).toBe('alone');
    expect((await gateway.send('GET', '/api/tasks/rinse_1?protocol_run_name=mix_1')).body.type).toBe(
      'inside',
    );
    expectProblem(await gateway.send('GET', '/api/tasks/rinse_1?protocol_run_name=other'), 404, 'not_found');
  });

  it.each([
    'mix 1',
    'a/b',
    'a%b',
    '100%',
    'ü/日本',
    '__proto__',
    '..',
    'a?b#c',
    '\u{1f9ea}',
    'x'.repeat(200),
  ])('finds a run named %j', async (name) => {
    gateway.records.runs.push(runRecord({ name }));
    const path = `/api/protocols/${encodeURIComponent(name).replaceAll('.', '%2E')}`;
    const reply = await raw(gateway.url, `GET ${path} HTTP/1.1`);
    expect(reply.status).toBe(200);
    expect((JSON.parse(reply.body) as { name: string }).name).toBe(name);
  });

  it.each(['%00', 'a%00b', '%20a', 'x'.repeat(201), '%0A'])(
    'answers 404 for %s, which no record can have as a name',
    async (name) => {
      for (const path of [`/api/protocols/${name}`, `/api/campaigns/${name}`, `/api/tasks/${name}`]) {
        expectProblem(await gateway.send('GET', path), 404, 'not_found');
      }
      expectProblem(await gateway.send('GET', `/api/tasks/a?protocol_run_name=${name}`), 404, 'not_found');
    },
  );

  it('lists the newest first, filtered by state and limit', async () => {
    gateway.records.runs.push(
      runRecord({ name: 'a', state: 'failed', created_at: '2026-11-20T09:30:01.000Z' }),
      runRecord({ name: 'b', created_at: '2026-11-20T09:30:02.000Z' }),
      runRecord({ name: 'c', state: 'failed', created_at: '2026-11-20T09:30:03.000Z' }),
    );
    const names = async (query: string): Promise<unknown> =>
      ((await gateway.send('GET', `/api/protocols${query}`)).body.items as { name: string }[]).map(
        ({ name }) => name,
      );
    expect(await names('')).toEqual(['c', 'b', 'a']);
    expect(await names('?state=failed')).toEqual(['c', 'a']);
    expect(await names('?limit=1&state=failed')).toEqual(['c']);
  });

  it.each([
    'limit=0',
    'limit=501',
    'limit=1.5',
    'limit=',
    'limit=x',
    'state=done',
    'state=',
    'colour=1',
    'limit=1&limit=2',
  ])('refuses a list with ?%s', async (query) => {
    for (const path of ['protocols', 'campaigns', 'tasks']) {
      const reply = await gateway.send('GET', `/api/${path}?${query}`);
      expectProblem(reply, 422, 'invalid');
      expect(reply.body.errors?.[0]?.path).toBe(`?${query.split('=')[0]}`);
    }
  });

  it('continues while the orchestrator is away, and submissions get 503', async () => {
    const away = await startHarness();
    try {
      away.records.runs.push(runRecord());
      expect((await away.send('GET', '/api/protocols/mix_1')).status).toBe(200);
      expectProblem(await away.send('POST', '/api/protocols', run), 503, 'service_unavailable');
      expectProblem(await away.send('GET', '/api/devices'), 503, 'service_unavailable');
    } finally {
      await away.server.close();
    }
  });
});

describe('a device call over HTTP', () => {
  const path = '/api/rpc/color_lab/station%201/mix';

  beforeEach(() => {
    gateway.requests
      .on(orchestratorRequests.locateDevice, () => ({ computer: 'svc_computer', inc: 1, fence: 0 }))
      .on(agentRequests.readClock, () => ({ now_ms: 1 }))
      .on(agentRequests.callDevice, ({ arguments: given }) => ({ result: given }));
  });

  it.each([
    [
      { volume: 2.5, deep: { a: [1, null, 'x'] } },
      { volume: 2.5, deep: { a: [1, null, 'x'] } },
    ],
    [{}, {}],
    [undefined, {}],
  ])('with %j passes the parameters on', async (body, expected) => {
    const reply = await gateway.send('POST', path, body);
    expect({ status: reply.status, body: JSON.parse(reply.text) as unknown }).toEqual({
      status: 200,
      body: expected,
    });
    expect(gateway.requests.of(agentRequests.callDevice)[0]?.tokens).toMatchObject({
      lab: 'color_lab',
      device: 'station 1',
    });
  });

  it.each([['text'], [''], [0], [false], [null], [[1, 2]], [{ then: 1 }]])(
    'answers %j as JSON',
    async (result) => {
      gateway.requests.on(agentRequests.callDevice, () => ({ result }));
      const reply = await gateway.send('POST', path, {});
      expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
      expect(JSON.parse(reply.text)).toEqual(result);
    },
  );

  it('that returns nothing answers null', async () => {
    gateway.requests.on(agentRequests.callDevice, () => ({}));
    expect((await gateway.send('POST', path)).text).toBe('null');
  });

  it('with more than 64 KiB of parameters calls nothing', async () => {
    expect((await gateway.send('POST', path, { note: 'x'.repeat(65_000) })).status).toBe(200);
    expectProblem(await gateway.send('POST', path, { note: 'x'.repeat(65_536) }), 422, 'invalid');
    expect(gateway.requests.of(agentRequests.callDevice)).toHaveLength(1);
  });

  it.each(['[]', '3', '"x"', 'null'])('with %s instead of an object calls nothing', async (body) => {
    expectProblem(await gateway.send('POST', path, body), 422, 'invalid');
    expect(gateway.requests.sent).toEqual([]);
  });

  it("reports the author's message, the stack and the known effect when it fails", async () => {
    gateway.requests.on(agentRequests.callDevice, () => {
      throw new ServiceError('device_error', 'the pump is dry', {
        effect: 'maybe',
        authorStack: 'Error: the pump is dry\n    at color_lab/devices/station.ts:4:11',
      });
    });
    const reply = await gateway.send('POST', path, {});
    expectProblem(reply, 502, 'device_error');
    expect(reply.body).toMatchObject({
      detail: 'the pump is dry',
      effect: 'maybe',
      author_stack: 'Error: the pump is dry\n    at color_lab/devices/station.ts:4:11',
    });
  });

  it.each([
    ['unknown_function', 404],
    ['device_unavailable', 503],
    ['deadline_exceeded', 504],
    ['aborted', 409],
  ] as const)('refused with %s has status %i', async (code, status) => {
    gateway.requests.on(agentRequests.callDevice, () => {
      throw new ServiceError(code, 'no');
    });
    expectProblem(await gateway.send('POST', path, {}), status, code);
  });
});
