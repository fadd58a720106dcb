import { describe, expect, it } from 'vitest';
import { Meter } from '../../src/metrics/meter.js';
import { measureProcess } from '../../src/metrics/process-metrics.js';

describe('a counter', () => {
  it('adds up by labels in any order', () => {
    const meter = new Meter();
    const count = meter.counter('svc_things_total', 'Things.');
    count({ kind: 'a', state: 'x' });
    count({ state: 'x', kind: 'a' }, 2);
    count({ kind: 'b', state: 'x' });
    expect(meter.read()).toEqual([
      {
        name: 'svc_things_total',
        help: 'Things.',
        type: 'counter',
        samples: [
          { labels: { kind: 'a', state: 'x' }, value: 3 },
          { labels: { kind: 'b', state: 'x' }, value: 1 },
        ],
      },
    ]);
  });

  it('has a limited number of series and loses no count above it', () => {
    const meter = new Meter();
    const count = meter.counter('svc_things_total', 'Things.');
    for (let index = 0; index < 5_000; index += 1) count({ name: `n${index}` });
    const samples = meter.read()[0]?.samples ?? [];
    expect(samples).toHaveLength(1_001);
    expect(samples.at(-1)).toEqual({ labels: { name: 'other' }, value: 4_000 });
    expect(samples.reduce((sum, { value }) => sum + value, 0)).toBe(5_000);
  });
});

describe('a histogram', () => {
  it('counts every value in the lowest bucket whose bound it does not exceed', () => {
    const meter = new Meter();
    const observe = meter.histogram('svc_seconds', 'Time.', [0.1, 1]);
    for (const value of [0.05, 0.1, 0.5, 3]) observe(value);
    expect(meter.read()[0]).toMatchObject({
      bounds: [0.1, 1],
      samples: [{ labels: {}, value: 3.65, counts: [2, 1, 1] }],
    });
  });
});

it('a gauge is read on request', () => {
  const meter = new Meter();
  let length = 1;
  meter.gauge('svc_length', 'Length.', () => (length === 0 ? [] : [{ value: length }]));
  length = 7;
  expect(meter.read()[0]?.samples).toEqual([{ labels: {}, value: 7 }]);
  length = 0;
  expect(meter.read()[0]?.samples).toEqual([]);
});

it('a process measures its memory, its uptime and its event loop delay', async () => {
  const meter = new Meter();
  const end = measureProcess(meter);
  const valueOf = (name: string, quantile?: string): number =>
    meter
      .read()
      .find((family) => family.name === name)
      ?.samples.find(({ labels }) => labels['quantile'] === quantile)?.value ?? NaN;
  try {
    expect(valueOf('process_resident_memory_bytes')).toBeGreaterThan(1e6);
    expect(valueOf('process_cpu_seconds_total')).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const until = performance.now() + 300;
    while (performance.now() < until) Math.sqrt(2);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(valueOf('nodejs_eventloop_lag_seconds', '1')).toBeGreaterThan(0.1);
  } finally {
    end();
  }
});
