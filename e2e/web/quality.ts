import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, isOver } from '../api.js';
import { api, browserOf, freshBrowser, open, question, settleAll, violationsOf } from './lab.js';

/** Where the pictures of the guide are written; undefined: none are. */
const pictures = process.env['SVC_PICTURES'];

let id: string;

/** Opens an address and waits until this is there. */
async function shown(look: object, address: string, text: string): Promise<Page> {
  const page = await open(await browserOf('admin', look), address);
  await page.getByRole('main').getByText(text).first().waitFor();
  return page;
}

const pages: [name: string, show: (look: object) => Promise<Page>][] = [
  ['now', async (look) => open(await browserOf('admin', look))],
  ['schedule', async (look) => open(await browserOf('admin', look), '/schedule')],
  ['chain', (look) => shown(look, '/schedule?rows=run&minutes=15&chain=true&run=mix_late', 'had freed')],
  ['queue', (look) => shown(look, '/queue', 'Change the place')],
  ['resources', (look) => shown(look, '/resources', 'paper_1')],
  ['resource', (look) => shown(look, '/resources/paper_1', 'reset by')],
  [
    'resource-data',
    async (look) => {
      const page = await shown(look, '/resources/paper_1', 'reset by');
      await page.getByRole('button', { name: 'Change the data' }).click();
      await page.getByRole('dialog').getByLabel('lines').fill('7');
      return page;
    },
  ],
  ['labels', (look) => shown(look, '/labels', '/bench/resources/paper_2')],
  ['bench', (look) => shown(look, '/bench', 'paper_1')],
  ['bench-device', (look) => shown(look, '/bench/devices/faulty_lab/brittle', 'What it did last')],
  ['bench-resource', (look) => shown(look, '/bench/resources/paper_1', 'paper in')],
  ['wall', async (look) => open(await browserOf('admin', look), '/wall')],
  ['work', (look) => shown(look, '/work', 'sweep_run_1')],
  ['attention', async (look) => open(await browserOf('admin', look), '/attention')],
  ['question', async (look) => open(await browserOf('admin', look), `/attention/${id}`)],
  ['devices', async (look) => open(await browserOf('admin', look), '/devices')],
  [
    'computers',
    async (look) => {
      const page = await open(await browserOf('admin', look), '/computers');
      await page.getByRole('heading', { name: 'Open invitations' }).waitFor();
      return page;
    },
  ],
  [
    'computer',
    async (look) => {
      const page = await open(await browserOf('admin', look), '/computers/svc_computer');
      await page.getByText('It did not join with an invitation').waitFor();
      return page;
    },
  ],
  [
    'invitation',
    async (look) => {
      const page = await open(await browserOf('admin', look), '/computers');
      await page.getByRole('button', { name: 'Invite a computer' }).click();
      await page.getByLabel('Name of the computer').fill('bench_*');
      return page;
    },
  ],
  ['campaign', async (look) => open(await browserOf('admin', look), '/campaigns/sweep')],
  ['run', async (look) => open(await browserOf('admin', look), '/runs/sweep_run_1')],
  [
    'device',
    async (look) => {
      const page = await open(await browserOf('admin', look), '/devices/faulty_lab/brittle');
      await page.getByRole('heading', { name: 'Device faulty_lab.brittle' }).waitFor();
      return page;
    },
  ],
  [
    'submit',
    async (look) => {
      const page = await open(await browserOf('admin', look), '/submit?kind=campaign');
      await page.getByLabel('Protocol').selectOption('optimize_multiplication');
      await page.getByLabel('Rows of a spreadsheet').waitFor();
      return page;
    },
  ],
  [
    'task',
    async (look) => {
      const page = await open(await browserOf('admin', look), '/tasks/files');
      for (const file of ['table.csv', 'page.html'])
        await page.getByRole('button', { name: `Show ${file}` }).click();
      await page.getByRole('cell', { name: 'first' }).waitFor();
      return page;
    },
  ],
  ['usage', (look) => shown(look, '/usage', 'of 400 task runs')],
  [
    'access',
    async (look) => {
      const page = await open(await browserOf('admin', look), '/access');
      await page.getByText('session of a browser').first().waitFor();
      return page;
    },
  ],
  [
    'sign-in',
    async (look) => {
      const page = await (await freshBrowser(look)).newPage();
      await page.goto('/');
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      return page;
    },
  ],
  [
    'emergency-stop',
    async (look) => {
      const page = await open(await browserOf('admin', look));
      await page.getByRole('button', { name: 'Emergency stop' }).click();
      await page.getByLabel('Reason').waitFor();
      return page;
    },
  ],
  [
    'settings',
    async (look) => {
      const page = await open(await browserOf('admin', look));
      await page.getByRole('button', { name: 'Settings and account' }).click();
      return page;
    },
  ],
  [
    'commands',
    async (look) => {
      const page = await open(await browserOf('admin', look));
      await page.keyboard.press('Control+k');
      await page.getByRole('listbox').waitFor();
      return page;
    },
  ],
];

