import {
  agentRequests,
  orchestratorRequests as requests,
  ServiceError,
  type AnyRequest,
  type Grant,
} from '@lab/contracts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { byTokens, headersOf } from '../tokens.js';
import {
  campaignRecord,
  expectProblem,
  runRecord,
  startHarness,
  taskRecord,
  type Harness,
} from '../twins.js';
import { TakenDevices } from '../../src/devices/taken-devices.js';

const taken = new TakenDevices();
let gateway: Harness;
const people = {} as Record<'ada' | 'eve' | 'op' | 'lee', { authorization: string }>;
const submitter: Grant[] = [{ role: 'submitter' }];

beforeAll(async () => {
  gateway = await startHarness({}, undefined, byTokens, { taken });
  people.ada = await headersOf(gateway, 'ada', submitter);
  people.eve = await headersOf(gateway, 'eve', [...submitter, { role: 'operator', lab: 'color_lab' }]);
  people.op = await headersOf(gateway, 'op', [{ role: 'operator' }]);
  people.lee = await headersOf(gateway, 'lee', [
    { role: 'operator', lab: 'color_lab' },
    { role: 'submitter', lab: 'other' },
  ]);
  gateway.records.taskRuns.push(taskRecord({ name: 'rinse', owner: 'ada' }));
  gateway.records.runs.push(runRecord({ name: 'mix', owner: 'ada' }));
  gateway.records.campaignList.push(campaignRecord({ name: 'sweep', owner: 'ada' }));
});
afterAll(() => gateway.server.close());
beforeEach(() => {
  gateway.requests.sent.length = 0;
  gateway.audit.entries.length = 0;
  gateway.audit.failure = undefined;
});

const accepted = { id: 'i', name: 'x' };

describe('the address of an optimizer worker', () => {
  const overrides = { ai_model_settings: { base_url: 'http://169.254.169.254/latest' } };
  const acts: [string, string, object][] = [
    [
      'POST',
      '/api/campaigns',
      {
        name: 'x',
        protocol: 't',
        max_protocol_runs: 1,
        optimize: true,
        meta: { optimizer_overrides: overrides },
      },
    ],
    ['POST', '/api/campaigns/sweep/resume', { optimizer_overrides: overrides }],
  ];

  it.each(acts)('is refused in %s %s when the caller may not change packages', async (method, path, body) => {
    for (const person of [people.ada, people.op]) {
      const reply = await gateway.send(method, path, body, person);
      expectProblem(reply, 403, 'forbidden');
      expect(reply.body.detail).toContain('base_url');
    }
    expect(gateway.requests.sent).toEqual([]);
  });

  it('is accepted from an admin', async () => {
    const root = await headersOf(gateway, 'root', [{ role: 'admin' }]);
    gateway.requests.on(requests.resumeCampaign, ({ name }) => ({ id: 'c', name }));
    const [, [method, path, body]] = acts as [unknown, [string, string, object]];
    expect((await gateway.send(method, path, body, root)).status).toBe(202);
    expect(gateway.requests.of(requests.resumeCampaign)).toHaveLength(1);
  });
});

