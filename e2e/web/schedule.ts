import { describe, expect, it } from 'vitest';
import { eventually, isOver } from '../api.js';
import { api, browserOf, open, tabTo, violationsOf } from './lab.js';

describe('the schedule', () => {
  it('shows what ran, what runs and why a task waits, and leads to each', async () => {
    await eventually(
      () => api.device('brittle'),
      ({ state }) => state === 'idle',
    );
    const devices = { brittle: { lab_name: 'faulty_lab', name: 'brittle' } };
    const task = (name: string, mode: string): Promise<unknown> =>
      api.submit('tasks', { name, type: 'misbehave', devices, input_parameters: { mode } });
    await task('holds it', 'long_step');
    await task('wants it', 'not_at_all');
    const page = await open(await browserOf('viewer'), '/schedule');
    const table = page.getByRole('region', { name: 'Tasks in this time' });
    await table.getByRole('row', { name: /^holds it running/ }).waitFor();
    const waiting = page.getByRole('listitem').filter({ hasText: 'wants it' });
    await waiting.getByText(/holds it/).waitFor();

    // The chart has a row for each device. The bar of the running task ends at the line of the present.
    const chart = page.getByRole('region', { name: /^Tasks over time/ });
    const box = await chart.boundingBox();
    if (box === null) throw new Error('there is no chart');
    const names = (await api.devices()).map(({ lab_name: lab, name }) => `${lab}.${name}`).sort();
    const row = names.indexOf('faulty_lab.brittle');
    // The window moves in steps of 10 s, and three quarters of it are past.
    const start = Math.floor(Date.now() / 10_000) * 10_000 - 2_700_000;
    const x = 180 + ((Date.now() - start) * (box.width - 180)) / 3_600_000;
    await page.mouse.click(box.x + x, box.y + 24 + row * 28 + 14);
    await page.getByRole('heading', { name: 'Task holds it' }).waitFor();

    await api.call('POST', '/api/tasks/holds%20it/cancel');
    await page.goBack();
    await table.getByRole('row', { name: /^wants it completed/ }).waitFor();
  });

  it('shows what decides when work ends, also through other work, with the keyboard and in its address', async () => {
    const context = await browserOf('viewer');
    const page = await open(context, '/schedule');
    await page.getByRole('row', { name: /^wants it completed/ }).waitFor();
    await tabTo(page, /^Critical chain$/);
    await page.keyboard.press('Enter');
    await page.getByLabel('Chain of the run').selectOption('wants it');
    await page.getByRole('heading', { name: 'What decides when wants it ends' }).waitFor();
    const chain = page.getByRole('list').filter({ hasText: 'when holds it had freed faulty_lab.brittle' });
    expect(await chain.getByRole('link').allTextContents()).toEqual(['holds it', 'wants it']);
    await page.getByRole('row', { name: /^holds it cancelled 1 of 2/ }).waitFor();
    await page.getByRole('row', { name: /^wants it completed 2 of 2/ }).waitFor();
    expect(await violationsOf(page)).toEqual([]);

    const other = await open(context, new URL(page.url()).pathname + new URL(page.url()).search);
    await other.getByRole('row', { name: /^wants it completed 2 of 2/ }).waitFor();
    await other.getByRole('button', { name: 'Critical chain' }).click();
    await other
      .getByRole('heading', { name: 'What decides when wants it ends' })
      .waitFor({ state: 'detached' });
  });

  it('shows what decides when a run ends, to which the page of the run leads', async () => {
    const run = { name: 'by itself', type: 'slow_multiplication', parameters: { wait: { seconds: 1 } } };
    expect((await api.submit('protocols', run)).status).toBe(201);
    await eventually(() => api.run('by itself'), isOver);
    const page = await open(await browserOf('viewer'), '/runs/by%20itself');
    await page.getByRole('link', { name: 'See it in the schedule, with other work' }).click();
    const chain = page.getByRole('list').filter({ hasText: 'after by itself/wait, on which it depends' });
    await chain.waitFor();
    expect((await chain.getByRole('link').allTextContents()).slice(-2)).toEqual([
      'by itself/wait',
      'by itself/multiply',
    ]);
  });

  it('says what people hold, until when and why', async () => {
    const from = new Date(Date.now() + 60_000).toISOString();
    const to = new Date(Date.now() + 600_000).toISOString();
    const asked = { lab: 'faulty_lab', device: 'brittle', from, to, reason: 'calibration' };
    const reserved = await api.call<{ id: string }>('POST', '/api/reservations', asked);
    expect(reserved.status).toBeLessThan(300);
    try {
      const page = await open(await browserOf('viewer'), '/schedule');
      const hold = page.getByRole('listitem').filter({ hasText: 'faulty_lab.brittle' });
      await hold.getByText('reserved').waitFor();
      await hold.getByText('calibration (ann the admin)').waitFor();
      await api.call('POST', '/api/agents/svc_computer/drain', { reason: 'new cables' });
      const drained = page.getByRole('listitem').filter({ hasText: 'svc_computer' });
      await drained.getByText('computer drained').waitFor();
      await drained.getByText('new cables (ann the admin)').waitFor();
    } finally {
      await api.call('POST', '/api/agents/svc_computer/resume');
      await api.call('POST', `/api/reservations/${reserved.body.id}/end`);
    }
  });

  it('goes back in time and keeps what is chosen', async () => {
    const page = await open(await browserOf('viewer'), '/schedule');
    await page.getByLabel('Rows').selectOption('run');
    await page.getByLabel('Time shown').selectOption({ label: '1 day' });
    await page.getByRole('row', { name: /wants it/ }).waitFor();
    for (let step = 0; step < 3; step += 1) await page.getByRole('button', { name: 'Earlier' }).click();
    await page.getByText('No task runs, ran or is planned in this time.').waitFor();
    await page.getByRole('button', { name: 'Now' }).click();
    await page.getByRole('row', { name: /wants it/ }).waitFor();
    expect(await page.getByLabel('Rows').inputValue()).toBe('run');
  });
});
