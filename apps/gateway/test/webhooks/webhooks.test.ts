import { Outbound, Sealing, Secret } from '@lab/runtime';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isSignedBy, startReceiver, type Receiver } from '../receiver.js';
import { byTokens, headersOf } from '../tokens.js';
import { expectProblem, startHarness, type Harness, type Reply } from '../twins.js';
import { mostWebhooks } from '../../src/webhooks/webhooks.controller.js';

const sealing = new Sealing(new Secret('k'.repeat(32)));
const url = 'https://receiver.example.org/lab';

let receiver: Receiver;
let gateway: Harness;

beforeAll(async () => {
  receiver = await startReceiver();
  const outbound = new Outbound({ allow: ['127.0.0.1'], http: true, ports: [443, receiver.port] });
  gateway = await startHarness({}, sealing, undefined, { outbound });
});
afterAll(async () => {
  await gateway.server.close();
  await receiver.close();
});
beforeEach(() => {
  gateway.webhooks.kept.length = 0;
  gateway.deliveries.kept.length = 0;
  receiver.received.length = 0;
  receiver.answer = () => undefined;
});

const create = (body: object = {}): Promise<Reply> => gateway.send('POST', '/api/webhooks', { url, ...body });
const idOf = async (body?: object): Promise<string> => String((await create(body)).body['id']);

describe('a new webhook', () => {
  it('has a secret that is shown once and stored encrypted', async () => {
    gateway.events.commit({}, {});
    const made = await create({ description: 'chat', filters: { type: 'task_run.completed', lab: 'l' } });
    expect(made.status).toBe(201);
    const { secret, ...record } = made.body as { secret: string; id: string };
    expect(secret).toMatch(/^whsec_.{44}$/);
    expect(made.headers.get('location')).toBe(`/api/webhooks/${record.id}`);
    expect(record).toMatchObject({
      url,
      description: 'chat',
      filters: { type: 'task_run.completed', lab: 'l' },
      include: [],
      enabled: true,
      state: 'active',
      position: 2,
      created_by: 'local',
    });
    const read = await gateway.send('GET', `/api/webhooks/${record.id}`);
    expect(read.body).toEqual(record);
    const [kept] = gateway.webhooks.kept;
    expect(kept?.secret).toMatch(/^sealed:v1:/);
    expect(sealing.open(kept?.secret ?? '').reveal()).toBe(secret);
    expect(JSON.stringify(gateway.log.lines)).not.toContain(secret);
    expect(JSON.stringify([read.text, gateway.audit.entries])).not.toMatch(/whsec_|sealed:/);
  });

  it('does not show its secret again under the same idempotency key', async () => {
    const headers = { 'idempotency-key': 'once' };
    const send = (): Promise<Reply> => gateway.send('POST', '/api/webhooks', { url }, headers);
    expect((await send()).status).toBe(201);
    expectProblem(await send(), 409, 'answer_not_kept');
    expect(gateway.webhooks.kept).toHaveLength(1);
    expect(JSON.stringify([...gateway.keys.kept.values()])).not.toContain('whsec_');
  });

  it('includes what is asked for, and shows it', async () => {
    const made = (await create({ include: ['outputs', 'meta'] })).body;
    expect(made['include']).toEqual(['outputs', 'meta']);
    const read = await gateway.send('GET', `/api/webhooks/${String(made['id'])}`);
    expect(read.body['include']).toEqual(['outputs', 'meta']);
  });

  it('begins after an event that is kept', async () => {
    const { events } = gateway;
    events.pruned = 1;
    try {
      expect((await create({ from: 1 })).body).toMatchObject({ position: 1 });
      expectProblem(await create({ from: 0 }), 410, 'events_pruned');
      const ahead = await create({ from: 9_999 });
      expectProblem(ahead, 422, 'invalid');
      expect(ahead.body.errors).toMatchObject([{ path: 'from', code: 'range' }]);
    } finally {
      events.pruned = 0;
    }
  });

  it.each([
    ['https://127.0.0.2/', 'not on the public internet'],
    ['https://2130706434/', 'not on the public internet'],
    ['https://[::ffff:10.0.0.1]/', 'not on the public internet'],
    ['https://169.254.169.254/latest', 'not on the public internet'],
    ['https://receiver.example.org:22/', 'port 22'],
    ['ftp://receiver.example.org/', 'must begin with'],
    ['https://ada:pw@receiver.example.org/', 'user or a password'],
    ['nonsense', 'is not an address'],
  ])('does not go to %s', async (address, reason) => {
    const refused = await create({ url: address });
    expectProblem(refused, 422, 'invalid');
    expect(refused.body.errors).toMatchObject([
      { path: 'url', message: expect.stringContaining(reason) as string },
    ]);
    expect(gateway.webhooks.kept).toEqual([]);
  });

  it.each([
    ['https://127.0.0.2/', 'webhooks.allow'],
    ['https://receiver.example.org:22/', 'webhooks.ports'],
  ])('learns which setting allows %s', async (address, setting) => {
    const refused = await create({ url: address });
    expect(refused.body.errors?.[0]?.hint).toContain(setting);
  });

  it('learns that the setting webhooks.http allows an address without TLS', async () => {
    const outbound = new Outbound({ allow: [], http: false, ports: [80, 443] });
    const strict = await startHarness({}, sealing, undefined, { outbound });
    try {
      const refused = await strict.send('POST', '/api/webhooks', { url: 'http://receiver.example.org/' });
      expect(refused.body.errors).toMatchObject([
        { path: 'url', message: 'must begin with https://', hint: expect.stringContaining('webhooks.http') },
      ]);
      const other = await strict.send('POST', '/api/webhooks', { url: 'ftp://receiver.example.org/' });
      expect(other.body.errors?.[0]).not.toHaveProperty('hint');
    } finally {
      await strict.server.close();
    }
  });

  it.each([
    [{ filters: { type: 'cat' } }, 'filters.type'],
    [{ filters: { colour: 'red' } }, 'filters.colour'],
    [{ filters: { lab: '' } }, 'filters.lab'],
    [{ filters: ['a'] }, 'filters'],
    [{ include: ['files'] }, 'include'],
    [{ include: ['meta', 'meta'] }, 'include'],
    [{ include: 'meta' }, 'include'],
    [{ from: -1 }, 'from'],
    [{ secret: 'mine' }, 'secret'],
    [{ enabled: 'yes' }, 'enabled'],
  ])('is refused with %j', async (body, path) => {
    const refused = await create(body);
    expectProblem(refused, 422, 'invalid');
    expect(refused.body.errors).toContainEqual(expect.objectContaining({ path }));
  });

  it(`is one of at most ${mostWebhooks}`, async () => {
    for (let made = 0; made < mostWebhooks; made += 1) await gateway.webhooks.add({} as never, mostWebhooks);
    expectProblem(await create(), 409, 'wrong_state');
  });

  it('is refused by a gateway without a key for its secret', async () => {
    const keyless = await startHarness();
    try {
      const refused = await keyless.send('POST', '/api/webhooks', { url });
      expectProblem(refused, 422, 'invalid');
      expect(refused.body.errors).toMatchObject([{ code: 'no_secrets_key' }]);
    } finally {
      await keyless.server.close();
    }
  });
});