describe('work with an owner', () => {
  const acts: [string, string, unknown, AnyRequest][] = [
    ['POST', '/api/tasks/rinse/cancel', undefined, requests.cancelTask],
    ['POST', '/api/protocols/mix/cancel', undefined, requests.cancelProtocolRun],
    ['POST', '/api/protocols/mix/pause', {}, requests.pauseProtocolRun],
    ['POST', '/api/protocols/mix/resume', {}, requests.resumeProtocolRun],
    ['POST', '/api/campaigns/sweep/cancel', undefined, requests.cancelCampaign],
    ['POST', '/api/campaigns/sweep/pause', {}, requests.pauseCampaign],
    ['POST', '/api/campaigns/sweep/resume', {}, requests.resumeCampaign],
    ['PUT', '/api/campaigns/sweep/optimizer/params', { p_ai: 0 }, requests.configureOptimizer],
    ['POST', '/api/campaigns/sweep/optimizer/insight', { insight: 'x' }, requests.addInsight],
    ['POST', '/api/protocols', { name: 'mix', type: 't', resume: true }, requests.submitProtocolRun],
    [
      'POST',
      '/api/campaigns',
      { name: 'sweep', protocol: 't', max_protocol_runs: 1, resume: true },
      requests.submitCampaign,
    ],
  ];

  it.each(acts)('cannot be changed by another person: %s %s', async (method, path, body, request) => {
    gateway.requests.on(request, () => accepted as never);
    expectProblem(await gateway.send(method, path, body, people.eve), 403, 'forbidden');
    expect(gateway.requests.of(request)).toEqual([]);
  });

  // A repeated submission checks the owner in its body, not a record named by the address.
  const addressed = acts.filter(([, path]) => path.split('/').length > 3);
  const belongTo = (...labs: string[]): void => {
    for (const key of ['task/rinse', 'protocol_run/mix', 'campaign/sweep'])
      gateway.records.labs.set(key, labs);
  };
  afterEach(() => gateway.records.labs.clear());

  it.each(addressed)(
    'can be changed by an operator of all its laboratories: %s %s',
    async (method, path, body, request) => {
      gateway.requests.on(request, () => accepted as never);
      belongTo('color_lab');
      await gateway.send(method, path, body, people.eve);
      await gateway.send(method, path, body, people.lee);
      expect(gateway.requests.of(request)).toHaveLength(2);
    },
  );

  it.each(addressed)(
    'cannot be changed by an operator of only some of its laboratories: %s %s',
    async (method, path, body, request) => {
      gateway.requests.on(request, () => accepted as never);
      belongTo('color_lab', 'other');
      expectProblem(await gateway.send(method, path, body, people.eve), 403, 'forbidden');
      expectProblem(await gateway.send(method, path, body, people.lee), 403, 'forbidden');
      expect(gateway.requests.of(request)).toEqual([]);
    },
  );

  it.each(acts)('can be changed by its owner: %s %s', async (method, path, body, request) => {
    gateway.requests.on(request, () => accepted as never);
    await gateway.send(method, path, body, people.ada);
    expect(gateway.requests.of(request)).toHaveLength(1);
  });

  it.each(acts)(
    'can be changed by an operator under the name of the operator: %s %s',
    async (method, path, body, request) => {
      gateway.requests.on(request, () => accepted as never);
      const given = method === 'POST' && path.endsWith('e') ? { by: 'somebody else' } : body;
      await gateway.send(method, path, given, people.op);
      const [sent] = gateway.requests.of(request);
      expect(sent).toBeDefined();
      expect(sent?.body).not.toMatchObject({ by: 'somebody else' });
    },
  );
});

describe('a submission', () => {
  const submission = { name: 'new', type: 'clean' };

  it.each<[keyof typeof people, string | undefined, string | undefined]>([
    ['ada', undefined, 'ada'],
    ['ada', 'ada', 'ada'],
    ['ada', 'eve', undefined],
    ['ada', '', undefined],
    ['op', 'eve', 'eve'],
    ['op', undefined, 'op'],
  ])('by %s for owner %s belongs to %s', async (who, owner, expected) => {
    gateway.requests.on(requests.submitTask, () => accepted);
    const body = owner === undefined ? submission : { ...submission, owner };
    const reply = await gateway.send('POST', '/api/tasks', body, people[who]);
    const sent = gateway.requests
      .of(requests.submitTask)
      .map((each) => (each.body as { owner: string }).owner);
    if (expected === undefined) expectProblem(reply, 403, 'forbidden');
    expect(sent).toEqual(expected === undefined ? [] : [expected]);
  });
});

