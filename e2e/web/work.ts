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

  it('shows what a task got, did and left, with a look into its files', async () => {
    const task = { name: 'leave', type: 'leave_files', input_parameters: { text: 'seven' } };
    expect((await api.submit('tasks', task)).status).toBe(201);
    const page = await open(await browserOf('viewer'), '/tasks/leave');
    await page.locator('.headline .state').getByText('completed').waitFor();
    await page.getByRole('row', { name: 'text seven' }).waitFor();
    await page.getByRole('row', { name: 'length 5' }).waitFor();
    await page.getByText('wrote seven').waitFor();
    await page.getByText('Attempt 1').waitFor();
    await page.getByRole('button', { name: 'Show pixel.png' }).click();
    const image = page.getByRole('img', { name: 'Image pixel.png' });
    await image.waitFor();
    await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(1);
    await page.getByRole('button', { name: 'Show data.bin' }).click();
    await page.getByText('The page does not show files of the type application/octet-stream.').waitFor();
  });

  it('draws the order of the tasks of a run, and leads to each task', async () => {
    const page = await open(await browserOf('viewer'), '/runs/slow_run_1');
    const graph = page.getByRole('region', { name: 'Order of the tasks' });
    const { body: run } = await api.call<{ tasks: { name: string }[] }>('GET', '/api/protocols/slow_run_1');
    for (const { name } of run.tasks) await graph.getByRole('link', { name }).waitFor();
    const [first] = run.tasks;
    await graph.getByRole('link', { name: first?.name ?? '' }).click();
    await page.getByRole('heading', { name: `Task ${first?.name}` }).waitFor();
  });

  it('follows the output of a task while it runs', async () => {
    const devices = { brittle: { lab_name: 'faulty_lab', name: 'brittle' } };
    const input_parameters = { mode: 'long_step' };
    await api.submit('tasks', { name: 'follow', type: 'misbehave', devices, input_parameters });
    const page = await open(await browserOf('admin'), '/tasks/follow');
    await page.getByText('New lines appear as they are written.').waitFor();
    await page.getByText('brittle.step').first().waitFor();
    await page.getByRole('button', { name: 'Cancel the task' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the task' }).click();
    await page.locator('.headline .state').getByText('cancelled').waitFor();
  });

  it('changes the priority and the settings of a campaign, and says what is wrong with a number', async () => {
    const page = await open(await browserOf('admin'), '/campaigns/slow');
    await page.getByRole('button', { name: 'Change the settings' }).click();
    const runs = page.getByLabel('Runs in all');
    await runs.fill('many');
    await page.keyboard.press('Enter');
    await page.getByText('"many" is no whole number from 0 to 100000.').waitFor();
    await runs.fill('4');
    await page.keyboard.press('Enter');
    await page.getByText('0 of 4 runs').waitFor();
    await page.getByRole('button', { name: 'Change the priority' }).click();
    await page.getByRole('textbox', { name: 'Priority' }).fill('7');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const { body } = await api.call<{ priority: number }>('GET', '/api/campaigns/slow');
    expect(body.priority).toBe(7);
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
