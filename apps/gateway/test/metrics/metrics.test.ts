import { afterEach, describe, expect, it } from 'vitest';
import { ServiceError, type MetricFamily, type Principal } from '@lab/contracts';
import { Meter } from '@lab/runtime';
import { expectProblem, startHarness, type Harness } from '../twins.js';
import type { Authentication } from '../../src/access/authentication.js';
import { exposition } from '../../src/metrics/exposition.js';
import { Measurements } from '../../src/metrics/measurements.js';

const family = (name: string, value: number): MetricFamily => ({
  name,
  help: 'h',
  type: 'gauge',
  samples: [{ labels: {}, value }],
});

describe('the text for Prometheus', () => {
  it('puts values of all processes under one description, with cumulative buckets', () => {
    const text = exposition([
      {
        service: 'gateway',
        instance: 'a',
        families: [
          {
            name: 'svc_seconds',
            help: 'Time\nof "it".',
            type: 'histogram',
            bounds: [0.1, 1],
            samples: [{ labels: { route: '/a"b\\' }, value: 3.65, counts: [2, 1, 1] }],
          },
          family('svc_length', 1),
        ],
      },
      { service: 'agent', instance: 'b/1', families: [family('svc_length', 2)] },
    ]);
    expect(text).toBe(
      [
        '# HELP svc_seconds Time\\nof "it".',
        '# TYPE svc_seconds histogram',
        'svc_seconds_bucket{service="gateway",instance="a",route="/a\\"b\\\\",le="0.1"} 2',
        'svc_seconds_bucket{service="gateway",instance="a",route="/a\\"b\\\\",le="1"} 3',
        'svc_seconds_bucket{service="gateway",instance="a",route="/a\\"b\\\\",le="+Inf"} 4',
        'svc_seconds_sum{service="gateway",instance="a",route="/a\\"b\\\\"} 3.65',
        'svc_seconds_count{service="gateway",instance="a",route="/a\\"b\\\\"} 4',
        '# HELP svc_length h',
        '# TYPE svc_length gauge',
        'svc_length{service="gateway",instance="a"} 1',
        'svc_length{service="agent",instance="b/1"} 2',
        '',
      ].join('\n'),
    );
  });
});

describe('the report of a process', () => {
  it('is valid until its next report, and is forgotten when the process is silent', () => {
    let now = 0;
    const measurements = new Measurements(
      () => ({ service: 'gateway', instance: 'g', families: [] }),
      () => now,
    );
    measurements.hear({ service: 'agent', instance: 'a', families: [family('x', 1)] });
    measurements.hear({ service: 'agent', instance: 'a', families: [family('x', 2)] });
    expect(
      measurements.all().map(({ instance, families }) => [instance, families[0]?.samples[0]?.value]),
    ).toEqual([
      ['g', undefined],
      ['a', 2],
    ]);
    now = 30_001;
    expect(measurements.all()).toHaveLength(1);
  });

  it('is kept for a limited number of processes', () => {
    const measurements = Measurements.none();
    for (let index = 0; index < 1_000; index += 1)
      measurements.hear({ service: 'agent', instance: String(index), families: [] });
    expect(measurements.all()).toHaveLength(201);
  });
});

const started: Harness[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map(({ server }) => server.close()));
});

/** A token is the name of the only role of its owner. */
const byRole: Authentication = {
  principalOf(token): Promise<Principal | undefined> {
    if (token === undefined) return Promise.resolve(undefined);
    if (token === 'Bearer none') return Promise.resolve({ name: 'bob', kind: 'token', grants: [] });
    if (token !== 'Bearer viewer') throw new ServiceError('unauthorized', 'no such token');
    return Promise.resolve({ name: 'ada', kind: 'token', grants: [{ role: 'viewer' }] });
  },
  principalOfSession: () => Promise.resolve(undefined),
  forget: () => undefined,
  issuerTokenDays: 0,
};

async function start(surroundings: object = {}): Promise<Harness> {
  const meter = new Meter();
  const measurements = new Measurements(
    () => ({ service: 'gateway', instance: 'g', families: meter.read() }),
    () => 0,
  );
  const harness = await startHarness({ meter }, undefined, undefined, { measurements, ...surroundings });
  started.push(harness);
  return harness;
}

describe('/metrics', () => {
  it('counts requests by their route and unknown paths together, never by address', async () => {
    const gateway = await start();
    for (const path of ['/api/tasks/a', '/api/tasks/b', '/nothing/1', '/nothing/2'])
      await gateway.send('GET', path);
    const { text, headers } = await gateway.send('GET', '/metrics');
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const counts = text.split('\n').filter((line) => line.startsWith('svc_http_requests_total'));
    expect(counts).toEqual([
      'svc_http_requests_total{service="gateway",instance="g",method="GET",route="/api/tasks/:task_name",status="404"} 2',
      'svc_http_requests_total{service="gateway",instance="g",method="any",route="none",status="404"} 2',
    ]);
    expect(text).not.toContain('nothing');
  });

  it('needs the role viewer, unless it is configured as open', async () => {
    const gateway = await start({ authentication: byRole });
    const read = (token?: string) =>
      gateway.send(
        'GET',
        '/metrics',
        undefined,
        token === undefined ? {} : { authorization: `Bearer ${token}` },
      );
    expectProblem(await read(), 401, 'unauthorized');
    expectProblem(await read('forged'), 401, 'unauthorized');
    expectProblem(await read('none'), 403, 'forbidden');
    expect((await read('viewer')).status).toBe(200);
    const open = await start({ authentication: byRole, openMetrics: true });
    expect((await open.send('GET', '/metrics')).status).toBe(200);
  });
});
