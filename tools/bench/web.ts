// Measures the page in a real browser over the whole service, with 200 devices and 10,000 tasks. The devices are simulated
// on 50 real agents, the tasks of the past are written into the database, and the events are submissions and cancellations
// through the REST interface. A bare page of the same browser is the reference.
//
//   npm run bench:web -- [--tasks N] [--agents N] [--heap-minutes N]
//
// Exits with 1 when a mark in tools/bench/web/marks.json is missed.
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Browser, Page } from 'playwright-core';
import { startPostgres } from '@lab/persistence/embedded';
import { startBrowser } from '../shared/browser.js';
import { readFlags, whole } from '../shared/flags.js';
import { percentile, printMachine, printResult, rounded } from '../shared/measure.js';
import { inTools } from '../shared/paths.js';
import { RawSender } from '../shared/raw-sender.js';
import { startLaboratory, type Laboratory } from './load/laboratory.js';
import { forget, heapOf, longTasks, observer, sharesOf, slopeOf, slowInteractions } from './web/browser.js';
import { historyOf } from './web/history.js';

const {
  tasks,
  agents,
  'heap-minutes': heapMinutes,
} = readFlags({
  tasks: whole(10_000, { least: 100, most: 100_000 }),
  agents: whole(50, { least: 1, most: 100 }),
  'heap-minutes': whole(30, { least: 1, most: 240 }),
});
/** Tasks that wait while the queue is paused. */
const waiting = 100;
const paints = 5;
const cpuSeconds = 30;
const scrollSeconds = 10;
const wide = { width: 1_600, height: 900 };
/** A heap is read this often, in milliseconds. */
const heapMs = 10_000;

type Mark =
  | 'first_load_kib'
  | 'paint_ms'
  | 'interaction_p95_ms'
  | 'cpu_now_percent'
  | 'cpu_schedule_percent'
  | 'longest_task_ms'
  | 'heap_kib_per_min';
const marks = JSON.parse(readFileSync(inTools('bench/web/marks.json'), 'utf8')) as Record<
  Mark,
  { most: number; unit: string; what: string }
>;

/** Submits and cancels tasks at an even rate. Each of both is one event at least. `end` gives the events of a second. */
function keepBusy(url: string, eventsPerSecond: number): { end(): Promise<number> } {
  const begin = performance.now();
  const sender = new RawSender(url, 16);
  const pending: Promise<unknown>[] = [];
  let count = 0;
  let done = 0;
  const timer = setInterval(() => {
    const name = `event_${(count += 1)}_${eventsPerSecond}_${Math.round(performance.now())}`;
    const device = { lab_name: 'load_lab', name: `station_${count % (agents * 4)}` };
    pending.push(
      sender
        .post('/api/tasks', {
          ...{ name, type: 'visit', owner: 'load', devices: { station: device } },
          ...{ input_parameters: { key: name, stay_s: 0 }, allocation_timeout: 100_000 },
        })
        .then(() => sender.post(`/api/tasks/${name}/cancel`))
        .then(() => (done += 1))
        .catch(() => undefined),
    );
  }, 2_000 / eventsPerSecond);
  return {
    async end() {
      clearInterval(timer);
      await Promise.all(pending);
      sender.close();
      return (done * 2_000) / (performance.now() - begin);
    },
  };
}

async function opened(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ viewport: wide, locale: 'en', timezoneId: 'UTC' });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.addInitScript(observer);
  return page;
}

/** Milliseconds from the start of the navigation until a text is on the page. */
async function paintOf(browser: Browser, url: string, text: string): Promise<number> {
  const page = await opened(browser);
  await page.goto(url, { waitUntil: 'commit' });
  await page.getByText(text).first().waitFor();
  const ms: number = await page.evaluate('performance.now()');
  await page.context().close();
  return ms;
}

