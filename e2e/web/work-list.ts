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
});
