import type { ResourceRecord, ResourceUse } from '@lab/contracts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, isOver } from '../api.js';
import { api, browserOf, open, violationsOf } from './lab.js';

const paper = async (): Promise<ResourceRecord> =>
  (await api.call<ResourceRecord>('GET', '/api/resources/paper_1')).body;

/** A task keeps the paper until it is cancelled. */
async function keepPaper(name: string): Promise<void> {
  const task = { name, type: 'keep_paper', input_parameters: { seconds: 600 } };
  expect((await api.submit('tasks', { ...task, input_resources: { paper: 'paper_1' } })).status).toBe(201);
  await eventually(paper, ({ used_by }) => used_by === name);
}
async function release(name: string): Promise<void> {
  await api.call('POST', `/api/tasks/${encodeURIComponent(name)}/cancel`);
  await eventually(() => api.task(name), isOver);
}

const paperPage = async (): Promise<Page> => open(await browserOf('admin'), '/resources/paper_1');

describe('the resources', () => {
  // Runs of other tests write on the paper.
  beforeAll(async () => {
    const reset = { reason: 'before the tests' };
    expect((await api.call('POST', '/api/resources/paper_1/reset', reset)).status).toBe(200);
  });
  afterAll(async () => {
    await api.call('POST', '/api/resources/paper_1/reset', { reason: 'after the tests' });
  });

  it('are listed with who has them, and are found by a part of the name', async () => {
    await keepPaper('keeps the paper');
    const page = await open(await browserOf('viewer'));
    await page.getByRole('link', { name: 'Resources' }).click();
    const row = page.getByRole('listitem').filter({ hasText: 'paper_1' });
    await row.getByText('in use').waitFor();
    await row.getByText('lines 10').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'paper_2' }).getByText('free').waitFor();
    await page.getByLabel('Part of the name').fill('PER_1');
    await page.getByText('paper_2').waitFor({ state: 'detached' });
    await row.getByRole('link', { name: 'keeps the paper' }).click();
    await page.getByRole('heading', { name: 'Task keeps the paper' }).waitFor();
    await release('keeps the paper');
  });

  it('take data that a person gives, and say first what changes', async () => {
    const page = await paperPage();
    await page.getByRole('button', { name: 'Change the data' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Nothing changes.').waitFor();
    const lines = dialog.getByLabel('lines');
    await lines.fill('many');
    await dialog.getByRole('button', { name: 'Change', exact: true }).click();
    await dialog.getByText('This is no number: many.').waitFor();
    await lines.fill('7');
    await dialog.getByText('lines: 10 \u2192 7').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect((await paper()).meta).toEqual({ lines: 10 });
    await dialog.getByLabel('Reason').fill('three lines are torn');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect((await paper()).meta).toEqual({ lines: 7 });
    await page.getByRole('row', { name: 'lines 7' }).waitFor();
    const [use] = await api.all<ResourceUse>('/api/resources/paper_1/history');
    expect(use).toMatchObject({ kind: 'set', by: 'ann the admin', reason: 'three lines are torn' });
    const entry = page.getByRole('listitem').filter({ hasText: 'three lines are torn' });
    await entry.getByText('lines: 10 \u2192 7').waitFor();
  });

  it('are reset to the file of the laboratory', async () => {
    const page = await paperPage();
    await page.getByRole('button', { name: 'Reset the data' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('lines: 7 \u2192 10').waitFor();
    expect((await paper()).meta).toEqual({ lines: 7 });
    await dialog.getByRole('button', { name: 'Reset', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await paper()).meta).toEqual({ lines: 10 });
    await page.getByText('reset by ann the admin').first().waitFor();
  });

  it('are changed with a reason alone while a task has them', async () => {
    await keepPaper('has the paper');
    const page = await paperPage();
    await page.getByText('used by').getByRole('link', { name: 'has the paper' }).waitFor();
    await page.getByRole('button', { name: 'Change the data' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('lines').fill('5');
    const change = dialog.getByRole('button', { name: 'Change', exact: true });
    expect(await change.isDisabled()).toBe(true);
    await dialog.getByLabel('Do it although has the paper has the resource').check();
    await change.click();
    await dialog.getByText('Give a reason.').waitFor();
    expect((await paper()).meta).toEqual({ lines: 10 });
    await dialog.getByLabel('Reason').fill('it burns');
    await change.click();
    await dialog.waitFor({ state: 'detached' });
    expect((await paper()).meta).toEqual({ lines: 5 });
    await release('has the paper');
  });

  it('may be looked at alone by a viewer', async () => {
    const page = await open(await browserOf('viewer'), '/resources/paper_1');
    await page.getByRole('heading', { name: 'Resource paper_1' }).waitFor();
    expect(await page.getByRole('button', { name: /the data$/ }).count()).toBe(0);
  });
});