describe('a call of a device', () => {
  const path = '/api/rpc/color_lab/arm/move';
  const address = {
    computer: 'pc',
    inc: 1,
    fence: 4,
    functions: [
      { name: 'move', kind: 'effect' as const },
      { name: 'where', kind: 'query' as const },
    ],
  };
  let holder: string | undefined;

  beforeAll(() => {
    gateway.requests.on(requests.locateDevice, () => ({
      ...address,
      ...(holder === undefined ? {} : { held_by: holder }),
    }));
    gateway.requests.on(agentRequests.readClock, () => ({ now_ms: 1 }));
  });
  beforeEach(() => {
    holder = undefined;
    gateway.requests.on(agentRequests.callDevice, () => ({ result: { done: true } }));
  });
  const calls = (): number => gateway.requests.of(agentRequests.callDevice).length;
  /** What was announced. The entry of an answered request may be written as late as in the next test. */
  const announced = () => gateway.audit.entries.find(({ action }) => action.startsWith('device.call'));

  it('is executed after the audit has recorded it', async () => {
    const reply = await gateway.send('POST', path, { x: 1 }, people.eve);
    expect([reply.status, reply.body]).toEqual([200, { done: true }]);
    expect(announced()).toMatchObject({
      by: 'eve',
      action: 'device.call',
      subject: 'device/color_lab.arm',
      detail: { function: 'move', arguments: { x: 1 } },
    });
  });

  it('is not executed when the audit cannot record it', async () => {
    gateway.audit.failure = new ServiceError('store_unavailable', 'gone');
    expectProblem(await gateway.send('POST', path, {}, people.eve), 503, 'store_unavailable');
    expect(calls()).toBe(0);
  });

  it.each([
    ['the leader tells it', 0, () => taken.hear(['color_lab.arm'])],
    [
      'the agent knows it',
      1,
      () =>
        gateway.requests.on(agentRequests.callDevice, () => {
          throw new ServiceError('device_in_use', 'fence 4 is older than 5');
        }),
    ],
  ])('is refused while a task has the device that was free a moment ago: %s', async (_, refused, tell) => {
    expect((await gateway.send('POST', path, {}, people.eve)).status).toBe(200);
    holder = 'mix/pour';
    tell();
    const reply = await gateway.send('POST', path, {}, people.eve);
    expectProblem(reply, 409, 'device_in_use');
    expect(reply.body.detail).toContain('mix/pour');
    expect(reply.body.effect).toBe('none');
    expect(calls()).toBe(1 + refused);
  });

  it('is executed despite a task with force and a reason, which the audit records', async () => {
    holder = 'mix/pour';
    const query = '?force=true&reason=the%20beaker%20leaks';
    expect((await gateway.send('POST', `${path}${query}`, {}, people.eve)).status).toBe(200);
    expect(announced()).toMatchObject({
      action: 'device.call.forced',
      detail: { held_by: 'mix/pour', reason: 'the beaker leaks' },
    });
  });

  it.each(['?force=true', '?force=true&reason=%20', '?force=yes&reason=x', `?reason=${'x'.repeat(2_001)}`])(
    'is invalid with "%s"',
    async (query) => {
      expectProblem(await gateway.send('POST', `${path}${query}`, {}, people.eve), 422, 'invalid');
      expect(calls()).toBe(0);
    },
  );

  it('of a query is executed at any time', async () => {
    holder = 'mix/pour';
    expect((await gateway.send('POST', '/api/rpc/color_lab/arm/where', {}, people.eve)).status).toBe(200);
  });

  it('needs the role for that lab', async () => {
    expectProblem(await gateway.send('POST', path, {}, people.ada), 403, 'forbidden');
    expectProblem(await gateway.send('POST', '/api/rpc/other/arm/move', {}, people.eve), 403, 'forbidden');
    expect(calls()).toBe(0);
  });

  it('records long arguments by their hash', async () => {
    expect((await gateway.send('POST', path, { text: 'x'.repeat(5_000) }, people.eve)).status).toBe(200);
    expect(announced()?.detail.arguments).toEqual({
      sha256: expect.stringMatching(/^[\da-f]{64}$/) as string,
    });
  });
});
