import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, isOver } from '../api.js';
import { api, browserOf, open } from './lab.js';

describe('the work', () => {
  beforeAll(async () => {
    const campaign = {
      ...{ name: 'slow', protocol: 'slow_multiplication', owner: 'ada', max_protocol_runs: 3 },
      ...{ max_concurrent_protocol_runs: 2, global_parameters: { wait: { seconds: 600 } } },
    };
    expect((await api.submit('campaigns', campaign)).status).toBe(201);
    await eventually(
      () => api.all<{ name: string }>('/api/campaigns/slow/runs'),
      (runs) => runs.length === 2,
    );
  });
  afterAll(async () => {
    await api.call('POST', '/api/campaigns/slow/cancel');
    await eventually(
      async () => (await api.call<{ state: string }>('GET', '/api/campaigns/slow')).body,
      isOver,
    );
  });

  it('leads from Now to a campaign and a run, which says why a task waits', async () => {
    const page = await open(await browserOf('viewer'));
    await page.getByRole('link', { name: 'slow', exact: true }).click();
    await page.getByRole('heading', { name: 'slow', exact: true }).waitFor();
    await page.getByText('0 of 3 runs').waitFor();
    await page.getByRole('link', { name: 'slow_run_2' }).click();
    await page.getByRole('heading', { name: 'slow_run_2' }).waitFor();
    const { body } = await api.call<{ items: { waits_for: { message: string }[] }[] }>(
      'GET',
      '/api/queue?protocol_run=slow_run_2',
    );
    const [reason = ''] = body.items.flatMap(({ waits_for }) => waits_for.map(({ message }) => message));
    expect(reason).not.toBe('');
    await page.getByText(reason).first().waitFor();
    expect(await page.getByRole('button', { name: 'Cancel the work' }).count()).toBe(0);
  });

  it('is paused, resumed and cancelled after the page has said what follows', async () => {
    const page = await open(await browserOf('admin'), '/campaigns/slow');
    const act = async (name: string): Promise<void> => {
      await page.getByRole('button', { name }).click();
      await page.getByRole('dialog').getByRole('button', { name }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('no further task starts').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await api.call<{ state: string }>('GET', '/api/campaigns/slow')).body.state).toBe('running');
    await act('Pause');
    await page.locator('.headline .state').getByText('paused').waitFor();
    await act('Resume');
    await page.locator('.headline .state').getByText('running').waitFor();
    await act('Cancel the work');
    await page.locator('.headline .state').getByText('cancelled').waitFor();
  });
});