describe('a page', () => {
  beforeAll(async () => {
    // Two runs that want one device, so that the end of the first decides that of the second.
    const parameters = { wait: { seconds: 6 } };
    for (const name of ['mix_early', 'mix_late']) {
      const asked = {
        name,
        type: 'slow_multiplication',
        owner: 'ada',
        parameters,
      };
      expect((await api.submit('protocols', asked)).status).toBe(201);
    }
    for (const name of ['mix_early', 'mix_late']) await eventually(() => api.run(name), isOver, 60_000);
    id = await question('after a crash');
    await api.call('POST', '/api/estop', {
      lab_name: 'multiplication_lab',
      reason: 'spill on the bench',
    });
    const campaign = {
      ...{
        name: 'sweep',
        protocol: 'slow_multiplication',
        owner: 'ada',
        max_protocol_runs: 8,
      },
      global_parameters: { wait: { seconds: 600 } },
    };
    expect((await api.submit('campaigns', campaign)).status).toBe(201);
    const torn = { meta: { lines: 7 }, reason: 'three lines are torn' };
    await api.call('PATCH', '/api/resources/paper_1', torn);
    await api.call('POST', '/api/resources/paper_1/reset', {
      reason: 'a new sheet',
    });
    const task = {
      name: 'files',
      type: 'leave_files',
      input_parameters: { text: 'seven' },
    };
    expect((await api.submit('tasks', task)).status).toBe(201);
  });
  afterAll(async () => {
    await api.call('POST', '/api/campaigns/sweep/cancel');
    await api.call('POST', '/api/estop/release', {});
    await settleAll();
  });

  it.each(pages)(
    'can be used by everybody: %s, light and dark, on a phone and on a wide screen',
    async (name, show) => {
      const page = await show({ theme: 'light', width: 1_600 });
      for (const width of [1_600, 320]) {
        await page.setViewportSize({ width, height: 800 });
        for (const theme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme: theme });
          const look = `${theme}, ${width} px`;
          expect(await violationsOf(page, theme === 'light' ? 'all' : 'colors'), look).toEqual([]);
          const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
          expect(beyond, `${look}: pixels that the page is wider than the window`).toBeLessThanOrEqual(0);
          if (pictures === undefined) continue;
          mkdirSync(pictures, { recursive: true });
          await page.screenshot({
            path: join(pictures, `${name}-${theme}-${width}.png`),
          });
        }
      }
    },
  );

  it.each([320, 700, 1_000])('has a head that fits %d px, also with longer words', async (width) => {
    const page = await open(await browserOf('admin', { width, language: 'de' }));
    const { beyond, broken } = await page.evaluate(() => ({
      beyond: document.documentElement.scrollWidth - window.innerWidth,
      broken: [...document.querySelectorAll('.nav a')]
        .filter((link) => link.clientHeight > 60 || link.scrollWidth > link.clientWidth)
        .map((link) => link.textContent),
    }));
    expect(beyond).toBeLessThanOrEqual(0);
    expect(broken, 'links whose words are broken over lines or have no room').toEqual([]);
  });

  it('has targets that a finger hits on a narrow screen', async () => {
    const page = await open(await browserOf('admin', { width: 320 }));
    const small = await page.evaluate(() =>
      [...document.querySelectorAll('button, select, input')].flatMap((element) => {
        const { width, height } = element.getBoundingClientRect();
        return width > 0 && (height < 44 || width < 44)
          ? [`${element.textContent}: ${width} x ${height}`]
          : [];
      }),
    );
    expect(small).toEqual([]);
  });
});
