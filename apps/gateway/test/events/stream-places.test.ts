import { afterEach, describe, expect, it } from 'vitest';
import { feedsFrom, StreamPlaces, type FeedOptions } from '../../src/events/stream-places.js';
import { EventClient } from '../event-client.js';
import { byTokens, headersOf } from '../tokens.js';
import { expectProblem, startHarness, type Harness } from '../twins.js';

const options = { clients: 10, perPerson: 3, heartbeatMs: 15_000, lifeMs: 3_600_000 };
const viewer = (key: string) => ({ key, operates: false });

describe('the places of streams', () => {
  it('give nobody more than a share, and a place again when a stream has ended', () => {
    const places = new StreamPlaces(options);
    const leave = [1, 2, 3].map(() => places.take(viewer('ada')));
    expect(() => places.take(viewer('ada'))).toThrow(/You have 3 streams open/);
    places.take(viewer('bob'));
    leave[0]?.();
    places.take(viewer('ada'));
    expect(() => places.take(viewer('ada'))).toThrow(expect.objectContaining({ code: 'too_many_requests' }));
  });

  it('keep a fifth for operators', () => {
    const places = new StreamPlaces(options);
    for (const key of ['a', 'a', 'a', 'b', 'b', 'b', 'c', 'c']) places.take(viewer(key));
    expect(() => places.take(viewer('d'))).toThrow(/the other 2 are for operators/);
    for (let n = 0; n < 2; n += 1) places.take({ key: 'olga', operates: true });
    expect(() => places.take({ key: 'olga', operates: true })).toThrow(/There are 10 streams open/);
  });

  it('have shares by the configuration, and none by default for people at this computer', () => {
    expect(feedsFrom({ event_clients: 200 }, false)).toEqual({ clients: 200, perPerson: 20 });
    expect(feedsFrom({ event_clients: 5 }, false)).toEqual({ clients: 5, perPerson: 1 });
    expect(feedsFrom({ event_clients: 200 }, true).perPerson).toBe(Infinity);
    expect(feedsFrom({ event_clients: 200, event_clients_per_person: 7 }, true).perPerson).toBe(7);
  });
});

describe('streams over HTTP', () => {
  const started: Harness[] = [];
  const clients: EventClient[] = [];
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    await Promise.all(started.splice(0).map(({ server }) => server.close()));
  });

  async function start(feeds: Partial<FeedOptions>, auth = true): Promise<Harness> {
    const gateway = await startHarness(
      { feeds, trustedProxies: ['127.0.0.1'] },
      undefined,
      auth ? byTokens : undefined,
    );
    started.push(gateway);
    return gateway;
  }
  const follow = async (gateway: Harness, path: string, headers: Record<string, string>): Promise<void> =>
    void clients.push(await EventClient.open(`${gateway.url}/api/${path}`, headers));

  it('refuse a viewer over the share with 429, by name whatever the token, and serve operators', async () => {
    const gateway = await start({ clients: 5, perPerson: 4 });
    for (const path of ['events', 'logs/stream', 'events', 'events'])
      await follow(gateway, path, await headersOf(gateway, 'eve', [{ role: 'viewer' }]));
    const again = await headersOf(gateway, 'eve', [{ role: 'viewer' }]);
    for (const path of ['/api/events', '/api/logs/stream']) {
      const refused = await gateway.send('GET', path, undefined, again);
      expectProblem(refused, 429, 'too_many_requests');
      expect(refused.headers.get('retry-after')).toBe('10');
    }
    const other = await headersOf(gateway, 'bob', [{ role: 'viewer' }]);
    expectProblem(await gateway.send('GET', '/api/events', undefined, other), 503, 'service_unavailable');
    await follow(gateway, 'events', await headersOf(gateway, 'olga', [{ role: 'operator' }]));
  });

  it('count by address when authentication is off', async () => {
    const gateway = await start({ clients: 5, perPerson: 1 }, false);
    const from = (address: string): Record<string, string> => ({ 'x-forwarded-for': address });
    await follow(gateway, 'events', from('192.0.2.7'));
    expectProblem(
      await gateway.send('GET', '/api/events', undefined, from('192.0.2.7')),
      429,
      'too_many_requests',
    );
    await follow(gateway, 'events', from('192.0.2.8'));
  });
});
