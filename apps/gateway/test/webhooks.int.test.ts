import type { DeliveryRecord, ServiceEvent, WebhookRecord } from '@lab/contracts';
import type { Change } from '@lab/engine';
import { openEventLog, openGatewayStore, openRecords, openStore, type PostgresStore } from '@lab/persistence';
import { Outbound, Sealing, Secret } from '@lab/runtime';
import { asRole, testPostgres, type TestPostgres } from '@lab/testkit/testing';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AttemptOutcome } from '../src/webhooks/webhook-deliverer.js';
import { isSignedBy, startReceiver, type Received, type Receiver } from './receiver.js';
import { campaignRow, definition, runRow, taskRow } from './rows.js';
import { memoryLog, startHarness, type Harness } from './twins.js';

/** Webhooks with a real database, to a permitted server on this computer. */

let postgres: TestPostgres;
let engine: PostgresStore;
let epoch: number;
let admin: pg.Client;
let receiver: Receiver;
let gateway: Harness;
const counted: AttemptOutcome[] = [];
const closing: (() => Promise<void>)[] = [];

/** Starts a separate gateway on the same database. */
async function startGateway(): Promise<Harness> {
  const url = asRole(postgres.url, 'gateway');
  const [store, records, events] = [openGatewayStore({ url }), openRecords({ url }), openEventLog({ url })];
  const harness = await startHarness({}, new Sealing(new Secret('k'.repeat(32))), undefined, {
    webhooks: store.webhooks,
    deliveries: store.deliveries,
    records,
    events,
    outbound: new Outbound({ allow: ['127.0.0.1'], http: true, ports: [receiver.port] }),
    deliverer: {
      log: memoryLog(),
      keptDays: 7,
      count: (outcome) => counted.push(outcome),
    },
  });
  closing.push(async () => {
    await harness.server.close();
    await Promise.all([store.close(), records.close(), events.close()]);
  });
  return harness;
}

beforeAll(async () => {
  postgres = await testPostgres();
  engine = await openStore({ url: asRole(postgres.url, 'orchestrator') });
  epoch = (await engine.lead('test', 0)) ?? 0;
  await engine.commit(epoch, [definition]);
  admin = new pg.Client(postgres.url);
  await admin.connect();
  receiver = await startReceiver();
  gateway = await startGateway();
});
afterAll(async () => {
  for (const close of closing) await close();
  await receiver?.close();
  await engine?.close();
  await admin?.end();
  await postgres?.stop();
});
afterEach(async () => {
  await admin.query('delete from webhook');
  receiver.received.length = 0;
  receiver.answer = () => undefined;
  counted.length = 0;
});

/** Commits an event, as the engine does. @returns its id */
async function commitOne(aggregate: string, type: string, body: object): Promise<number> {
  const { rows } = await admin.query<{ id: string }>(
    `insert into outbox (aggregate, seq, type, body, at)
     select $1, coalesce(max(seq), 0) + 1, $2, $3, now() from outbox where aggregate = $1
     returning id`,
    [aggregate, type, JSON.stringify(body)],
  );
  return Number(rows[0]?.id);
}

/** Commits events of running tasks. @returns the id of the last */
async function commit(...tasks: string[]): Promise<number> {
  let last = 0;
  for (const task of tasks) last = await commitOne(`task_run/${task}`, 'task_run.running', { name: 'ä' });
  await admin.query('notify svc_events');
  return last;
}

async function create(body: object = {}): Promise<WebhookRecord & { secret: string }> {
  const made = await gateway.send('POST', '/api/webhooks', { url: receiver.url, ...body });
  expect(made.status).toBe(201);
  return made.body as unknown as WebhookRecord & { secret: string };
}

const read = async (id: string): Promise<WebhookRecord> =>
  (await gateway.send('GET', `/api/webhooks/${id}`)).body as unknown as WebhookRecord;
const deliveries = async (id: string, query = ''): Promise<DeliveryRecord[]> =>
  (await gateway.send('GET', `/api/webhooks/${id}/deliveries?sort=created_at${query}`)).body[
    'items'
  ] as DeliveryRecord[];

