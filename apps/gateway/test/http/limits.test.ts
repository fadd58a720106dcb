import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { orchestratorRequests } from '@lab/contracts';
import { expectProblem, raw, send, startHarness, type Harness } from '../twins.js';
import type { ServerOptions } from '../../src/server.js';
import { limits, limitsFrom, type Limits } from '../../src/http/limits.js';

const started: Harness[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map(({ server }) => server.close()));
});

async function gatewayWith(limits: Partial<Limits>, options: Partial<ServerOptions> = {}): Promise<Harness> {
  const harness = await startHarness({ limits, ...options });
  started.push(harness);
  return harness;
}

describe('a client with too many requests', () => {
  it('is refused further changes and told when to retry, and can still read', async () => {
    const gateway = await gatewayWith({ changesPerSecond: 1 });
    const cancel = () => gateway.send('POST', '/api/tasks/a/cancel');
    await cancel();
    await cancel();
    const sent = gateway.requests.sent.length;
    const refused = await cancel();
    expectProblem(refused, 429, 'too_many_requests');
    expect(refused.body.effect).toBe('none');
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(gateway.requests.sent).toHaveLength(sent);
    expect((await gateway.send('GET', '/api/protocols')).status).toBe(200);
  });

  it('is refused further reads and can still change something', async () => {
    const gateway = await gatewayWith({ readsPerSecond: 1 });
    const statuses = [];
    for (let index = 0; index < 3; index += 1)
      statuses.push((await gateway.send('GET', '/api/protocols')).status);
    expect(statuses).toEqual([200, 200, 429]);
    expectProblem(await gateway.send('POST', '/api/protocols', {}), 422, 'invalid');
  });

  it('is identified by its token, or by its address, whatever tokens it invents', async () => {
    const gateway = await gatewayWith({ readsPerSecond: 1, requestsPerSecond: 3 });
    const read = async (token: string) =>
      (await gateway.send('GET', '/docs', undefined, { authorization: `Bearer ${token}` })).status;
    expect([await read('a'), await read('a'), await read('a'), await read('b')]).toEqual([
      200, 200, 429, 200,
    ]);
    expect([await read('c'), await read('d'), await read('e')]).toEqual([200, 200, 429]);
  });

  it('can always stop the machines', async () => {
    const gateway = await gatewayWith({ changesPerSecond: 1, underWayPerClient: 1, underWay: 1 });
    for (let index = 0; index < 5; index += 1) await gateway.send('POST', '/api/tasks/a/cancel');
    expect((await gateway.send('POST', '/api/tasks/a/cancel')).status).toBe(429);
    gateway.requests.on(orchestratorRequests.engageStop, ({ id }) => ({ id }));
    gateway.requests.on(orchestratorRequests.listDevices, () => ({ devices: [] }));
    expect((await gateway.send('POST', '/api/estop', { by: 'ada', reason: 'smoke' })).status).toBe(201);
    expect(gateway.announcements.announced.length).toBeGreaterThan(0);
  });
});

describe('active requests', () => {
  it.each([
    ['of one client', { underWayPerClient: 2 }, 429, 'too_many_requests'],
    ['of all clients', { underWay: 2 }, 503, 'service_unavailable'],
  ])('%s have a limit, and one that ends makes room', async (_who, bounds, status, code) => {
    const gateway = await gatewayWith(bounds);
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    let reached = 0;
    let allReached = (): void => undefined;
    const full = new Promise<void>((resolve) => (allReached = resolve));
    gateway.requests.on(orchestratorRequests.listDevices, async () => {
      reached += 1;
      if (reached === 2) allReached();
      await held;
      return { devices: [] };
    });
    const waiting = [gateway.send('GET', '/api/devices'), gateway.send('GET', '/api/devices')];
    await full;
    const refused = await gateway.send('GET', '/api/devices');
    expectProblem(refused, status, code);
    expect(refused.headers.get('retry-after')).toBe('1');
    answer();
    expect((await Promise.all(waiting)).map((reply) => reply.status)).toEqual([200, 200]);
    expect((await gateway.send('GET', '/api/devices')).status).toBe(200);
  });
});

describe('an address', () => {
  it.each([
    ['path', `/api/protocols/${'x'.repeat(2_048)}`],
    ['query', `/api/protocols?state=${'x'.repeat(2_048)}`],
  ])('whose %s has more than 2 KB gets 414', async (part, path) => {
    const gateway = await gatewayWith({});
    const reply = await gateway.send('GET', path);
    expectProblem(reply, 414, 'uri_too_long');
    expect(reply.body.detail).toContain(part);
  });

  it('with the longest record name is accepted', async () => {
    const gateway = await gatewayWith({});
    const name = encodeURIComponent('配'.repeat(200));
    expectProblem(
      await gateway.send('GET', `/api/tasks/${name}?protocol_run_name=${name}`),
      404,
      'not_found',
    );
  });
});

