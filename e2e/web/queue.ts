import type { QueuePage } from '@lab/contracts';
import type { Locator, Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually, isOver } from '../api.js';
import { api, browserOf, open, tabTo, violationsOf } from './lab.js';

const holder = 'holds the device';
/** They wait for the device of the holder, in this order. */
const waiting = ['first in', 'second in', 'third in'];

const queue = async (): Promise<QueuePage> => (await api.call<QueuePage>('GET', '/api/queue?limit=500')).body;
const order = async (): Promise<string[]> =>
  (await queue()).items.map(({ label }) => label).filter((label) => waiting.includes(label));
const stateOf = async (name: string): Promise<string> => (await api.task(name)).state;
const cancel = (name: string): Promise<unknown> =>
  api.call('POST', `/api/tasks/${encodeURIComponent(name)}/cancel`);

const row = (page: Page, name: string): Locator =>
  page.getByRole('listitem').filter({ has: page.locator('.name').getByRole('link', { name, exact: true }) });

describe('the queue', () => {
  beforeEach(async () => {
    const devices = { brittle: { lab_name: 'faulty_lab', name: 'brittle' } };
    for (const name of [holder, ...waiting]) {
      const input_parameters = { mode: name === holder ? 'long_step' : 'not_at_all' };
      expect((await api.submit('tasks', { name, type: 'misbehave', devices, input_parameters })).status).toBe(
        201,
      );
    }
    await eventually(
      () => stateOf(holder),
      (state) => state === 'running',
    );
    await eventually(order, (labels) => labels.length === waiting.length);
  });
  afterEach(async () => {
    await api.call('POST', '/api/queue/resume');
    for (const name of [holder, ...waiting]) {
      await cancel(name);
      await eventually(() => api.task(name), isOver);
      // Its name can be used again.
      await api.call('POST', `/api/tasks/${encodeURIComponent(name)}/archive`, {});
    }
  });

  it('shows what runs and what waits in order, with why and a way to what blocks', async () => {
    const page = await open(await browserOf('viewer'));
    await page.getByRole('link', { name: 'Queue' }).click();
    await page.getByRole('heading', { name: 'Queue', exact: true }).waitFor();
    await row(page, holder).getByText('running').waitFor();
    const listed = page.getByRole('listitem').filter({ hasText: 'waits for' });
    await expect
      .poll(async () =>
        (await listed.locator('.name').allTextContents()).filter((each) => waiting.includes(each)),
      )
      .toEqual(waiting);
    await row(page, 'third in').getByText('priority 0').waitFor();
    expect(await page.getByRole('button', { name: /^Change the place/ }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Pause the queue' }).count()).toBe(0);
    await row(page, 'first in').getByText(`faulty_lab.brittle is used by ${holder}`).waitFor();
    await row(page, 'first in').getByRole('link', { name: holder }).click();
    await page.getByRole('heading', { name: `Task ${holder}` }).waitFor();
  });

  it('moves a task with the keyboard alone, says what follows, and changes the order of starts', async () => {
    const page = await open(await browserOf('admin'), '/queue');
    await row(page, 'third in').waitFor();
    await tabTo(page, /^Change the place third in$/);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    const others = (await queue()).items.length - 1;
    await dialog.getByText(/This is its priority already/).waitFor();
    await tabTo(page, /^First$/);
    await page.keyboard.press('Enter');
    await dialog.getByText(`It goes before ${others} of ${others} other tasks`).waitFor();
    expect(await order()).toEqual(waiting);
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByLabel('Priority').press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await order()).toEqual(['third in', 'first in', 'second in']);
    await cancel(holder);
    for (const name of waiting) await eventually(() => api.task(name), isOver);
    const starts = await Promise.all(waiting.map(async (name) => (await api.task(name)).started_at ?? ''));
    expect([...starts].sort()).toEqual([starts[2], starts[0], starts[1]]);
  });

  it('says that a text is no priority', async () => {
    const page = await open(await browserOf('admin'), '/queue');
    await page.getByRole('button', { name: 'Change the place first in' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Priority').fill('soon');
    await dialog.getByText('"soon" is no whole number from -1000000 to 1000000.').waitFor();
    expect(await dialog.getByRole('button', { name: /^Set priority/ }).isDisabled()).toBe(true);
  });

  it('is paused and resumed, and a pause lets nothing start', async () => {
    const page = await open(await browserOf('admin'), '/queue');
    await page.getByRole('button', { name: 'Pause the queue' }).click();
    await page.getByText('No further task starts, in any laboratory.').waitFor();
    expect((await queue()).paused).toBe(false);
    await page.getByRole('dialog').getByRole('button', { name: 'Pause the queue' }).click();
    await page.getByText('The queue is paused by ann the admin: no task starts.').waitFor();
    expect(await queue()).toMatchObject({ paused: true, paused_by: 'ann the admin' });
    await cancel(holder);
    await eventually(() => api.task(holder), isOver);
    await eventually(
      () => api.device('brittle'),
      ({ state, held_by }) => state === 'idle' && held_by === null,
    );
    // A start would follow at once.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(await Promise.all(waiting.map(stateOf))).toEqual(['queued', 'queued', 'queued']);
    await page.getByRole('main').getByRole('button', { name: 'Resume' }).click();
    await page.getByText('may start at once').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
    for (const name of waiting) await eventually(() => api.task(name), isOver);
    expect((await queue()).paused).toBe(false);
  });

  it('cancels a task that waits', async () => {
    const page = await open(await browserOf('admin'), '/queue?lab=faulty_lab');
    expect(await page.getByLabel('Laboratory').inputValue()).toBe('faulty_lab');
    await page.getByRole('button', { name: 'Cancel second in' }).click();
    await page.getByText('The task never starts.').waitFor();
    expect(await stateOf('second in')).toBe('queued');
    await page.getByRole('button', { name: 'Yes, cancel' }).click();
    await row(page, 'second in').waitFor({ state: 'detached' });
    expect(await stateOf('second in')).toBe('cancelled');
  });
});
