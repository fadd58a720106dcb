import { ServiceError, type RefusalKind } from '@lab/contracts';
import { Outbound } from '@lab/runtime';
import { afterEach, describe, expect, it } from 'vitest';
import { RefusalLog } from '../../src/refusals/refusal-log.js';
import { MemoryRefusals } from '../memory-access.js';
import { byTokens, headersOf } from '../tokens.js';
import { memoryLog, startHarness, type Harness } from '../twins.js';

const started: Harness[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map(({ server }) => server.close()));
});

async function start(more: Parameters<typeof startHarness>[3] = {}, options = {}): Promise<Harness> {
  const gateway = await startHarness(options, undefined, byTokens, more);
  started.push(gateway);
  return gateway;
}

describe('the log of refused requests', () => {
  it('has every 401, 403, 421 and 429, by kind, caller and address, without any token', async () => {
    const gateway = await start({}, { limits: { readsPerSecond: 0.5, wrongTokensPerMinute: 2 } });
    const secret = `svc_pat_${'s3cr3t'.repeat(7)}x`;
    const viewer = await headersOf(gateway, 'eve', [{ role: 'viewer' }]);
    const wrong = { authorization: `Bearer ${secret}` };
    const statuses = [
      await gateway.send('GET', '/api/tasks/some'),
      await gateway.send('GET', '/api/tasks/some', undefined, wrong),
      await gateway.send('GET', '/api/audit', undefined, viewer),
      await gateway.send('GET', '/api/me', undefined, { authorization: 'Bearer other' }),
      await gateway.send('GET', '/api/me', undefined, { authorization: 'Bearer third' }),
      await gateway.send('POST', '/api/queue/pause', {}, { ...viewer, origin: 'https://evil.example.org' }),
      await gateway.send('PUT', `/api/uploads/${secret}`, 'x', { 'content-type': 'text/plain' }),
      await gateway.send('GET', `/api/downloads/${secret}`),
    ].map(({ status }) => status);
    await gateway.refusals.flush();
    const seen = gateway.refused.kept.map(({ kind, principal, address, action, count }) => [
      kind,
      principal,
      address,
      action,
      count,
    ]);
    expect(seen).toEqual([
      ['no_token', '', '127.0.0.1', 'GET /api/tasks/{task_name}', 1],
      ['wrong_token', '', '127.0.0.1', 'GET /api/me', 2],
      ['role', 'eve', '127.0.0.1', 'GET /api/audit', 1],
      ['too_many', '', '127.0.0.1', 'GET /api/downloads/{token}', 2],
      ['origin', '', '127.0.0.1', 'POST /api/queue/pause', 1],
      ['wrong_ticket', '', '127.0.0.1', 'PUT /api/uploads/{token}', 1],
    ]);
    expect(statuses).toEqual([401, 401, 403, 401, 429, 403, 403, 429]);
    expect(JSON.stringify(gateway.refused.kept)).not.toContain('s3cr3t');
  });

  it('has the addresses that webhooks may not reach', async () => {
    const gateway = await start({ outbound: new Outbound({ allow: [], http: true, ports: [80] }) });
    const root = await headersOf(gateway, 'root', [{ role: 'admin' }]);
    const body = { url: 'http://169.254.169.254/' };
    expect((await gateway.send('POST', '/api/webhooks', body, root)).status).toBe(422);
    await gateway.refusals.flush();
    expect(gateway.refused.kept).toMatchObject([{ kind: 'webhook_address', principal: 'root' }]);
  });

  it('is read by admins only, and contains what was refused a moment ago', async () => {
    const gateway = await start();
    const root = await headersOf(gateway, 'root', [{ role: 'admin' }]);
    const viewer = await headersOf(gateway, 'eve', [{ role: 'lab_admin' }]);
    expect((await gateway.send('GET', '/api/security/refusals', undefined, viewer)).status).toBe(403);
    expect((await gateway.send('GET', '/api/security/refusals?kind=role', undefined, root)).status).toBe(200);
    expect(gateway.refused.kept).toMatchObject([{ kind: 'role', principal: 'eve' }]);
  });
});

describe('a flood of refusals', () => {
  const refusal = { kind: 'wrong_token', principal: '', requestId: 'r', action: 'GET /api/me' } as const;

  it('of one address is one record with a number', async () => {
    const store = new MemoryRefusals();
    const counted: RefusalKind[] = [];
    const log = new RefusalLog(
      store,
      ({ kind }) => counted.push(kind),
      memoryLog(),
      () => 1_000,
    );
    for (let n = 0; n < 5_000; n += 1) log.note({ ...refusal, address: '192.0.2.7' });
    await log.close();
    expect(store.kept).toHaveLength(1);
    expect(store.kept[0]).toMatchObject({ count: 5_000, first_at: new Date(1_000).toISOString() });
    expect(counted).toHaveLength(5_000);
  });

  it('of many addresses is a bounded number of records, which leave out no request', async () => {
    const store = new MemoryRefusals();
    const log = new RefusalLog(store, () => undefined, memoryLog());
    for (let n = 0; n < 5_000; n += 1) log.note({ ...refusal, address: `10.0.${n >> 8}.${n & 255}` });
    await log.close();
    expect(store.kept).toHaveLength(201);
    expect(store.kept.reduce((sum, { count }) => sum + count, 0)).toBe(5_000);
    expect(store.kept.at(-1)).toMatchObject({ address: 'others', count: 4_800 });
  });

  it('waits for the database, each record once, and says what is lost when that takes too long', async () => {
    const store = new MemoryRefusals();
    const lines = memoryLog();
    const log = new RefusalLog(store, () => undefined, lines);
    store.failure = new ServiceError('store_unavailable', 'gone');
    for (let minute = 0; minute < 11; minute += 1) {
      for (let n = 0; n < 201; n += 1) log.note({ ...refusal, address: `${minute}.${n}` });
      await log.flush();
    }
    expect(lines.lines.some(({ message }) => /are lost, because the database/.test(message))).toBe(true);
    store.failure = undefined;
    await log.close();
    expect(store.kept).toHaveLength(2_000);
    expect(new Set(store.kept.map(({ id }) => id)).size).toBe(2_000);
  });
});
