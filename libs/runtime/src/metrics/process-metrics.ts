import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { MetricFamily } from '@lab/contracts';
import type { Meter } from './meter.js';

/** The resolution of the event loop's delay, in milliseconds. */
const resolutionMs = 20;

/**
 * Measures memory, processor time and the delay of the event loop of this process.
 *
 * @returns ends the measurement of the event loop
 */
export function measureProcess(meter: Meter): () => void {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  meter.gauge('process_resident_memory_bytes', 'Memory that the process has.', () => [
    { value: process.memoryUsage.rss() },
  ]);
  meter.gauge('nodejs_heap_used_bytes', 'Memory that JavaScript uses.', () => [
    { value: process.memoryUsage().heapUsed },
  ]);
  meter.gauge(
    'process_cpu_seconds_total',
    'Time of the processor, of user and system.',
    () => {
      const { user, system } = process.cpuUsage();
      return [{ value: (user + system) / 1e6 }];
    },
    'counter',
  );
  meter.gauge('process_start_time_seconds', 'When it started, in seconds since 1970.', () => [
    { value: performance.timeOrigin / 1_000 },
  ]);
  meter.gauge('nodejs_eventloop_lag_seconds', 'How late the event loop was since the last reading.', () => {
    const late = (nanoseconds: number): number =>
      Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / 1e9 - resolutionMs / 1e3) : 0;
    const readings = [
      { labels: { quantile: '0.5' }, value: late(delay.percentile(50)) },
      { labels: { quantile: '0.99' }, value: late(delay.percentile(99)) },
      { labels: { quantile: '1' }, value: late(delay.max) },
    ];
    delay.reset();
    return readings;
  });
  return () => void delay.disable();
}

const refusalsName = 'svc_broker_refusals_total';

/** What the broker has refused to a process, among its measurements. */
export function refusalsIn(families: readonly MetricFamily[]): number {
  return families.find(({ name }) => name === refusalsName)?.samples[0]?.value ?? 0;
}

/** Counts what the broker refused to this process. */
export function measureRefusals(meter: Meter, bus: { readonly refusals: number }): void {
  meter.gauge(
    refusalsName,
    'Messages and subscriptions that the broker refused, because the credentials of the process do not allow them.',
    () => [{ value: bus.refusals }],
    'counter',
  );
}

/**
 * Reports the measurements periodically.
 *
 * @param everyMs milliseconds
 * @returns ends it
 */
export function tellMeasurements(
  meter: Meter,
  everyMs: number,
  tell: (families: MetricFamily[]) => void,
): () => void {
  const timer = setInterval(() => tell(meter.read()), everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
