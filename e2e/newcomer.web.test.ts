import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startServiceStack, type Stack } from '@lab/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser } from '../tools/shared/browser.js';
import { Api } from './api.js';

/** The first walk of the guide about the page, by what the page says alone, on the service as `npm start` starts it. */

/** Where the pictures of the guide are written; undefined: none are. */
const pictures = process.env['SVC_PICTURES'];
/** Values that fit the hints of the form, by field. */
const values: Readonly<Record<string, string>> = {
  ...{ cyan_volume: '2', magenta_volume: '1', yellow_volume: '1', black_volume: '0', white_volume: '3' },
  ...{ mixing_time: '10', mixing_speed: '200', target_red: '120', target_green: '150', target_blue: '180' },
};

describe('a newcomer', { timeout: 120_000 }, () => {
  let stack: Stack;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    [stack, browser] = await Promise.all([startServiceStack(), startBrowser()]);
    page = await browser.newPage({
      viewport: { width: 1_280, height: 800 },
      locale: 'en',
      timezoneId: 'UTC',
    });
    page.setDefaultTimeout(30_000);
  });
  afterAll(async () => {
    await browser?.close();
    await stack?.dispose();
  });

  const keep = async (name: string): Promise<void> => {
    if (pictures === undefined) return;
    mkdirSync(pictures, { recursive: true });
    await page.screenshot({ path: join(pictures, `walk-${name}.png`) });
  };

  it('finds from the printed address to a form, and fills it in by its hints', async () => {
    await page.goto(stack.url);
    await page.getByText('No work is open').waitFor();
    await page.getByRole('link', { name: 'Submit work' }).click();
    await page.getByLabel('Protocol').selectOption('color_mixing');
    for (const [name, value] of Object.entries(values)) await page.getByLabel(name).fill(value);
    await page.getByText('The service would accept this.').waitFor();
    await keep('submit');
  });

  it('submits it, watches it to its end, and looks at what it left', async () => {
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await page.getByRole('region', { name: 'Order of the tasks' }).getByText('completed').first().waitFor();
    await page.locator('.headline .state').getByText('completed').waitFor();
    await page.getByRole('heading', { name: 'What decides its end' }).waitFor();
    await keep('run');
    await page
      .getByRole('region', { name: 'Order of the tasks' })
      .getByRole('link', { name: 'analyze_color' })
      .click();
    await page.getByRole('button', { name: 'Show image.png' }).click();
    await page.getByRole('img', { name: 'Image image.png' }).waitFor();
    const { items } = (await new Api(stack.url).call<{ items: { state: string }[] }>('GET', '/api/protocols'))
      .body;
    expect(items.map(({ state }) => state)).toEqual(['completed']);
  });

  it('stops a device, sees it stand still, and releases it', async () => {
    await page.getByRole('link', { name: 'Devices', exact: true }).click();
    await page.getByRole('link', { name: 'robot_arm' }).click();
    await page.getByRole('button', { name: 'Stop this device' }).click();
    await page.getByRole('button', { name: 'Stop now' }).click();
    await page.getByRole('alert').getByText('Stopped', { exact: true }).waitFor();
    await page.getByRole('dialog').getByRole('listitem').getByText('stands still').waitFor();
    await keep('stop');
    await page.getByRole('button', { name: 'Close' }).click();
    await page.locator('.headline .state').getByText('stopped').waitFor();
    await page.getByRole('button', { name: 'Release' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Release' }).click();
    await page.locator('.headline .state').getByText('ready').waitFor();
  });
});
