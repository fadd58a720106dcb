import { describe, expect, it } from 'vitest';
import { eventually, isOver } from '../api.js';
import { api, browserOf, open, violationsOf } from './lab.js';

describe('usage and quotas', () => {
  it('stand beside each other in words, the administrator sees all, and a name leads to the work', async () => {
    const task = { name: 'counted', type: 'leave_files', owner: 'ada', input_parameters: { text: 'one' } };
    expect((await api.submit('tasks', task)).status).toBe(201);
    await eventually(() => api.task('counted'), isOver);
    const page = await open(await browserOf('admin'));
    await page.getByRole('button', { name: 'Settings and account' }).click();
    await page.getByRole('link', { name: 'Usage and quotas' }).click();
    const ada = page
      .getByRole('listitem')
      .filter({ has: page.getByRole('link', { name: 'ada', exact: true }) });
    await ada.getByText(/^\d+ of 400 task runs, \d+ %$/).waitFor();
    await ada.getByText(/ kB of 1 GB in \d+ files, 0 %$/).waitFor();
    await ada.getByText('has room').waitFor();
    expect(await ada.getByRole('progressbar').count()).toBe(2);
    await page.getByText('What every owner and every laboratory stores').waitFor();
    await page.getByLabel('Shown').selectOption('lab');
    await ada.waitFor({ state: 'detached' });
    const lab = page.getByRole('listitem').filter({ hasText: 'faulty_lab' });
    await lab.getByText(/ of 5,000 task runs, /).waitFor();
    await lab.getByText(/, no limit$/).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(page.url()).toMatch(/\/usage\?of=lab$/);

    await page.getByLabel('Shown').selectOption('');
    await ada.getByRole('link').click();
    await page.getByLabel('Owner').waitFor();
    expect(page.url()).toContain('owner=ada');
  });

  it('are their own and those of their laboratories for everybody else', async () => {
    const page = await open(await browserOf('guest'), '/usage');
    await page.getByText('What you store').waitFor();
    await page.getByRole('link', { name: 'multiplication_lab' }).waitFor();
    expect(
      await page
        .getByRole('main')
        .getByText(/faulty_lab|ada/)
        .count(),
    ).toBe(0);
  });

  it('are unknown, with the reason, when they cannot be read', async () => {
    const context = await browserOf('viewer');
    await context.route(/\/api\/usage/, (route) => route.abort());
    const page = await open(context, '/usage');
    await page.getByRole('alert').filter({ hasText: /\S/ }).waitFor();
    expect(await page.getByRole('progressbar').count()).toBe(0);
    await context.unroute(/\/api\/usage/);
    await page.getByRole('link', { name: 'faulty_lab' }).waitFor();
  });
});
