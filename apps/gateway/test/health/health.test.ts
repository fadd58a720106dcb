import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serviceRequests, ServiceError, type HealthReport, type ServiceHealth } from '@lab/contracts';
import { memoryLog, sharedHarness, startHarness, type Harness } from '../twins.js';

const gateway = sharedHarness();

const leader = (leads: Partial<NonNullable<ServiceHealth['leads']>> = {}): ServiceHealth => ({
  service: 'orchestrator',
  instance: 'i',
  version: '1',
  status: 'ok',
  uptime_s: 1,
  leads: {
    epoch: 7,
    computers: { expected: 2, online: 2, missing: [], troubles: [] },
    commits: {},
    packages: { read: 3, faulty: 0 },
    ...leads,
  },
});

const ready = async (): Promise<{ status: number; report: HealthReport }> => {
  const { status, body } = await gateway.send('GET', '/health/ready');
  return { status, report: body as unknown as HealthReport };
};

const notOk = ({ parts }: HealthReport): string[] =>
  Object.entries(parts).flatMap(([part, { status }]) => (status === 'ok' ? [] : [`${part} ${status}`]));

beforeEach(() => void gateway.requests.on(serviceRequests.leaderHealth, () => leader()));

it('a gateway that answers is alive, even when other parts are away', async () => {
  gateway.broker.connected = false;
  gateway.records.failure = new ServiceError('store_unavailable', 'no database');
  const reply = await gateway.send('GET', '/health/live');
  expect([reply.status, reply.body]).toEqual([200, { status: 'ok' }]);
});

describe('a service', () => {
  it('is ready when every part is, and names its leadership', async () => {
    expect(await ready()).toEqual({
      status: 200,
      report: {
        status: 'ok',
        epoch: 7,
        parts: {
          gateway: { status: 'ok' },
          broker: { status: 'ok' },
          database: { status: 'ok' },
          orchestrator: { status: 'ok' },
          agents: { status: 'ok', detail: '2 of 2 computers' },
          packages: { status: 'ok', detail: '3 read' },
        },
      },
    });
    expect(gateway.requests.of(serviceRequests.leaderHealth)).toHaveLength(1);
  });

  it.each([
    ['broker', () => (gateway.broker.connected = false)],
    ['database', () => (gateway.records.failure = new ServiceError('store_unavailable', 'no database'))],
    [
      'orchestrator',
      () =>
        gateway.requests.on(serviceRequests.leaderHealth, () => {
          throw new ServiceError('deadline_exceeded', 'nobody');
        }),
    ],
    [
      'orchestrator',
      () => gateway.requests.on(serviceRequests.leaderHealth, () => new Promise(() => undefined)),
    ],
  ])('is not ready without its %s, and names it with 503', async (part, fail) => {
    fail();
    const { status, report } = await ready();
    expect([status, report.status]).toEqual([503, 'unavailable']);
    expect(notOk(report).filter((each) => each.endsWith('unavailable'))).toEqual([`${part} unavailable`]);
    expect(JSON.stringify(report)).not.toContain('svc.v1');
  });

  it.each([
    [
      'agents',
      { computers: { expected: 3, online: 1, missing: ['bench_a', 'bench_b'], troubles: [] } },
      '1 of 3 computers have an agent that is heard; no agent is heard on bench_a, bench_b',
    ],
    [
      'agents',
      {
        computers: {
          expected: 2,
          online: 2,
          missing: [],
          troubles: ['computer pc: the ledger cannot be written (ENOSPC)'],
        },
      },
      'computer pc: the ledger cannot be written (ENOSPC)',
    ],
    ['packages', { packages: { read: 3, faulty: 1 } }, '1 of 3 have mistakes'],
  ])('with faulty %s is ready and reports the fault', async (part, leads, detail) => {
    gateway.requests.on(serviceRequests.leaderHealth, () => leader(leads));
    const { status, report } = await ready();
    expect([status, report.status, notOk(report)]).toEqual([200, 'degraded', [`${part} degraded`]]);
    expect(report.parts).toHaveProperty([part, 'detail'], detail);
  });

  it('is not ready while the orchestrator cannot commit, and says why and since when', async () => {
    const failing = { detail: 'the disk of the database is full (53100)', since: '2026-11-23T02:00:00.000Z' };
    gateway.requests.on(serviceRequests.leaderHealth, () => leader({ commits: { failing } }));
    const { status, report } = await ready();
    expect([status, report.status]).toEqual([503, 'unavailable']);
    expect(report.parts.database).toEqual({
      status: 'unavailable',
      detail: `the orchestrator cannot write to the database: ${failing.detail}`,
      since: failing.since,
    });
  });

  it('reports the words of the broker', async () => {
    gateway.broker.connected = false;
    expect((await ready()).report.parts.broker.detail).toBe('nats-server at lab-pc:4222 cannot be reached');
  });

  it('reports since when a part is away, until it is back', async () => {
    gateway.broker.connected = false;
    const first = (await ready()).report.parts.broker.since ?? '';
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await ready()).report.parts.broker.since).toBe(first);
    expect(Date.now() - Date.parse(first)).toBeLessThan(60_000);
    gateway.broker.connected = true;
    expect((await ready()).report.parts.broker).toEqual({ status: 'ok' });
    gateway.broker.connected = false;
    const again = (await ready()).report.parts.broker.since ?? '';
    expect(Date.parse(again)).toBeGreaterThan(Date.parse(first));
  });

  it('checks its parts once for simultaneous requests', async () => {
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    gateway.requests.on(serviceRequests.leaderHealth, async () => {
      await held;
      return leader();
    });
    const asked = Array.from({ length: 20 }, ready);
    // When this is answered, the earlier requests have been received.
    await gateway.send('GET', '/health/live');
    answer();
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(asked.map(() => 200));
    expect(gateway.requests.of(serviceRequests.leaderHealth).length).toBeLessThan(20);
  });

  it('answers the same under the older path', async () => {
    expect((await gateway.send('GET', '/api/health')).body).toEqual((await ready()).report);
  });
});

