import { beforeAll, describe, expect, it } from 'vitest';
import { eventually, isOver } from '../api.js';
import { api, browserOf, open } from './lab.js';

describe('the list of all work', () => {
  beforeAll(async () => {
    for (const [name, text] of [
      ['written first', 'one'],
      ['written second', 'two'],
    ]) {
      const task = { name, type: 'leave_files', owner: 'bob', input_parameters: { text } };
      expect((await api.submit('tasks', task)).status).toBe(201);
      await eventually(() => api.task(name ?? ''), isOver);
    }
    expect((await api.call('POST', '/api/tasks/written%20second/archive', {})).status).toBe(200);
  });

  it('is filtered by its address, which follows what a person chooses', async () => {
    const page = await open(await browserOf('viewer'), '/');
    await page.getByRole('link', { name: 'Work', exact: true }).click();
    await page.getByLabel('Kind').selectOption({ label: 'Tasks' });
    await page.getByLabel('Part of the name').fill('written');
    const rows = page.getByRole('listitem');
    await rows.filter({ hasText: 'written first' }).waitFor();
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByLabel('Archive').selectOption({ label: 'With archived work' });
    await rows.filter({ hasText: 'written second' }).waitFor();
    await page.getByLabel('State').selectOption({ label: 'failed' });
    await page.getByText('There is no such work.').waitFor();
    const { searchParams } = new URL(page.url());
    expect(Object.fromEntries(searchParams)).toEqual({
      ...{ kind: 'task', text: 'written', archived: 'all', state: 'failed' },
    });
    const other = await open(
      await browserOf('viewer'),
      page.url().replace('state=failed', 'state=completed'),
    );
    await other.getByRole('listitem').filter({ hasText: 'written second' }).waitFor();
    await other.getByRole('link', { name: 'written first' }).click();
    await other.getByRole('heading', { name: 'Task written first' }).waitFor();
  });

  it('is restricted to days, to what has not ended, and to one owner', async () => {
    const address = '/work?kind=task&text=written&archived=all';
    const page = await open(await browserOf('viewer'), address);
    const rows = page.getByRole('listitem');
    await expect.poll(() => rows.count()).toBe(2);
    const today = new Date().toISOString().slice(0, 10);
    await page.getByLabel('Submitted until').fill('2020-01-31');
    await page.getByText('There is no such work.').waitFor();
    await page.getByLabel('Submitted until').fill(today);
    await page.getByLabel('Submitted from').fill(today);
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByLabel('State').selectOption({ label: 'Not ended' });
    await page.getByText('There is no such work.').waitFor();
    await page.getByLabel('State').selectOption({ label: 'All states' });
    await rows.first().getByRole('link', { name: 'of bob' }).click();
    await expect.poll(() => page.getByLabel('Owner').inputValue()).toBe('bob');
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      ...{ kind: 'task', text: 'written', archived: 'all', owner: 'bob', from: today, to: today },
    });
  });
});
