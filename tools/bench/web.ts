// Measures the page in a browser, over a laboratory of 200 devices with 9,900 tasks that wait: what the first load costs, when the
// page shows something useful, how long an act of a person takes, and what the page costs while events arrive.
import type { Page } from 'playwright-core';
import { startBrowser } from '../shared/browser.js';
import { readFlags, whole } from '../shared/flags.js';
import { load, percentile, printMachine, printResult, rounded } from '../shared/measure.js';
import { startLaboratory, visitEvenly, type Laboratory } from './load/laboratory.js';

const range = { least: 1, most: 20_000 };
const { agents, processes, queued, seconds, rate, acts } = readFlags({
  agents: whole(50, range),
  processes: whole(10, range),
  queued: whole(9_900, range),
  seconds: whole(30, range),
  /** Visits per second. Each causes about seven events. */
  rate: whole(15, range),
  acts: whole(40, range),
});

/** Notes in the page when its figures are first drawn, in milliseconds since the navigation began. */
const noteFirstPaint = `
  new MutationObserver((_, observer) => {
    if (document.querySelector('.figures') === null) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => (window.usefulAt = performance.now())));
  }).observe(document, { childList: true, subtree: true });
`;

/** Milliseconds from a click to the frame that shows what it does. */
const clickToFrame = (selector: string): string => `
  new Promise((resolve) => {
    const begin = performance.now();
    document.querySelector(${JSON.stringify(selector)}).click();
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begin)));
  })
`;

/** Keeps one station, so that the others wait for it. */
async function fillQueue(laboratory: Laboratory, station: string): Promise<void> {
  await laboratory.visit('keeper', station, { stay_s: 3_000 });
  await load(queued, 32, (index) =>
    laboratory.visit(`waits_${index}`, station, { owner: `owner_${index % 10}` }),
  );
}

/** Opens and closes the settings. @returns milliseconds of each act */
async function act(page: Page): Promise<number[]> {
  const durations: number[] = [];
  while (durations.length < acts) {
    for (const selector of ['.tools button[aria-haspopup]:nth-of-type(2)', 'dialog .buttons button'])
      durations.push(Number(await page.evaluate(clickToFrame(selector))));
  }
  return durations;
}

/** Counts the events of the service until `stop`. */
function countEvents(laboratory: Laboratory): { count(): number; stop(): Promise<void> } {
  const end = new AbortController();
  let heard = 0;
  const counting = (async () => {
    for await (const _event of laboratory.api.events('/api/events', { signal: end.signal })) heard += 1;
  })();
  return {
    count: () => heard,
    stop: () => {
      end.abort();
      return counting;
    },
  };
}

printMachine();
const laboratory = await startLaboratory({ agents, processes });
const browser = await startBrowser();
try {
  const [kept = '', ...stations] = laboratory.stations;
  await visitEvenly(laboratory, { prefix: 'warm', perSecond: 10, seconds: 10, stations });
  await fillQueue(laboratory, kept);
  const context = await browser.newContext({ baseURL: laboratory.api.baseUrl });
  const page = await context.newPage();
  await page.addInitScript(noteFirstPaint);
  const scripts: Promise<number>[] = [];
  page.on('response', (response) => {
    if (response.request().resourceType() === 'script')
      scripts.push(
        response
          .request()
          .sizes()
          .then(({ responseBodySize }) => responseBodySize),
      );
  });
  const useful: number[] = [];
  for (let load = 0; load < 5; load += 1) {
    await page.goto('/');
    useful.push(Number(await (await page.waitForFunction('window.usefulAt')).jsonValue()));
  }
  const [firstLoad = NaN] = await Promise.all(scripts);

  const session = await context.newCDPSession(page);
  await session.send('Performance.enable');
  const metric = async (name: string): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find((each) => each.name === name)?.value ?? NaN;
  };
  await page.evaluate(`
    window.longest = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
    }).observe({ type: 'longtask' });
  `);
  const [taskS, heap] = [await metric('TaskDuration'), await metric('JSHeapUsedSize')];
  const events = countEvents(laboratory);
  const begin = performance.now();
  const visits = visitEvenly(laboratory, { prefix: 'even', perSecond: rate, seconds, stations });
  const durations = await act(page);
  const { durations: done } = await visits;
  const passedS = (performance.now() - begin) / 1_000;
  const eventsPerS = events.count() / passedS;
  await events.stop();
  const usedS = (await metric('TaskDuration')) - taskS;
  await session.send('HeapProfiler.collectGarbage');
  printResult({
    devices: laboratory.stations.length,
    queued: (await laboratory.api.get('/api/queue', { query: { limit: 1 } })).waiting,
    script_kib: rounded(firstLoad / 1_024, 1),
    useful_ms: rounded(percentile(useful, 0.5), 0),
    act_p95_ms: rounded(percentile(durations, 0.95), 1),
    events_per_s: rounded(eventsPerS, 0),
    visits_per_s: rounded(done.length / seconds, 1),
    core_percent: rounded((usedS / passedS) * 100, 1),
    longest_task_ms: Number(await page.evaluate('window.longest')),
    heap_mb: rounded((await metric('JSHeapUsedSize')) / 1e6, 1),
    heap_before_mb: rounded(heap / 1e6, 1),
  });
} finally {
  await browser.close();
  await laboratory.stop();
}