it('a database that does not answer is named with its full disk', async () => {
  let lack: string | undefined = 'the disk of computer lab-pc is full (0 MiB are free, 16 MiB are needed)';
  const readiness = { lookEveryMs: 0, diskTrouble: async () => lack };
  const watched = await startHarness({}, undefined, undefined, { readiness });
  try {
    watched.records.failure = new ServiceError('store_unavailable', 'it does not answer (ECONNREFUSED)');
    const detail = async (): Promise<string | undefined> => {
      const { body } = await watched.send('GET', '/health/ready');
      return (body as unknown as HealthReport).parts.database.detail;
    };
    expect(await detail()).toBe(`${lack}; it does not answer (ECONNREFUSED)`);
    lack = undefined;
    expect(await detail()).toBe('it does not answer (ECONNREFUSED)');
  } finally {
    await watched.server.close();
  }
});

describe('the log of a gateway', () => {
  const frozen = 'nats-server at lab-pc:4222 accepts connections and does not answer: it is stopped, frozen';
  let watched: Harness;
  const log = memoryLog();
  const look = async (): Promise<void> => void (await watched.send('GET', '/health/ready'));
  const lines = (): string[] => log.lines.splice(0).map(({ level, message }) => `${level} ${message}`);

  beforeEach(async () => {
    log.lines.length = 0;
    watched = await startHarness({}, undefined, undefined, { readiness: { lookEveryMs: 0, log } });
    watched.requests.on(serviceRequests.leaderHealth, () => leader());
  });
  afterEach(() => watched.server.close());

  it('says once that the service is unavailable, why, and once that it is ready again', async () => {
    await look();
    expect(lines()).toEqual(['info the service is ready']);
    Object.assign(watched.broker, { connected: false, words: frozen });
    for (let looks = 0; looks < 3; looks += 1) await look();
    expect(lines()).toEqual([`warn the service is unavailable: broker: ${frozen}`]);
    watched.broker.connected = true;
    for (let looks = 0; looks < 3; looks += 1) await look();
    expect(lines()).toEqual(['info the service is ready']);
  });

  it('names the computers without an agent, and every cause that is new', async () => {
    await look();
    expect(lines()).toEqual(['info the service is ready']);
    const computers = { expected: 2, online: 1, missing: ['bench_a'], troubles: [] };
    watched.requests.on(serviceRequests.leaderHealth, () => leader({ computers }));
    await look();
    expect(lines()).toEqual([
      'warn the service is degraded: agents: 1 of 2 computers have an agent that is heard; no agent is heard on bench_a',
    ]);
    watched.records.failure = new ServiceError('store_unavailable', 'the disk is full');
    await look();
    expect(lines()).toEqual(['warn the service is unavailable: database: the disk is full']);
    Object.assign(watched.broker, { connected: false, words: frozen });
    await look();
    expect(lines()).toEqual([
      `warn the service is unavailable: broker: ${frozen}; database: the disk is full`,
    ]);
  });

  it('has no warning while the service starts', async () => {
    watched.requests.on(serviceRequests.leaderHealth, () => {
      throw new ServiceError('deadline_exceeded', 'nobody');
    });
    await look();
    expect(lines()).toEqual([
      'info the service is unavailable after the start of this gateway: orchestrator: none that leads answers',
    ]);
    const computers = { expected: 1, online: 0, missing: ['bench_a'], troubles: [] };
    watched.requests.on(serviceRequests.leaderHealth, () => leader({ computers }));
    await look();
    expect(lines()).toEqual([
      expect.stringMatching(/^info the service is degraded after the start of this gateway: .* on bench_a$/),
    ]);
    watched.requests.on(serviceRequests.leaderHealth, () => leader());
    await look();
    expect(lines()).toEqual(['info the service is ready']);
  });
});
