import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, CDPSession, Page } from 'playwright-core';

/** What a browser says of itself. Expressions are text, because they run in the page and not here. */

/** Processor time of the processes that draw pages, in seconds: the page itself, and what puts pixels on the screen. */
export async function drawingSeconds(browser: Browser): Promise<{ renderer: number; drawing: number }> {
  const session = await browser.newBrowserCDPSession();
  try {
    const { processInfo } = (await session.send('SystemInfo.getProcessInfo')) as {
      processInfo: { type: string; cpuTime: number }[];
    };
    const of = (type: string): number =>
      processInfo.filter((each) => each.type === type).reduce((sum, { cpuTime }) => sum + cpuTime, 0);
    return { renderer: of('renderer'), drawing: of('renderer') + of('GPU') };
  } finally {
    await session.detach();
  }
}

/** Shares of a core in percent while `seconds` pass. */
export async function sharesOf(
  browser: Browser,
  seconds: number,
): Promise<{ renderer: number; drawing: number }> {
  const before = await drawingSeconds(browser);
  const begin = performance.now();
  await delay(seconds * 1_000);
  const after = await drawingSeconds(browser);
  const passed = (performance.now() - begin) / 1_000;
  return {
    renderer: (100 * (after.renderer - before.renderer)) / passed,
    drawing: (100 * (after.drawing - before.drawing)) / passed,
  };
}

/** Memory of JavaScript that is in use after a collection, in bytes. */
export async function heapOf(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = (await session.send('Runtime.getHeapUsage')) as { usedSize: number };
  return usedSize;
}

/** Observes what is slow from the start of each document: `slow.tasks` and `slow.events`, in milliseconds. */
export const observer = `
globalThis.slow = { tasks: [], events: new Map() };
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) slow.tasks.push(duration);
}).observe({ type: 'longtask', buffered: true });
new PerformanceObserver((list) => {
  for (const { interactionId, duration } of list.getEntries())
    if (interactionId) slow.events.set(interactionId, Math.max(duration, slow.events.get(interactionId) ?? 0));
}).observe({ type: 'event', durationThreshold: 16, buffered: true });`;

/** Forgets what was slow so far. */
export const forget = (page: Page): Promise<unknown> =>
  page.evaluate('slow.tasks.length = 0; slow.events.clear()');

/** Milliseconds of each task of the page that took longer than 50 ms. */
export const longTasks = (page: Page): Promise<number[]> => page.evaluate('slow.tasks');

/** Milliseconds from each act of a person to the next picture, for those that took 16 ms or more (Event Timing). */
export const slowInteractions = (page: Page): Promise<number[]> => page.evaluate('[...slow.events.values()]');

/** The slope of a line through points by least squares. */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (at: 0 | 1): number => points.reduce((sum, point) => sum + point[at], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const spread = points.reduce((sum, [each]) => sum + (each - x) ** 2, 0);
  return points.reduce((sum, [each, value]) => sum + (each - x) * (value - y), 0) / spread;
}