/** Compressed size of all scripts that the first page asks for, in bytes. */
async function firstLoad(browser: Browser, url: string): Promise<number> {
  const page = await opened(browser);
  const scripts = new Set<string>();
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.add(request.url());
  });
  await page.goto(url);
  await page.getByText('Tasks that run').waitFor();
  await page.context().close();
  const sizes = await Promise.all(
    [...scripts].map(async (script) => {
      const response = await fetch(script, { headers: { 'accept-encoding': 'gzip' } });
      // The length of the answer is that of the compressed form.
      return Number(response.headers.get('content-length'));
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** What people do, again and again. @returns how many interactions it made */
async function interact(page: Page): Promise<number> {
  let count = 0;
  const act = async (work: () => Promise<unknown>, weight = 1): Promise<void> => {
    await work();
    await delay(100);
    count += weight;
  };
  const link = (name: string): Promise<void> =>
    page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
  for (let round = 0; round < 5; round += 1) {
    await act(() => link('Schedule'));
    await page.getByLabel('Rows').waitFor();
    for (const grouping of ['computer', 'device']) {
      const choice = page.getByLabel('Rows');
      await act(() => choice.focus().then(() => choice.selectOption(grouping)));
    }
    await act(() => link('Devices'));
    await act(() => page.getByRole('link', { name: 'station_1', exact: true }).click());
    await act(() => link('Submit'));
    // The laboratory has task types and no protocols.
    await page.getByLabel('What to submit').selectOption('task');
    const name = page.getByLabel('Name', { exact: true });
    await name.waitFor();
    await act(() => name.click());
    await act(() => page.keyboard.type('speed', { delay: 30 }), 5);
    await act(() => page.keyboard.press('Control+k'));
    await act(() => page.keyboard.type('now', { delay: 30 }), 3);
    await act(() => page.keyboard.press('Escape'));
    await act(() => link('Work'));
    await act(() =>
      page
        .getByLabel('Kind')
        .focus()
        .then(() => page.getByLabel('Kind').selectOption('task')),
    );
    await act(() => link('Queue'));
    await act(() => link('Resources'));
    await act(() => link('Now'));
    await act(() => page.getByRole('button', { name: 'Settings and account' }).click());
    await act(() => page.keyboard.press('Escape'));
    await act(() => link('Attention'));
    await act(() => link('Now'));
  }
  return count;
}

/** p95 of interactions in milliseconds. One that is not listed took less than 16 ms. */
const p95Of = (slow: readonly number[], count: number): number =>
  percentile([...slow, ...Array.from({ length: Math.max(0, count - slow.length) }, () => 16)], 0.95);

/** p95 of presses of a button that changes one text, in milliseconds. */
async function bareInteraction(browser: Browser, bare: string): Promise<number> {
  const page = await opened(browser);
  await page.goto(bare);
  const presses = 50;
  for (let press = 0; press < presses; press += 1) {
    await page.getByRole('button').click();
    await delay(50);
  }
  await delay(500);
  const p95 = p95Of(await slowInteractions(page), presses);
  await page.context().close();
  return p95;
}

/** Scrolls and zooms the Gantt of a day. @returns milliseconds of the longest task of the page */
async function scrollGantt(page: Page): Promise<number> {
  await page.getByLabel('Time shown').selectOption({ label: '1 day' });
  await delay(5_000);
  await forget(page);
  const chart = page.locator('canvas').first();
  await chart.hover();
  const end = performance.now() + scrollSeconds * 1_000;
  for (let step = 0; performance.now() < end; step += 1) {
    await page.mouse.wheel(0, step % 40 < 20 ? 120 : -120);
    await delay(30);
    const zoom = ['6 hours', '1 day'][(step / 60) % 2];
    if (zoom !== undefined) await page.getByLabel('Time shown').selectOption({ label: zoom });
  }
  return Math.max(0, ...(await longTasks(page)));
}

/** The growth of the heap at 20 events a second, in KiB a minute, after a fifth of the time. */
async function heapGrowth(page: Page, url: string): Promise<{ slope: number; mib: number }> {
  const session = await page.context().newCDPSession(page);
  const busy = keepBusy(url, 20);
  const points: [minutes: number, kib: number][] = [];
  const begin = performance.now();
  const minutes = (): number => (performance.now() - begin) / 60_000;
  while (minutes() < heapMinutes) {
    await delay(heapMs);
    points.push([minutes(), (await heapOf(session)) / 1_024]);
  }
  await busy.end();
  await session.detach();
  const settled = points.filter(([at]) => at > heapMinutes / 5);
  return { slope: slopeOf(settled), mib: (points.at(-1)?.[1] ?? NaN) / 1_024 };
}

async function measure(laboratory: Laboratory, browser: Browser, bare: string) {
  const { url } = laboratory;
  const bytes = await firstLoad(browser, url);
  const painted: Record<'ours' | 'bare', number[]> = { ours: [], bare: [] };
  for (let round = 0; round < paints; round += 1) {
    painted.bare.push(await paintOf(browser, bare, 'ready'));
    painted.ours.push(await paintOf(browser, url, 'Tasks that run'));
  }
  const idle = await opened(browser);
  await idle.goto(bare);
  const idleShares = await sharesOf(browser, 5);
  await idle.context().close();
  const interactionBare = await bareInteraction(browser, bare);

  const page = await opened(browser);
  await page.goto(url);
  await page.getByText('Tasks that run').waitFor();
  await interact(page);
  await forget(page);
  const interactions = await interact(page);
  await delay(500);
  const slow = await slowInteractions(page);

  await page.goto(`${url}/`);
  await page.getByText('Tasks that run').waitFor();
  const busy = keepBusy(url, 100);
  await delay(3_000);
  const onNow = await sharesOf(browser, cpuSeconds);
  await page.goto(`${url}/schedule`);
  await page.getByLabel('Rows').waitFor();
  await page.getByLabel('Time shown').selectOption({ label: '1 day' });
  await delay(5_000);
  const onSchedule = await sharesOf(browser, cpuSeconds);
  const eventsPerS = await busy.end();
  await delay(3_000);
  const longest = await scrollGantt(page);
  await page.goto(`${url}/`);
  await page.getByText('Tasks that run').waitFor();
  const heap = await heapGrowth(page, url);
  return {
    first_load_kib: rounded(bytes / 1_024, 1),
    paint_ms: rounded(percentile(painted.ours, 0.5), 0),
    paint_bare_ms: rounded(percentile(painted.bare, 0.5), 0),
    interactions,
    interaction_p95_ms: p95Of(slow, interactions),
    interaction_bare_p95_ms: interactionBare,
    interaction_longest_ms: Math.max(16, ...slow),
    cpu_now_percent: rounded(onNow.drawing, 1),
    cpu_now_renderer_percent: rounded(onNow.renderer, 1),
    cpu_schedule_percent: rounded(onSchedule.drawing, 1),
    cpu_schedule_renderer_percent: rounded(onSchedule.renderer, 1),
    events_per_s: rounded(eventsPerS, 0),
    cpu_bare_percent: rounded(idleShares.drawing, 1),
    longest_task_ms: rounded(longest, 0),
    heap_kib_per_min: rounded(heap.slope, 1),
    heap_mib: rounded(heap.mib, 1),
  };
}

printMachine();
const folder = await mkdtemp(join(tmpdir(), 'svc-web-'));
const database = await startPostgres({ dataDir: join(folder, 'data') });
const connection = new pg.Client({ connectionString: database.url });
const bareServer = createServer((_request, reply) =>
  reply
    .setHeader('content-type', 'text/html')
    .end('<p>ready</p><button onclick="this.textContent += 1">press</button>'),
);
let laboratory: Laboratory | undefined;
let browser: Browser | undefined;
try {
  await new Promise<void>((resolve) => bareServer.listen(0, '127.0.0.1', resolve));
  laboratory = await startLaboratory({
    agents,
    processes: 4,
    env: { SVC_DATABASE_URL: database.urls.owner },
  });
  await connection.connect();
  await connection.query(historyOf(tasks - waiting, 'load_lab', laboratory.stations.length));
  await laboratory.api.post('/api/queue/pause', { body: {} });
  const { stations } = laboratory;
  for (let index = 0; index < waiting; index += 1)
    await laboratory.visit(`waits_${index}`, stations[index % stations.length] ?? '');
  browser = await startBrowser();
  const bare = `http://127.0.0.1:${(bareServer.address() as AddressInfo).port}`;
  const figures = await measure(laboratory, browser, bare);
  console.log(
    `load average ${loadavg()
      .map((each) => rounded(each, 1))
      .join(', ')}`,
  );
  for (const [name, { most, unit, what }] of Object.entries(marks)) {
    const value = figures[name as Mark];
    const verdict = value <= most ? 'reached' : 'missed';
    console.log(`${what}: ${value} ${unit}, at most ${most} ${unit}: ${verdict}`);
    if (value > most) process.exitCode = 1;
  }
  printResult({ tasks, devices: stations.length, ...figures });
} finally {
  await browser?.close();
  await laboratory?.stop();
  bareServer.close();
  await connection.end();
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}