/** Unlike `once` of node:events, this also resolves when the connection is cut, which ends it with an error. */
function closing(socket: Socket): Promise<void> {
  socket.on('error', () => undefined);
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

describe('a slow client', () => {
  it('is disconnected when it sends its headers byte by byte', async () => {
    const gateway = await gatewayWith({ headersMs: 200 });
    const { port } = new URL(gateway.url);
    const socket = connect(Number(port), '127.0.0.1');
    let answer = '';
    socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
    const closed = closing(socket);
    const text = 'GET /api/protocols HTTP/1.1\r\nHost: localhost\r\nX-Padding: ';
    const drip = setInterval(() => socket.write('x'), 20);
    socket.write(text);
    await closed;
    clearInterval(drip);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toContain('X-Content-Type-Options'.toLowerCase());
  });

  it('is disconnected when it keeps sending a body after the refusal', async () => {
    // Long enough for the client to read the answer before the connection is cut, which discards unread data.
    const gateway = await gatewayWith({ bodyMs: 1_000 });
    const { port } = new URL(gateway.url);
    const socket = connect(Number(port), '127.0.0.1');
    let answer = '';
    socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
    const closed = closing(socket);
    const drip = setInterval(() => socket.write('x'), 20);
    socket.write('POST /api/nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n');
    await closed;
    clearInterval(drip);
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
  });
});

describe('a page of another origin', () => {
  const dashboard = 'https://dashboard.example.org';
  const preflight = {
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization',
  };

  it('receives permission in advance when it is allowed, and may then send and read', async () => {
    const gateway = await gatewayWith({}, { origins: [dashboard] });
    const asked = await gateway.send('OPTIONS', '/api/protocols', undefined, {
      ...preflight,
      origin: dashboard,
    });
    expect(asked.status).toBe(204);
    expect(Object.fromEntries(asked.headers)).toMatchObject({
      'access-control-allow-origin': dashboard,
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers':
        'authorization, content-type, idempotency-key, last-event-id, x-request-id',
      vary: 'Origin',
    });
    const posted = await gateway.send('POST', '/api/protocols', {}, { origin: dashboard });
    expectProblem(posted, 422, 'invalid');
    expect(posted.headers.get('access-control-allow-origin')).toBe(dashboard);
    expect(posted.headers.get('access-control-expose-headers')).toContain('location');
    for (const { headers } of [asked, posted])
      expect(headers.get('access-control-allow-credentials')).toBeNull();
  });

  it.each(['https://evil.example.com', 'http://dashboard.example.org', `${dashboard}.evil.com`, 'null'])(
    'such as %s receives no permission',
    async (origin) => {
      const gateway = await gatewayWith({}, { origins: [dashboard] });
      for (const reply of [
        await gateway.send('OPTIONS', '/api/protocols', undefined, { ...preflight, origin }),
        await gateway.send('POST', '/api/protocols', {}, { origin }),
      ]) {
        expectProblem(reply, 403, 'forbidden');
        expect(reply.headers.get('access-control-allow-origin')).toBeNull();
        expect(reply.headers.get('vary')).toBe('Origin');
      }
      const read = await gateway.send('GET', '/api/protocols', undefined, { origin });
      expect(read.headers.get('access-control-allow-origin')).toBeNull();
    },
  );
});

describe('the headers of every answer', () => {
  const guarding = {
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  };

  it('require HTTPS only when clients reach the service by HTTPS', async () => {
    const plain = await gatewayWith({});
    const secure = await gatewayWith({}, { publicUrl: 'https://lab.example.org' });
    const hsts = async ({ url }: Harness) =>
      (await send(url, 'GET', '/api/protocols')).headers.get('strict-transport-security');
    expect(await hsts(plain)).toBeNull();
    expect(await hsts(secure)).toBe('max-age=63072000');
  });

  it.each([
    ['a record', 'GET', '/api/protocols'],
    ['what is not there', 'GET', '/nothing'],
    ['a broken address', 'GET', '/api/protocols/%zz'],
    ['a long address', 'GET', `/${'x'.repeat(3_000)}`],
    ['what is refused', 'POST', '/api/protocols'],
  ])('of %s guard against other pages', async (_what, method, path) => {
    const gateway = await gatewayWith({});
    expect(Object.fromEntries((await gateway.send(method, path)).headers)).toMatchObject(guarding);
  });

  it('protect the answer to a message that is not HTTP', async () => {
    const gateway = await gatewayWith({});
    expect((await raw(gateway.url, 'what is this')).head.toLowerCase()).toContain('x-frame-options: deny');
  });
});

describe('the configured limits', () => {
  it('have defaults for a server on a network, and none apply on this computer', () => {
    expect(limitsFrom({ max_body_bytes: 5, wrong_tokens_per_min: 30 }, false)).toEqual({
      bodyBytes: 5,
      changesPerSecond: limits.changesPerSecond,
      readsPerSecond: limits.readsPerSecond,
      requestsPerSecond: limits.requestsPerSecond,
      underWayPerClient: limits.underWayPerClient,
      wrongTokensPerMinute: 30,
    });
    expect(limitsFrom({ max_body_bytes: 5, wrong_tokens_per_min: 30 }, true)).toMatchObject({
      changesPerSecond: Infinity,
    });
    expect(limitsFrom({ max_body_bytes: 5, wrong_tokens_per_min: 30, changes_per_s: 7 }, true)).toMatchObject(
      { changesPerSecond: 7 },
    );
  });
});
