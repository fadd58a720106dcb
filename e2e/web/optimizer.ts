import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OptimizerRecord } from '@lab/contracts';
import { eventually, isOver } from '../api.js';
import { api, browserOf, open, violationsOf } from './lab.js';

const optimizer = async (): Promise<OptimizerRecord> =>
  (await api.call<OptimizerRecord>('GET', '/api/campaigns/best/optimizer')).body;

describe('the optimizer of a campaign', () => {
  beforeAll(async () => {
    // Paused, the optimizer is made and asked, and no run ends the campaign.
    await api.call('POST', '/api/queue/pause');
    const campaign = { name: 'best', protocol: 'optimize_multiplication', owner: 'ada', optimize: true };
    expect((await api.submit('campaigns', { ...campaign, max_protocol_runs: 3 })).status).toBe(201);
    await eventually(optimizer, ({ state }) => state === 'ready');
  });
  afterAll(async () => {
    await api.call('POST', '/api/campaigns/best/cancel');
    await api.call('POST', '/api/queue/resume');
    await eventually(
      async () => (await api.call<{ state: string }>('GET', '/api/campaigns/best')).body,
      isOver,
    );
  });

  it('shows its state and settings, which a person changes after the page has said what follows', async () => {
    const page = await open(await browserOf('admin'), '/campaigns/best');
    await page.getByText('can be asked').waitFor();
    const settings = page.getByRole('region', { name: 'Settings of the optimizer' });
    await settings.getByRole('row', { name: /descending false/ }).waitFor();
    await page.getByRole('button', { name: 'Change its settings' }).click();
    await page.getByText('The change applies to the next proposal.').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('dialog').getByLabel('descending').selectOption({ label: 'Yes' });
    await page.getByRole('dialog').getByRole('button', { name: 'Change its settings' }).click();
    await settings.getByRole('row', { name: /descending true/ }).waitFor();
    expect((await optimizer()).runtime_params['descending']).toBe(true);
  });

  it('is told something, which the page shows with who said it', async () => {
    const page = await open(await browserOf('admin'), '/campaigns/best');
    await page.getByRole('button', { name: 'Tell it something' }).click();
    await page.keyboard.type('Large factors are rare.');
    await page.keyboard.press('Enter');
    const row = page.getByRole('listitem').filter({ hasText: 'Large factors are rare.' });
    await row.getByText('not used yet').waitFor();
    await row.getByText(/ann the admin/).waitFor();
  });

  it('shows a viewer no way to change it', async () => {
    const page = await open(await browserOf('viewer'), '/campaigns/best');
    await page.getByText('can be asked').waitFor();
    expect(await page.getByRole('button', { name: 'Change its settings' }).count()).toBe(0);
  });
});