it('a webhook, which carries the work of all labs, is for administrators of all labs only', async () => {
  const guarded = await startHarness({}, sealing, byTokens);
  try {
    const ofOneLab = await headersOf(guarded, 'lee', [{ role: 'lab_admin', lab: 'color_lab' }]);
    const body = { url, filters: { lab: 'color_lab' }, include: ['meta', 'outputs'] };
    expectProblem(await guarded.send('POST', '/api/webhooks', body, ofOneLab), 403, 'forbidden');
    const root = await headersOf(guarded, 'root', [{ role: 'admin' }]);
    const made = await guarded.send('POST', '/api/webhooks', body, root);
    expect(made.status).toBe(201);
    const path = `/api/webhooks/${String(made.body['id'])}`;
    for (const [method, change] of [
      ['PATCH', { include: ['meta'] }],
      ['GET', undefined],
    ] as const)
      expectProblem(await guarded.send(method, path, change, ofOneLab), 403, 'forbidden');
    expectProblem(await guarded.send('GET', `${path}/deliveries`, undefined, ofOneLab), 403, 'forbidden');
  } finally {
    await guarded.server.close();
  }
});

describe('an existing webhook', () => {
  it('is changed field by field under the same rules', async () => {
    const id = await idOf({ description: 'a', filters: { lab: 'l' } });
    const change = (body: object): Promise<Reply> => gateway.send('PATCH', `/api/webhooks/${id}`, body);
    expect((await change({ enabled: false })).body).toMatchObject({ enabled: false, state: 'disabled', url });
    expect((await change({ filters: {}, enabled: true })).body).toMatchObject({
      filters: {},
      state: 'active',
      description: 'a',
      include: [],
    });
    expect((await change({ include: ['meta'] })).body).toMatchObject({ include: ['meta'], description: 'a' });
    expect((await change({ include: [] })).body).toMatchObject({ include: [] });
    expectProblem(await change({ url: 'https://10.0.0.1/' }), 422, 'invalid');
    expectProblem(await change({ filters: { type: 'cat' } }), 422, 'invalid');
    const refused = await change({ include: ['files'] });
    expectProblem(refused, 422, 'invalid');
    expect(refused.body.errors).toMatchObject([
      { path: 'include', message: expect.stringMatching(/one of .*meta, outputs/) as string },
    ]);
    expectProblem(await change({ position: 3 }), 422, 'invalid');
    expect(gateway.webhooks.kept[0]).toMatchObject({ url, filters: {} });
  });

  it('is removed completely', async () => {
    const id = await idOf();
    expect((await gateway.send('DELETE', `/api/webhooks/${id}`)).status).toBe(200);
    const again = { from: 0 };
    for (const [method, path, body] of [
      ['GET', ''],
      ['PATCH', '', {}],
      ['DELETE', ''],
      ['POST', '/rotate-secret'],
      ['POST', '/replay', again],
      ['POST', '/ping'],
      ['GET', '/deliveries'],
      ['POST', '/deliveries/x/redeliver'],
    ] as const)
      expectProblem(await gateway.send(method, `/api/webhooks/${id}${path}`, body), 404, 'not_found');
  });

  it('continues after another event on request', async () => {
    gateway.events.commit({});
    const id = await idOf();
    const replay = (from: unknown): Promise<Reply> =>
      gateway.send('POST', `/api/webhooks/${id}/replay`, { from });
    expect((await replay(0)).body).toMatchObject({ position: 0 });
    expectProblem(await replay(9_999), 422, 'invalid');
    expectProblem(await replay('all'), 422, 'invalid');
  });

  it('is tested with a signed message and reports the answer of the receiver', async () => {
    const made = await create({ url: receiver.url, enabled: false });
    const ping = (): Promise<Reply> => gateway.send('POST', `/api/webhooks/${String(made.body['id'])}/ping`);
    const first = await ping();
    expect(first.body).toMatchObject({
      state: 'delivered',
      status: 204,
      error: null,
      event_id: null,
      attempts: 1,
    });
    const [received] = receiver.received;
    expect(received?.event).toMatchObject({ type: 'webhook.ping', schema: 1, id: 0 });
    expect(received?.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': first.body['message_id'],
    });
    expect(received !== undefined && isSignedBy(String(made.body['secret']), received)).toBe(true);

    receiver.answer = () => ({
      status: 302,
      headers: { location: `${receiver.url}/2` },
      text: `no\u0000${'x'.repeat(5_000)}`,
    });
    const moved = (await ping()).body;
    expect(moved).toMatchObject({ state: 'given_up', status: 302, error: 'the receiver answered 302' });
    expect(moved['answer']).toMatch(/^nox{1021}$/);
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook', '/hook']);
    expect(gateway.deliveries.kept).toHaveLength(2);
  });

  it('gets a new secret and for a time signs with both', async () => {
    const made = await create({ url: receiver.url });
    const id = String(made.body['id']);
    const rotate = (body?: object): Promise<Reply> =>
      gateway.send('POST', `/api/webhooks/${id}/rotate-secret`, body);
    const old = String(made.body['secret']);
    const rotated = (await rotate()).body;
    const next = String(rotated['secret']);
    expect(next).not.toBe(old);
    const hours = (Date.parse(String(rotated['previous_secret_until'])) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23);
    expect(hours).toBeLessThanOrEqual(24);
    const signedBy = async (...secrets: string[]): Promise<boolean[]> => {
      await gateway.send('POST', `/api/webhooks/${id}/ping`);
      const received = receiver.received.at(-1);
      return secrets.map((secret) => received !== undefined && isSignedBy(secret, received));
    };
    expect(await signedBy(old, next)).toEqual([true, true]);
    const last = (await rotate({ overlap_s: 0 })).body;
    expect(last['previous_secret_until']).toBeNull();
    expect(await signedBy(old, next, String(last['secret']))).toEqual([false, false, true]);
    expectProblem(await rotate({ overlap_s: 604_801 }), 422, 'invalid');
  });

  it('repeats an event only while it is enabled, and never a ping', async () => {
    const id = await idOf({ url: receiver.url });
    const ping = (await gateway.send('POST', `/api/webhooks/${id}/ping`)).body;
    const redeliver = (delivery: string): Promise<Reply> =>
      gateway.send('POST', `/api/webhooks/${id}/deliveries/${delivery}/redeliver`);
    expectProblem(await redeliver(String(ping['id'])), 409, 'wrong_state');
    const [row] = gateway.deliveries.kept;
    if (row !== undefined) gateway.deliveries.kept.push({ ...row, id: 'd2', event_id: 7, state: 'given_up' });
    expect(await redeliver('d2')).toMatchObject({
      status: 202,
      body: { state: 'pending', message_id: 'event_7' },
    });
    await gateway.send('PATCH', `/api/webhooks/${id}`, { enabled: false });
    expectProblem(await redeliver('d2'), 409, 'wrong_state');
  });
});
