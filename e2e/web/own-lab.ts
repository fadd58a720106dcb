import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { eventually } from '../api.js';
import { api, browserOf, open } from './lab.js';

/** Names of the other laboratory, of its devices and of work in it. */
const foreign = /faulty_lab|brittle|of nobody else/;

/** What the page shows and offers. */
const shown = (page: Page): Promise<string> => page.locator('body').innerText();

async function expectOwn(page: Page): Promise<void> {
  const text = await shown(page);
  expect(text).not.toMatch(foreign);
  expect(text).not.toMatch(/cannot be read/);
}

describe('an operator of one laboratory', () => {
  it('submits work, sees it in the queue and the schedule, and changes it', async () => {
    await api.call('POST', '/api/queue/pause');
    try {
      const devices = { brittle: { lab_name: 'faulty_lab', name: 'brittle' } };
      const input_parameters = { mode: 'not_at_all' };
      const far = { name: 'of nobody else', type: 'misbehave', devices, input_parameters };
      expect((await api.submit('tasks', far)).status).toBe(201);

      const page = await open(await browserOf('keeper'), '/submit?kind=run');
      await page.getByLabel('Protocol').selectOption('optimize_multiplication');
      const types = await page.getByLabel('Protocol').locator('option').allInnerTexts();
      expect(types.join()).not.toMatch(foreign);
      await page.getByLabel('Name', { exact: true }).fill('own work');
      await page.getByRole('group', { name: 'first' }).getByLabel('number').fill('6');
      for (const task of ['first', 'second'])
        await page.getByRole('group', { name: task }).getByLabel('factor').fill('7');
      await page.getByText('The service would accept this.').waitFor();
      await expectOwn(page);
      await page.getByRole('button', { name: 'Submit', exact: true }).click();
      await page.getByRole('heading', { name: 'own work' }).waitFor();
      await page.getByText('the queue is paused by').first().waitFor();
      for (const name of ['Cancel', 'Pause', 'Change the priority'])
        expect(await page.getByRole('button', { name }).count()).toBeGreaterThan(0);
      await expectOwn(page);

      await page.goto('/schedule');
      await page.getByText('own work/first').first().waitFor();
      await expectOwn(page);

      await page.goto('/');
      await page.getByRole('link', { name: 'own work' }).first().waitFor();
      const waiting = page.locator('.figures div').filter({ hasText: 'Tasks that wait' }).locator('dd');
      await waiting.filter({ hasText: /^[1-9]\d*$/ }).waitFor();
      await expectOwn(page);
    } finally {
      await api.call('POST', '/api/tasks/of%20nobody%20else/cancel');
      await api.call('POST', '/api/queue/resume');
    }
    await eventually(
      async () => (await api.call<{ state: string }>('GET', '/api/protocols/own%20work')).body.state,
      (state) => state === 'completed',
    );
  });

  it('sees the queue, the resources, the computers and the bench of their laboratory', async () => {
    const page = await open(await browserOf('keeper'));
    for (const [path, title] of [
      ['/queue', 'Queue'],
      ['/resources', 'Resources'],
      ['/computers', 'Computers'],
      ['/bench', 'At the bench'],
      ['/labels', 'Labels'],
      ['/access', 'Sessions and tokens'],
    ] as const) {
      await page.goto(path);
      await page.getByRole('heading', { name: title, exact: true }).waitFor();
      await page.getByText('Reading the laboratory ...').waitFor({ state: 'hidden' });
      await expectOwn(page);
    }
  });

  it('sees only their computers and devices, and stops one of these', async () => {
    const page = await open(await browserOf('keeper'), '/devices');
    await page.getByRole('link', { name: 'multiplier_a' }).first().waitFor();
    await expectOwn(page);
    try {
      await page.getByRole('button', { name: 'Emergency stop' }).first().click();
      const dialog = page.getByRole('dialog');
      const scopes = await dialog.getByRole('combobox').locator('option').allInnerTexts();
      expect(scopes.join()).not.toMatch(foreign);
      await dialog.getByRole('combobox').selectOption('multiplication_lab/multiplier_a');
      await dialog.locator('button[type=submit]').click();
      await dialog.getByText('multiplication_lab.multiplier_a').first().waitFor();
      await expectOwn(page);
      await eventually(
        async () => (await api.call<{ items: { scope: string }[] }>('GET', '/api/estop')).body.items,
        (stops) => stops.some(({ scope }) => scope === 'device:multiplication_lab.multiplier_a'),
      );
      expect(await page.getByRole('button', { name: 'Release' }).count()).toBe(0);
    } finally {
      await api.call('POST', '/api/estop/release', {});
    }
  });

  it('reads every page without a complaint', async () => {
    const context = await browserOf('keeper');
    for (const address of ['/', '/attention', '/schedule', '/devices', '/submit', '/wall']) {
      const page = await open(context, address);
      await page.waitForTimeout(1_500);
      await expectOwn(page);
      await page.close();
    }
  });
});