async function eventually<T>(look: () => Promise<T> | T, wanted: (value: T) => boolean): Promise<T> {
  const end = Date.now() + 30_000;
  for (;;) {
    const value = await look();
    if (wanted(value)) return value;
    if (Date.now() > end)
      throw new Error(`it did not come to that: ${JSON.stringify(value).slice(0, 2_000)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const arrived = (count: number): Promise<Received[]> =>
  eventually(
    () => receiver.received,
    ({ length }) => length >= count,
  );
/** Makes all waiting deliveries due now. */
const hurry = (): Promise<unknown> =>
  admin.query(`update webhook_delivery set next_attempt_at = now() where state = 'pending'`);
const idsOf = (received: readonly Received[]): number[] => received.map(({ event }) => event.id);

describe('events', { timeout: 60_000 }, () => {
  it('are sent with a signature in the order of each record, and appear in the log', async () => {
    const { id, secret, position } = await create();
    await commit('a', 'b', 'a', 'a', 'b');
    const received = await arrived(5);
    const committed = (await gateway.send('GET', '/api/events/history?aggregate=task_run/a')).body[
      'items'
    ] as ServiceEvent[];
    const ofA = received.filter(({ event }) => event.aggregate === 'task_run/a');
    expect(ofA.map(({ event }) => event)).toEqual(committed.slice(-3));
    for (const each of received) {
      expect(isSignedBy(secret, each)).toBe(true);
      expect(each.headers['webhook-id']).toBe(`event_${each.event.id}`);
    }
    const log = await eventually(
      () => deliveries(id),
      (items) => items.every(({ state }) => state === 'delivered') && items.length === 5,
    );
    expect(log[0]).toMatchObject({ attempts: 1, status: 204, error: null, next_attempt_at: null });
    expect(await read(id)).toMatchObject({ state: 'active', position: position + 5 });
    expect(counted).toEqual(Array(5).fill('delivered'));
  });

  it('outside the filters are skipped', async () => {
    const { id } = await create({ filters: { aggregate: 'task_run/mine', type: 'task_run.running' } });
    const last = await commit('other', 'mine', 'other');
    await eventually(
      () => read(id),
      ({ position }) => position === last,
    );
    await arrived(1);
    expect((await deliveries(id)).map(({ aggregate }) => aggregate)).toEqual(['task_run/mine']);
    expect(idsOf(receiver.received)).toEqual([last - 1]);
  });

  it('that the receiver refuses delay only their record and are sent again with the same id', async () => {
    const { id } = await create();
    receiver.answer = ({ event }) =>
      event.aggregate === 'task_run/x' ? { status: 500, text: 'broken' } : undefined;
    await commit('x', 'x', 'y', 'y');
    await eventually(
      () => deliveries(id, '&state=delivered'),
      ({ length }) => length === 2,
    );
    const [first, second] = await deliveries(id, '&state=pending');
    expect(first).toMatchObject({
      attempts: 1,
      status: 500,
      error: 'the receiver answered 500',
      answer: 'broken',
    });
    expect(second).toMatchObject({ attempts: 0, status: null });
    const waits = Date.parse(first?.next_attempt_at ?? '') - Date.parse(first?.attempted_at ?? '');
    expect(waits).toBeGreaterThanOrEqual(3_900);
    expect(waits).toBeLessThanOrEqual(6_100);
    receiver.answer = () => undefined;
    await hurry();
    await eventually(
      () => deliveries(id, '&state=delivered'),
      ({ length }) => length === 4,
    );
    const ofX = receiver.received.filter(({ event }) => event.aggregate === 'task_run/x');
    expect(ofX.map(({ event }) => event.seq)).toEqual([1, 1, 2]);
    expect(new Set(ofX.slice(0, 2).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(await read(id)).toMatchObject({ state: 'active', failing_since: null, reason: null });
    expect(counted).toContain('failed');
  });

  it('are abandoned after the last attempt, and the next event of the record is sent', async () => {
    const { id } = await create();
    receiver.answer = ({ event }) => (event.seq === 1 ? { status: 400 } : undefined);
    await commit('late');
    // The outcome of a delivery is stored before the state of its webhook.
    const webhook = await eventually(
      () => read(id),
      ({ state }) => state === 'failing',
    );
    expect(webhook).toMatchObject({ reason: { code: 'not_accepted' } });
    await admin.query('update webhook_delivery set attempts = 14');
    await commit('late');
    await hurry();
    const log = await eventually(
      () => deliveries(id),
      (items) => items.every(({ state }) => state !== 'pending') && items.length === 2,
    );
    expect(log.map(({ state, attempts }) => [state, attempts])).toEqual([
      ['given_up', 15],
      ['delivered', 1],
    ]);
    expect(counted).toContain('given_up');
  });

  it('wait as long as the receiver asks, and a receiver that wants no more disables the webhook', async () => {
    const { id } = await create();
    receiver.answer = () => ({ status: 503, headers: { 'retry-after': '900' } });
    await commit('busy');
    const [delivery] = await eventually(
      () => deliveries(id),
      ([only]) => only?.attempts === 1,
    );
    expect(Date.parse(delivery?.next_attempt_at ?? '') - Date.now()).toBeGreaterThan(800_000);
    receiver.answer = () => ({ status: 410 });
    const asked = await gateway.send('POST', `/api/webhooks/${id}/deliveries/${delivery?.id}/redeliver`);
    expect(asked.status).toBe(202);
    const gone = await eventually(
      () => read(id),
      ({ enabled }) => !enabled,
    );
    expect(gone).toMatchObject({ state: 'disabled', reason: { code: 'gone' } });
    const all = await gateway.send('GET', '/api/webhooks?state=disabled');
    expect(all.body['items']).toEqual([gone]);

    receiver.answer = () => undefined;
    await gateway.send('PATCH', `/api/webhooks/${id}`, { enabled: true });
    await eventually(
      () => deliveries(id, '&state=delivered'),
      ({ length }) => length === 1,
    );
    expect(await read(id)).toMatchObject({ state: 'active', reason: null });
  });

  it('are sent again on request, one or all of them', async () => {
    const { id, position } = await create();
    await commit('p', 'q');
    await arrived(2);
    const log = await eventually(
      () => deliveries(id, '&state=delivered'),
      ({ length }) => length === 2,
    );
    await gateway.send('POST', `/api/webhooks/${id}/deliveries/${log[0]?.id}/redeliver`);
    expect(idsOf(await arrived(3)).at(-1)).toBe(log[0]?.event_id);
    await eventually(
      () => deliveries(id, '&state=pending'),
      ({ length }) => length === 0,
    );
    const replay = await gateway.send('POST', `/api/webhooks/${id}/replay`, { from: position });
    expect(replay.status).toBe(200);
    expect(new Set(idsOf(await arrived(5)).slice(3))).toEqual(
      new Set(log.map(({ event_id: event }) => event)),
    );
    expect(await deliveries(id)).toHaveLength(2);
  });

  it('that were removed before they were sent disable the webhook, and its reason names the place for a replay', async () => {
    const { id } = await create({ enabled: false });
    const last = await commit('r', 'r');
    await admin.query('update outbox_horizon set pruned_through = $1', [last]);
    try {
      await gateway.send('PATCH', `/api/webhooks/${id}`, { enabled: true });
      const disabled = await eventually(
        () => read(id),
        ({ reason }) => reason !== null,
      );
      expect(disabled).toMatchObject({ state: 'disabled', reason: { code: 'events_pruned' } });
      expect(disabled.reason?.message).toContain(`replay from ${last}`);
      await gateway.send('POST', `/api/webhooks/${id}/replay`, { from: last });
      await gateway.send('PATCH', `/api/webhooks/${id}`, { enabled: true });
      await commit('r');
      expect(idsOf(await arrived(1))).toEqual([last + 1]);
    } finally {
      await admin.query('update outbox_horizon set pruned_through = 0');
    }
  });

  it('are sent by one of two gateways, and by the other when the first is gone', async () => {
    const { id } = await create();
    const other = await startGateway();
    const first = Array.from({ length: 30 }, (_, index) => `pair${index % 7}`);
    await commit(...first);
    await eventually(
      () => deliveries(id, '&state=delivered'),
      ({ length }) => length === 30,
    );
    expect(new Set(idsOf(receiver.received)).size).toBe(receiver.received.length);
    expect(receiver.received).toHaveLength(30);
    await closing.shift()?.();
    gateway = other;
    await commit(...first);
    await eventually(
      () => deliveries(id, '&state=delivered'),
      ({ length }) => length === 60,
    );
    expect(receiver.received).toHaveLength(60);
  });

  it('disable a webhook after five days of failures, and old deliveries are forgotten', async () => {
    const { id } = await create();
    await commit('old');
    await eventually(
      () => deliveries(id, '&state=delivered'),
      ({ length }) => length === 1,
    );
    await admin.query(`update webhook_delivery set created_at = now() - interval '8 days'`);
    const store = openGatewayStore({ url: asRole(postgres.url, 'gateway') });
    try {
      expect(await store.deliveries.forget(9)).toBe(0);
      expect(await store.deliveries.forget(7)).toBe(1);
      expect(await store.deliveries.forget(7)).toBe(0);
    } finally {
      await store.close();
    }
    receiver.answer = () => ({ status: 500 });
    await commit('old');
    await eventually(
      () => read(id),
      ({ state }) => state === 'failing',
    );
    await admin.query(`update webhook set failing_since = now() - interval '121 hours'`);
    await hurry();
    const disabled = await eventually(
      () => read(id),
      ({ state }) => state === 'disabled',
    );
    expect(disabled.reason).toEqual({ code: 'not_accepted', message: 'the receiver answered 500' });
  });
});

describe('the meta and outputs of work', { timeout: 60_000 }, () => {
  const address = 'https://example.org/key';

  /** Commits work and then its events, each with the name of its record. */
  async function commitWork(changes: Change[], events: [aggregate: string, type: string, name: string][]) {
    await engine.commit(epoch, changes);
    for (const [aggregate, type, name] of events) await commitOne(aggregate, type, { name });
    await admin.query('notify svc_events');
  }

  const bodiesByType = async (count: number): Promise<Record<string, unknown>> =>
    Object.fromEntries((await arrived(count)).map(({ event }) => [event.type, event.body]));

  it('are in the events of work when the webhook includes them, without secrets', async () => {
    const campaign = campaignRow('told', {
      meta: { sample: 's1', optimizer_overrides: { ai_api_key: 'sealed:v1:x', address } },
    });
    const run = runRow('told_run_1', { campaignId: campaign.id, meta: { lims: 7 } });
    const [mix, score] = [
      taskRow('mix', { runId: run.id, state: 'completed', outputParameters: { volume: 2.5, api_key: 'k' } }),
      taskRow('score', { runId: run.id, state: 'failed', meta: { note: 'ä' } }),
    ];
    const { secret } = await create({ include: ['meta', 'outputs'] });
    await commitWork(
      [
        { op: 'insertCampaign', row: campaign },
        { op: 'insertProtocolRun', row: run },
        { op: 'insertTaskRun', row: mix },
        { op: 'insertTaskRun', row: score },
      ],
      [
        [`task_run/${mix.id}`, 'task_run.running', 'mix'],
        [`task_run/${mix.id}`, 'task_run.completed', 'mix'],
        [`task_run/${score.id}`, 'task_run.failed', 'score'],
        [`protocol_run/${run.id}`, 'protocol_run.completed', run.name],
        [`campaign/${campaign.id}`, 'campaign.completed', campaign.name],
        [`attempt/${mix.id}`, 'attempt.completed', 'mix'],
      ],
    );
    const outputs = { volume: 2.5, api_key: '***' };
    expect(await bodiesByType(6)).toEqual({
      'task_run.running': { name: 'mix', meta: {} },
      'task_run.completed': { name: 'mix', meta: {}, output_parameters: outputs },
      'task_run.failed': { name: 'score', meta: { note: 'ä' } },
      'protocol_run.completed': {
        name: run.name,
        meta: { lims: 7 },
        output_parameters: { mix: outputs },
      },
      'campaign.completed': {
        name: 'told',
        meta: { sample: 's1', optimizer_overrides: { ai_api_key: '***', address } },
      },
      'attempt.completed': { name: 'mix' },
    });
    expect(receiver.received.every((each) => isSignedBy(secret, each))).toBe(true);
  });

  it('are left out when they are large, and the event names the address where they are', async () => {
    const text = 'x'.repeat(20_000);
    const run = runRow('large run', { meta: { short: true } });
    const task = taskRow('large', {
      runId: run.id,
      state: 'completed',
      meta: { text },
      outputParameters: { text },
    });
    await create({ include: ['meta', 'outputs'] });
    await commitWork(
      [
        { op: 'insertProtocolRun', row: run },
        { op: 'insertTaskRun', row: task },
      ],
      [
        [`task_run/${task.id}`, 'task_run.completed', 'large'],
        [`protocol_run/${run.id}`, 'protocol_run.completed', run.name],
      ],
    );
    const bodies = await bodiesByType(2);
    const ofTask = `/api/task-runs/${task.id}`;
    const ofRun = '/api/protocols/large%20run';
    expect(bodies).toEqual({
      'task_run.completed': { name: 'large', left_out: { meta: ofTask, output_parameters: ofTask } },
      'protocol_run.completed': {
        name: run.name,
        meta: { short: true },
        left_out: { output_parameters: ofRun },
      },
    });
    expect((await gateway.send('GET', ofTask)).body).toMatchObject({ output_parameters: { text } });
    expect((await gateway.send('GET', ofRun)).body).toMatchObject({
      tasks: [{ name: 'large', output_parameters: { text } }],
    });
  });

  it('are added to events that are replayed after the webhook was changed', async () => {
    const task = taskRow('late', { state: 'completed', meta: { lims: 8 }, outputParameters: { loss: 1 } });
    const { id, position } = await create();
    await commitWork(
      [{ op: 'insertTaskRun', row: task }],
      [[`task_run/${task.id}`, 'task_run.completed', 'late']],
    );
    expect(await bodiesByType(1)).toEqual({ 'task_run.completed': { name: 'late' } });
    await eventually(
      () => deliveries(id, '&state=delivered'),
      ({ length }) => length === 1,
    );
    await gateway.send('PATCH', `/api/webhooks/${id}`, { include: ['outputs'] });
    await gateway.send('POST', `/api/webhooks/${id}/replay`, { from: position });
    const [first, again] = await arrived(2);
    expect(again?.event.body).toEqual({ name: 'late', output_parameters: { loss: 1 } });
    expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  });
});
