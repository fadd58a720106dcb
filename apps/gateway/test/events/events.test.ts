import { connect } from 'node:net';
import { ServiceError, type ServiceEvent } from '@lab/contracts';
import { afterEach, describe, expect, it } from 'vitest';
import { EventClient } from '../event-client.js';
import type { FeedOptions } from '../../src/events/stream-places.js';
import { expectProblem, startHarness, type Harness } from '../twins.js';

const open: Harness[] = [];
const clients: EventClient[] = [];

async function harness(feeds: Partial<FeedOptions> = {}): Promise<Harness> {
  const made = await startHarness({ feeds });
  open.push(made);
  return made;
}

async function follow(gateway: Harness, query = '', headers = {}): Promise<EventClient> {
  const client = await EventClient.open(`${gateway.url}/api/events${query}`, headers);
  clients.push(client);
  return client;
}

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  for (const { server } of open.splice(0)) await server.close();
});

const ids = (events: readonly ServiceEvent[]): number[] => events.map(({ id }) => id);
const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

describe('the stream of events', () => {
  it('sends new events in order to every client, with one reader', async () => {
    const gateway = await harness();
    gateway.events.commit({}, {});
    const followers = await Promise.all(Array.from({ length: 20 }, () => follow(gateway)));
    const before = gateway.events.reads;
    gateway.events.commit({ type: 'task_run.running', body: { text: 'a\nb\r\u2028' } }, {});
    for (const each of followers) {
      expect(await each.next(2)).toEqual([gateway.events.events[2], gateway.events.events[3]]);
      expect(each.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      expect(each.headers.get('cache-control')).toBe('no-store');
      expect(each.headers.get('transfer-encoding')).toBeNull();
      expect(each.lastId).toBe(4);
    }
    expect(gateway.events.reads - before).toBeLessThan(10);
  });

  it('continues after the last event of a client, over pages and memory, and repeats none', async () => {
    const gateway = await harness();
    gateway.events.commit(...Array.from({ length: 1_200 }, () => ({})));
    const early = await follow(gateway, '?after=0');
    expect(ids(await early.next(1_200))).toEqual(upTo(1_200));
    gateway.events.commit(...Array.from({ length: 6_100 }, () => ({})));
    expect(ids(await early.next(6_100))).toEqual(upTo(7_300).slice(1_200));
    const again = await follow(gateway, '?after=3', { 'last-event-id': '1150' });
    expect(ids(await again.next(6_150))).toEqual(upTo(7_300).slice(1_150));
    const late = await follow(gateway, '?after=7298');
    gateway.events.commit({});
    expect(ids(await late.next(3))).toEqual([7_299, 7_300, 7_301]);
    expect(ids(await again.next(1))).toEqual([7_301]);
  });

  it('filters by type, record, owner, campaign, run and laboratory', async () => {
    const gateway = await harness();
    gateway.events.commit(
      {
        type: 'task_run.running',
        body: { owner: 'ada', protocol_run: 'r', campaign: 'c', labs: ['l', 'm'] },
      },
      { type: 'task_run.completed', aggregate: 'task_run/t2', body: { owner: 'bob', labs: ['m'] } },
      { type: 'protocol_run.running', aggregate: 'protocol_run/p', body: { name: 'r', campaign: 'c' } },
      { type: 'campaign.running', aggregate: 'campaign/k', body: { name: 'c', owner: 'ada' } },
      { type: 'device.idle', aggregate: 'device/l.d', body: { name: 'd', labs: ['l'] } },
    );
    const found = async (query: string): Promise<number[]> => {
      const client = await follow(gateway, `?after=0&${query}`);
      return ids(await client.until(5));
    };
    expect(await found('type=task_run')).toEqual([1, 2]);
    expect(await found('type=task_run.completed,device')).toEqual([2, 5]);
    expect(await found('aggregate=task_run/t2')).toEqual([2]);
    expect(await found('owner=ada')).toEqual([1, 4]);
    expect(await found('campaign=c')).toEqual([1, 3, 4]);
    expect(await found('protocol_run=r')).toEqual([1, 3]);
    expect(await found('lab=l')).toEqual([1, 5]);
    expect(await found('lab=m&owner=bob')).toEqual([2]);
  });

  it('reports with every heartbeat the latest number that the client has passed, including filtered events', async () => {
    const gateway = await harness({ heartbeatMs: 30 });
    const client = await follow(gateway, '?type=campaign');
    gateway.events.commit({}, {}, {});
    expect(await client.until(3)).toEqual([]);
    expect(client.lastId).toBe(3);
    expect(client.comments).toContain('heartbeat');
  });

  it('refuses numbers that are pruned, in the future or mistyped', async () => {
    const gateway = await harness();
    gateway.events.commit({}, {}, {});
    gateway.events.pruned = 2;
    const pruned = await gateway.send('GET', '/api/events?after=1');
    expectProblem(pruned, 410, 'events_pruned');
    expect(pruned.body.errors?.[0]).toMatchObject({
      path: '?after',
      hint: expect.stringContaining('after 2') as string,
    });
    const client = await follow(gateway, '?after=2');
    expect(ids(await client.next(1))).toEqual([3]);
    for (const query of [
      'after=4',
      'after=-1',
      'after=1e3',
      'after=',
      'type=task',
      'type=',
      'tpye=task_run',
      'after=1&after=2',
    ])
      expectProblem(await gateway.send('GET', `/api/events?${query}`), 422, 'invalid');
    expectProblem(
      await gateway.send('GET', '/api/events', undefined, { 'last-event-id': 'x' }),
      422,
      'invalid',
    );
    gateway.events.failure = new ServiceError('store_unavailable', 'the database is away');
    expectProblem(await gateway.send('GET', '/api/events?after=2'), 503, 'store_unavailable');
  });

  it('ends with a gap when events are removed before a client has received them', async () => {
    const gateway = await harness();
    const client = await follow(gateway);
    gateway.events.commit({}, {}, {}, {});
    await client.next(4);
    gateway.events.pruned = 9;
    gateway.events.commit({ id: 10 });
    await client.ended;
    expect(client.gap).toEqual({ after: 4, oldest: 9 });
    const again = await follow(gateway, '?after=9');
    expect(ids(await again.next(1))).toEqual([10]);
  });

  it('serves a limited number of clients, and a new one when one has left', async () => {
    const gateway = await harness({ clients: 3 });
    const [first] = await Promise.all([follow(gateway), follow(gateway), follow(gateway)]);
    const refused = await gateway.send('GET', '/api/events');
    expectProblem(refused, 503, 'service_unavailable');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    first?.close();
    await expect
      .poll(async () => {
        const response = await fetch(`${gateway.url}/api/events`, {
          headers: { accept: 'text/event-stream' },
        });
        await response.body?.cancel();
        return response.status;
      })
      .toBe(200);
  });

  it('disconnects a client that does not read, and serves the others meanwhile', async () => {
    const gateway = await harness();
    const { hostname, port, host } = new URL(gateway.url);
    const lazy = connect(Number(port), hostname);
    lazy.write(`GET /api/events HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    await new Promise((resolve) => lazy.once('data', resolve));
    lazy.pause();
    const client = await follow(gateway);
    const large = 'x'.repeat(250_000);
    for (let n = 0; n < 60; n += 1) {
      gateway.events.commit({ body: { large } });
      await client.next(1);
    }
    let taken = 0;
    lazy.on('data', (data) => {
      taken += data.length;
    });
    const gone = new Promise((resolve) => lazy.once('close', resolve));
    lazy.on('error', () => undefined /* The server cut the connection in the middle of unread data. */);
    lazy.resume();
    await gone;
    expect(taken).toBeLessThan(60 * large.length);
  });

  it('survives an outage of the database, ends with the service and asks clients to reconnect later', async () => {
    const gateway = await harness({ heartbeatMs: 20 });
    const client = await follow(gateway);
    gateway.events.failure = new ServiceError('store_unavailable', 'the database is away');
    gateway.events.commit({});
    gateway.events.failure = undefined;
    expect(ids(await client.next(1))).toEqual([1]);
    await gateway.server.close();
    await client.ended;
    expect(client.comments.at(-1)).toContain('stopping');

    const brief = await harness({ heartbeatMs: 20, lifeMs: 30 });
    const guest = await follow(brief);
    await guest.ended;
    expect(guest.comments.at(-1)).toContain('come again');
  });

  it('answers HEAD without a stream', async () => {
    const gateway = await harness();
    const reply = await gateway.send('HEAD', '/api/events');
    expect([reply.status, reply.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
  });
});

describe('the history of a record', () => {
  it('is read page by page', async () => {
    const gateway = await harness();
    gateway.events.commit(...upTo(5).map((seq) => ({ aggregate: 'device/l.d', seq })), {
      aggregate: 'device/l.e',
    });
    const page = async (cursor = ''): Promise<{ items: ServiceEvent[]; next_cursor: string | null }> =>
      (await gateway.send('GET', `/api/events/history?aggregate=device/l.d&limit=2${cursor}`)).body as never;
    const seen: number[] = [];
    for (let next: string | null = ''; next !== null;) {
      const { items, next_cursor } = await page(next === '' ? '' : `&cursor=${next}`);
      seen.push(...items.map(({ seq }) => seq));
      next = next_cursor;
    }
    expect(seen).toEqual(upTo(5));
    const none = await gateway.send('GET', '/api/events/history?aggregate=task_run/none');
    expect(none.body).toEqual({ items: [], next_cursor: null });
  });

  it.each([
    '',
    '?aggregate=colour/1',
    '?aggregate=task_run/1&limit=0',
    '?aggregate=task_run/1&limit=501',
    '?aggregate=task_run/1&cursor=xy',
  ])('is refused for %s', async (query) => {
    const gateway = await harness();
    expectProblem(await gateway.send('GET', `/api/events/history${query}`), 422, 'invalid');
  });
});
