import { afterAll, describe, expect, it } from 'vitest';
import { eventually } from '../api.js';
import { api, browserOf, open, question, settleAll, tabTo } from './lab.js';

describe('a question', () => {
  afterAll(settleAll);

  it('appears without a reload, and is decided with the keyboard alone', async () => {
    const context = await browserOf('admin');
    const page = await open(context);
    const id = await question('of unknown outcome');
    await page
      .getByText(/waits? for a person/)
      .first()
      .waitFor();
    await expect.poll(() => page.title()).toMatch(/^\(\d+\) Laboratory$/);
    await tabTo(page, /^Attention/);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'of unknown outcome' }).waitFor();
    await tabTo(page, /^of unknown outcome$/);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'of unknown outcome' }).waitFor();
    expect(await page.getByRole('button', { name: /^Decide/ }).isDisabled()).toBe(true);

    // The first choice of the group is reached by Tab, the others by arrows.
    await tabTo(page, /It was done/);
    await page.keyboard.press('Space');
    for (let pressed = 0; pressed < 3 && !(await page.getByLabel(/^It failed/).isChecked()); pressed += 1)
      await page.keyboard.press('ArrowDown');
    await tabTo(page, /What you saw/);
    await page.keyboard.type('looked at the beaker: it is empty');
    await tabTo(page, /^Decide: It failed$/);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'What needs a person' }).waitFor();
    await eventually(
      () => api.task('of unknown outcome'),
      ({ state }) => state === 'failed',
    );
    const { body } = await api.call<{ resolution: unknown }>('GET', `/api/attention/${id}`);
    expect(body.resolution).toMatchObject({
      ...{ action: 'failed', by: 'ann the admin', note: 'looked at the beaker: it is empty' },
    });
    await settleAll();
  });

  it('says how long it is open, also on a computer whose clock is wrong', async () => {
    const id = await question('beside a wrong clock');
    const page = await (await browserOf('admin')).newPage();
    await page.clock.install({ time: Date.now() + 2 * 3_600_000 });
    await page.goto(`/attention/${id}`);
    await page.getByText(/^open for \d+ s$/).waitFor();
    await settleAll();
  });

  it('shows a viewer what is known, and no decision', async () => {
    const id = await question('for a viewer');
    const page = await open(await browserOf('viewer'), `/attention/${id}`);
    await page.getByText('To decide needs the role operator.').waitFor();
    expect(await page.getByRole('radio').count()).toBe(0);
    await settleAll();
  });

  it('says which outputs of a completed task are wrong, and decides nothing', async () => {
    const id = await question('with outputs');
    const page = await open(await browserOf('admin'), `/attention/${id}`);
    await page.getByLabel(/^It was done/).check();
    const outputs = page.getByLabel('Outputs of the task, as JSON');
    await outputs.fill('[');
    await page.getByRole('button', { name: /^Decide/ }).click();
    await page.getByText(/^This is no JSON object/).waitFor();
    await outputs.fill('{"steps": "many"}');
    await page.getByRole('button', { name: /^Decide/ }).click();
    await page.getByText(/^Not decided\. /).waitFor();
    expect((await api.attention()).some((item) => item.id === id)).toBe(true);
    await outputs.fill('{"steps": 2}');
    await page.getByRole('button', { name: /^Decide/ }).click();
    await eventually(
      () => api.task('with outputs'),
      ({ state }) => state === 'completed',
    );
    await settleAll();
  });
});
