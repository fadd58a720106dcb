import type { ResourceRecord } from '@lab/contracts';
import type { Locator, Page } from 'playwright-core';
import decodeCode from 'qr/decode.js';
import { describe, expect, it } from 'vitest';
import { eventually, isOver } from '../api.js';
import { api, browserOf, lab, open, question, settleAll, violationsOf } from './lab.js';

/** Pixels of a side of the picture of a code that is read. */
const side = 320;

/** Reads the code of a label as a camera sees it. */
async function readCode(code: Locator): Promise<string> {
  const dark = await code.evaluate(async (svg, side) => {
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
    await image.decode();
    const canvas = Object.assign(document.createElement('canvas'), { width: side, height: side });
    const context = canvas.getContext('2d');
    if (context === null) throw new Error('there is no canvas');
    context.fillStyle = '#ffffff';
    context.fillRect(0, 0, side, side);
    context.drawImage(image, 0, 0, side, side);
    const { data } = context.getImageData(0, 0, side, side);
    // One letter a pixel: a list of numbers takes minutes on its way out of the browser.
    return Array.from({ length: side * side }, (_, pixel) => ((data[4 * pixel] ?? 0) < 128 ? '1' : '0')).join(
      '',
    );
  }, side);
  const data = Uint8Array.from(
    [...dark].flatMap((pixel) => [...Array(3).fill(pixel === '1' ? 0 : 255), 255]),
  );
  return decodeCode({ width: side, height: side, data });
}

/** Everything in the content that a finger hits and that is smaller than 44 px. */
const smallTargets = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('main :is(button, select, input, summary, .button, .bench-link), .nav a')]
      .map((element) => ({ element, box: element.getBoundingClientRect() }))
      .filter(({ box: { width, height } }) => width > 0 && (width < 44 || height < 44))
      .map(({ element, box: { width, height } }) => `${element.textContent}: ${width} x ${height}`),
  );

const partOf = (page: Page, name: string): Locator =>
  page.locator('section').filter({ has: page.getByRole('heading', { name, exact: true }) });

describe('the labels', () => {
  it('have codes that lead to the device or resource at the bench', async () => {
    const page = await open(await browserOf('viewer'), '/labels');
    const sheet = page.getByRole('list', { name: 'Labels to print' });
    const named: [name: string, path: string][] = [
      ['brittle', '/bench/devices/faulty_lab/brittle'],
      ['multiplier_b', '/bench/devices/multiplication_lab/multiplier_b'],
      ['paper_2', '/bench/resources/paper_2'],
    ];
    for (const [name, path] of named) {
      const label = sheet.getByRole('listitem').filter({ hasText: name });
      expect(await readCode(label.getByRole('img'))).toBe(`${lab.stack.url}${path}`);
    }
    await page.getByText(`The labels lead to ${lab.stack.url}, which only the computer`).waitFor();
    const scanned = await readCode(
      sheet.getByRole('listitem').filter({ hasText: 'brittle' }).getByRole('img'),
    );
    await page.goto(scanned);
    await page.getByRole('heading', { name: 'brittle', exact: true }).waitFor();
  });

  it('are printed without the rest of the page, for one thing alone as well', async () => {
    const page = await open(await browserOf('viewer', { theme: 'dark' }), '/resources/paper_1');
    await page.getByRole('link', { name: 'Label' }).click();
    const labels = page.getByRole('list', { name: 'Labels to print' }).getByRole('listitem');
    await labels.getByRole('img').waitFor();
    expect(await labels.count()).toBe(1);
    await page.emulateMedia({ media: 'print' });
    await labels.waitFor();
    for (const hidden of ['Emergency stop', 'Print'])
      await page.getByRole('button', { name: hidden }).waitFor({ state: 'hidden' });
    const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(ground).toBe('rgb(255, 255, 255)');
  });
});

