import type { Locator } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { eventually } from '../api.js';
import { api, browserOf, open, question, settleAll, tabTo } from './lab.js';

const problem = { type: 'urn:svc:error:not_found', title: 'Not found', status: 404, code: 'not_found' };

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

  it('asks for each output of a completed task, and says at the field what is wrong', async () => {
    const id = await question('with outputs', 'report');
    const page = await open(await browserOf('admin'), `/attention/${id}`);
    await page.getByLabel(/^It was done/).check();
    const field = (name: string): Locator => page.getByLabel(new RegExp(`^${name}`));
    const decide = page.getByRole('button', { name: /^Decide/ });
    await page.getByText('What the balance shows \u00b7 Number \u00b7 0 to 50').waitFor();
    await page.getByText('Label of the vessel \u00b7 Text \u00b7 if empty: none').waitFor();
    await decide.click();
    expect(await page.getByText('Give a value.', { exact: true }).count()).toBe(6);
    await expect.poll(() => field('count').evaluate((each) => each === document.activeElement)).toBe(true);

    await field('count').fill('2.5');
    await field('mass').fill('51');
    await field('remark').fill('all is well');
    await field('clean').selectOption('No');
    await field('color').selectOption('blue');
    await field('doses').fill('1');
    await field('settings').fill('{');
    await decide.click();
    await page.getByText('This is no integer: 2.5.').waitFor();
    await page.getByText('51 is too large: at most 50 mg.').waitFor();
    await page.getByText('The list has 1 element, but needs 2.').waitFor();
    await page.getByText(/^This is no JSON/).waitFor();
    expect(await field('mass').getAttribute('aria-invalid')).toBe('true');
    expect(await field('color').getAttribute('aria-invalid')).toBe('false');
    expect((await api.attention()).some((item) => item.id === id)).toBe(true);

    await field('count').fill('2');
    await field('mass').fill('0.5');
    await field('doses').fill('1\n2.5');
    await field('settings').fill('{"ph": 7}');
    await decide.click();
    const { output_parameters: outputs } = await eventually(
      () => api.task('with outputs'),
      ({ state }) => state === 'completed',
    );
    expect(outputs).toEqual({
      ...{ count: 2, mass: 0.5, remark: 'all is well', clean: false, color: 'blue', doses: [1, 2.5] },
      ...{ settings: { ph: 7 }, label: 'none' },
    });
    await settleAll();
  });

  it('asks how a completed task left each resource', async () => {
    const id = await question('with resources', 'note', { sheet: 'paper_1', blank: 'paper_2' });
    const page = await open(await browserOf('admin'), `/attention/${id}`);
    await page.getByLabel(/^It was done/).check();
    const left = page.getByRole('group', { name: 'Resources as the task left them' });
    await left.getByText('paper_1 (paper) \u00b7 Object in JSON \u00b7 if empty: {"lines":10}').waitFor();
    await page.getByRole('group', { name: 'Outputs of the task' }).getByLabel('lines').fill('2');
    const decide = page.getByRole('button', { name: /^Decide/ });
    await decide.click();
    expect(await left.getByText('Give a value.', { exact: true }).count()).toBe(2);
    await left.getByLabel('sheet').fill('{"lines": 8}');
    await left.getByLabel('copy', { exact: true }).selectOption('paper_2');
    await left.getByLabel('copy.meta').fill('{"lines": 18}');
    await page.route('**/resolve', (route) => {
      const { output_resources: resources, ...others } = route.request().postDataJSON() as {
        output_resources: { copy: object };
      };
      const wrong = { ...resources, copy: { ...resources.copy, name: 'paper_9' } };
      return route.continue({ postData: JSON.stringify({ ...others, output_resources: wrong }) });
    });
    await decide.click();
    await left.getByText('The task did not have the resource "paper_9".').waitFor();
    await page.unroute('**/resolve');
    await decide.click();
    const { output_resources: resources } = await eventually(
      () => api.task('with resources'),
      ({ state }) => state === 'completed',
    );
    expect(resources).toEqual({
      sheet: { name: 'paper_1', type: 'paper', meta: { lines: 8 } },
      copy: { name: 'paper_2', type: 'paper', meta: { lines: 18 } },
    });
    for (const name of ['paper_1', 'paper_2']) {
      const reset = { reason: 'as before the test' };
      expect((await api.call('POST', `/api/resources/${name}/reset`, reset)).status).toBe(200);
    }
    await settleAll();
  });

  it('shows at the field what the service refuses', async () => {
    const id = await question('with refused outputs');
    const page = await open(await browserOf('admin'), `/attention/${id}`);
    // The page knows another version of the task type than the task was accepted with.
    await page.route('**/api/definitions/task/misbehave', async (route) => {
      const response = await route.fetch();
      const record = (await response.json()) as { definition: { output_parameters: object } };
      record.definition.output_parameters = { steps: { type: 'str', desc: 'Steps' } };
      await route.fulfill({ response, json: record });
    });
    await page.reload();
    await page.getByLabel(/^It was done/).check();
    await page.getByLabel('steps').fill('many');
    await page.getByRole('button', { name: /^Decide/ }).click();
    await page.getByText('Must be an integer, not the string "many".').waitFor();
    await page.getByText('Not decided. Look at the marked fields.').waitFor();
    expect((await api.attention()).some((item) => item.id === id)).toBe(true);
    await settleAll();
  });

  it('takes all outputs as JSON where the declaration cannot be read', async () => {
    const id = await question('without a declaration');
    const page = await open(await browserOf('admin'), `/attention/${id}`);
    await page.route('**/api/definitions/task/misbehave', (route) =>
      route.fulfill({
        status: 404,
        contentType: 'application/problem+json',
        body: JSON.stringify({ ...problem, detail: 'There is no such task type.' }),
      }),
    );
    await page.reload();
    await page.getByLabel(/^It was done/).check();
    await page
      .getByText(/^The declaration of the outputs cannot be read: There is no such task type\. /)
      .waitFor();
    const outputs = page.getByLabel('output_parameters');
    await outputs.fill('{"steps": "many"}');
    await page.getByRole('button', { name: /^Decide/ }).click();
    await page.getByText('steps: must be an integer, not the string "many".').waitFor();
    await outputs.fill('{"steps": 2}');
    await page.getByRole('button', { name: /^Decide/ }).click();
    await eventually(
      () => api.task('without a declaration'),
      ({ state }) => state === 'completed',
    );
    await settleAll();
  });
});
