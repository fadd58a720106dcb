import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { eventually, isOver } from '../api.js';
import { api, browserOf, open, violationsOf } from './lab.js';

const count = 1_500;

/** The page with many copies of one record in an answer of the service. */
async function withCopies(
  address: string,
  of: RegExp,
  list: string,
  copy: (record: Record<string, unknown>, index: number) => object,
): Promise<Page> {
  const context = await browserOf('admin');
  await context.route(of, async (route) => {
    const answer = await route.fetch();
    const body = (await answer.json()) as Record<string, Record<string, unknown>[]>;
    const [first] = body[list] ?? [];
    const copies = first === undefined ? [] : Array.from({ length: count }, (_, index) => copy(first, index));
    await route.fulfill({ response: answer, json: { ...body, [list]: copies } });
  });
  return open(context, address);
}

describe('a long list', () => {
  it('draws the rows that are seen, says how many there are, and keeps the focus', async () => {
    const page = await withCopies('/devices', /\/api\/devices\?/, 'items', (device, index) => ({
      ...device,
      ...{ id: `many.unit_${index}`, lab_name: 'many', name: `unit_${index}` },
    }));
    const link = (name: string) => page.getByRole('link', { name, exact: true });
    await link('unit_3').waitFor();
    expect(await page.getByRole('listitem').count()).toBeLessThan(150);
    const row = page.getByRole('listitem').filter({ has: link('unit_3') });
    expect([await row.getAttribute('aria-setsize'), await row.getAttribute('aria-posinset')]).toEqual([
      String(count),
      '4',
    ]);
    expect(await violationsOf(page)).toEqual([]);

    await link('unit_3').focus();
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    await link(`unit_${count - 1}`).waitFor();
    expect(await page.getByRole('listitem').count()).toBeLessThan(150);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('unit_3');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('unit_3');
  });

  it('is a table as well, to its last row', async () => {
    const task = { name: 'one of many', type: 'leave_files', input_parameters: { text: 'one' } };
    expect((await api.submit('tasks', task)).status).toBe(201);
    await eventually(() => api.task('one of many'), isOver);
    const page = await withCopies('/schedule', /\/api\/schedule\?.*from=/, 'tasks', (task, index) => ({
      ...{ ...task, id: `task ${index}`, label: `many_${index}`, name: `many_${index}`, protocol_run: null },
      started_at: new Date(Date.now() - 600_000 + index).toISOString(),
    }));
    const table = page.getByRole('region', { name: 'Tasks in this time' });
    await table.getByRole('link', { name: 'many_0', exact: true }).waitFor();
    expect(await table.getByRole('row').count()).toBeLessThan(150);
    expect(await table.getByRole('table').getAttribute('aria-rowcount')).toBe(String(count + 1));
    await table.evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await table.getByRole('link', { name: `many_${count - 1}`, exact: true }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });
});
