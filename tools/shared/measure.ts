import { cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

/** Measuring, and the output of figures. */

/** The value below which the share `p` (0 to 1) of the numbers lies: the nearest rank, without interpolation. */
export function percentile(numbers: readonly number[], p: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)] ?? NaN;
}

export const rounded = (value: number, digits = 2): number => Number(value.toFixed(digits));

/** The median and the 99th percentile as fields of figures: `{ lag_p50_ms, lag_p99_ms }`. */
export const p50AndP99 = (
  name: string,
  milliseconds: readonly number[],
  digits = 2,
): Record<string, number> => ({
  [`${name}p50_ms`]: rounded(percentile(milliseconds, 0.5), digits),
  [`${name}p99_ms`]: rounded(percentile(milliseconds, 0.99), digits),
});

/** The same in words. */
export const p50AndP99Text = (milliseconds: readonly number[], digits = 2): string =>
  `p50 ${rounded(percentile(milliseconds, 0.5), digits)} ms, p99 ${rounded(percentile(milliseconds, 0.99), digits)} ms`;

/** Milliseconds that the work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

/**
 * Calls `work` `count` times, `inFlight` calls at once.
 *
 * @returns milliseconds of each call, and calls per second
 */
export async function load(
  count: number,
  inFlight: number,
  work: (index: number) => Promise<unknown>,
): Promise<{ durations: number[]; perSecond: number }> {
  const durations: number[] = [];
  let started = 0;
  const begin = performance.now();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (started < count) {
        const index = started++;
        durations.push(await timed(() => work(index)));
      }
    }),
  );
  return { durations, perSecond: (count / (performance.now() - begin)) * 1_000 };
}

/**
 * Calls `work` at an even rate, however long each call takes, and waits for all calls.
 *
 * @returns calls per second
 */
export async function evenly(
  count: number,
  perSecond: number,
  work: (index: number) => Promise<unknown>,
): Promise<number> {
  const begin = performance.now();
  const pending: Promise<unknown>[] = [];
  for (let index = 0; index < count; index += 1) {
    const wait = begin + (index * 1_000) / perSecond - performance.now();
    if (wait > 0) await delay(wait);
    pending.push(work(index));
  }
  await Promise.all(pending);
  return (count / (performance.now() - begin)) * 1_000;
}

/**
 * Reads again until `done` holds.
 *
 * @param limitMs milliseconds after which it gives up; `everyMs`: between two readings
 * @returns the value for which `done` holds
 * @throws Error with the last value
 */
export async function until<T>(
  read: () => T | Promise<T>,
  done: (value: T) => boolean,
  limitMs = 60_000,
  everyMs = 25,
): Promise<T> {
  const end = performance.now() + limitMs;
  for (;;) {
    const value = await read();
    if (done(value)) return value;
    if (performance.now() > end)
      throw new Error(
        `the condition did not hold within ${limitMs} ms: ${JSON.stringify(value)?.slice(0, 500)}`,
      );
    await delay(everyMs);
  }
}

/** The machine, without which no figure means anything. */
export function machine(): string {
  const all = cpus();
  return `${all.length} x ${all[0]?.model ?? 'unknown'}, Node ${process.version}`;
}

export const printMachine = (): void => console.log(`machine: ${machine()}`);

/** Prints the result of a tool: a line for each figure, and last one JSON object. */
export function printResult(figures: object): void {
  for (const [name, value] of Object.entries(figures))
    console.log(`${name.padEnd(36)} ${typeof value === 'object' ? JSON.stringify(value) : value}`);
  console.log(JSON.stringify(figures));
}