describe('the bench on a phone', () => {
  it('finds a device or a resource without a code', async () => {
    const page = await open(await browserOf('viewer', { width: 320 }), '/');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('bench');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'At the bench' }).waitFor();
    await page.getByRole('link', { name: /^paper_1/ }).waitFor();
    expect(await smallTargets(page)).toEqual([]);
    await page.getByLabel('Part of the name').fill('ITTL');
    await page.getByText('Nothing has this name.').waitFor();
    expect(await page.getByRole('link', { name: /multiplier/ }).count()).toBe(0);
    await page.getByRole('link', { name: /^brittle/ }).click();
    await page.getByRole('heading', { name: 'brittle', exact: true }).waitFor();
  });

  it('takes a device out of service and puts it back, with the stop in sight all the time', async () => {
    const page = await open(await browserOf('admin', { width: 320 }), '/bench/devices/faulty_lab/brittle');
    await page.locator('.headline .state').getByText('ready').waitFor();
    expect(await smallTargets(page)).toEqual([]);
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    const stop = await page.getByRole('banner').getByRole('button', { name: 'Emergency stop' }).boundingBox();
    expect(stop?.y).toBeGreaterThanOrEqual(0);
    expect((stop?.y ?? 0) + (stop?.height ?? 0)).toBeLessThan(800);

    await page.getByRole('main').getByRole('button', { name: 'Stop this device' }).click();
    await page.getByLabel('What to stop').waitFor();
    expect(await page.getByLabel('What to stop').inputValue()).toBe('faulty_lab/brittle');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Take out of service' }).click();
    await page.getByLabel('Reason').fill('the gripper is broken');
    await page.keyboard.press('Enter');
    await page.locator('.headline .state').getByText('out of service').waitFor();
    expect(await api.device('brittle')).toMatchObject({
      out_of_service: { reason: 'the gripper is broken' },
    });
    await page.getByRole('button', { name: 'Put back into service' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Put back into service' }).click();
    await page.locator('.headline .state').getByText('ready').waitFor();
    expect(await api.device('brittle')).toMatchObject({ out_of_service: null });
  });

  it('shows what uses a device now and next, and leads to what needs a person', async () => {
    const id = await question('stuck at the bench');
    const devices = { brittle: { lab_name: 'faulty_lab', name: 'brittle' } };
    await api.submit('tasks', {
      ...{ name: 'comes next', type: 'misbehave', devices, input_parameters: { mode: 'not_at_all' } },
    });
    const page = await open(await browserOf('viewer', { width: 320 }), '/bench/devices/faulty_lab/brittle');
    await partOf(page, 'Now').getByRole('link', { name: 'stuck at the bench' }).waitFor();
    await partOf(page, 'Next').getByRole('link', { name: 'comes next' }).waitFor();
    await partOf(page, 'What it did last').getByText('step').first().waitFor();
    await page.getByRole('link', { name: 'stuck at the bench: look and decide' }).click();
    await page.waitForURL(`**/attention/${id}`);
    await settleAll();
    await eventually(() => api.task('comes next'), isOver);
  });

  it('shows what uses a resource now and what waits for it', async () => {
    const task = (name: string): Promise<unknown> =>
      api.submit('tasks', {
        ...{ name, type: 'keep_paper', input_resources: { paper: 'paper_2' } },
        input_parameters: { seconds: name === 'writes now' ? 600 : 0 },
      });
    await task('writes now');
    await eventually(
      () => api.task('writes now'),
      ({ state }) => state === 'running',
    );
    await task('writes then');
    const page = await open(await browserOf('viewer', { width: 320 }), '/bench/resources/paper_2');
    await page.locator('.headline .state').getByText('in use').waitFor();
    await partOf(page, 'Now').getByRole('link', { name: 'writes now' }).waitFor();
    await partOf(page, 'Next').locator('.name').getByRole('link', { name: 'writes then' }).waitFor();
    await api.call('POST', '/api/tasks/writes%20now/cancel');
    await eventually(() => api.task('writes then'), isOver);
    await page.locator('.headline .state').getByText('free').waitFor();
    await api.call('POST', '/api/resources/paper_2/reset', {});
  });

  it('changes the data of a resource, and shows its history when it is opened', async () => {
    const page = await open(await browserOf('admin', { width: 320 }), '/bench/resources/paper_2');
    await page.locator('.headline .state').getByText('free').waitFor();
    expect(await smallTargets(page)).toEqual([]);
    await page.getByRole('button', { name: 'Change the data' }).click();
    await page.getByRole('dialog').getByLabel('lines').fill('3');
    await page.getByRole('dialog').getByRole('button', { name: 'Change', exact: true }).click();
    await page.getByRole('row', { name: 'lines 3' }).waitFor();
    const { body } = await api.call<ResourceRecord>('GET', '/api/resources/paper_2');
    expect(body.meta).toEqual({ lines: 3 });
    await page.getByText('History', { exact: true }).click();
    await page.getByText('lines: 20 \u2192 3').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await api.call('POST', '/api/resources/paper_2/reset', {});
  });
});
