import { describe, expect, it } from 'vitest';
import { eventually, isOver } from '../api.js';
import { api, browserOf, open, tabTo } from './lab.js';

describe('the page for submissions', () => {
  it('submits a task with the keyboard alone, and leads to it', async () => {
    const page = await open(await browserOf('admin'), '/submit?kind=task');
    await page.getByLabel('Task type').selectOption('leave_files');
    await page.getByLabel('text').waitFor();
    await page.locator('h1').click();
    await tabTo(page, /^Name/);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('by keyboard');
    await tabTo(page, /^text/);
    await page.keyboard.type('seven');
    await page.getByText('The service would accept this.').waitFor();
    await tabTo(page, /^Submit$/);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Task by keyboard' }).waitFor();
    await page.locator('.headline .state').getByText('completed').waitFor();
    await page.getByText('wrote seven').waitFor();
  });

  it('says at the field what is wrong, before it is submitted, and loses nothing', async () => {
    const page = await open(await browserOf('admin'), '/submit?kind=run');
    await page.getByLabel('Protocol').selectOption('optimize_multiplication');
    await page.getByRole('group', { name: 'first' }).getByLabel('number').fill('many');
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await page.getByText('This is no integer: many.').waitFor();
    expect(await page.getByRole('group', { name: 'first' }).getByLabel('number').inputValue()).toBe('many');
    expect((await api.call('GET', '/api/protocols?state=running')).body).toMatchObject({ items: [] });
  });

  it('tells what the service would refuse, and the cells of rows that are wrong', async () => {
    const page = await open(await browserOf('admin'), '/submit?kind=campaign');
    await page.getByLabel('Protocol').selectOption('optimize_multiplication');
    await page.getByText('global_parameters.first.number', { exact: true }).waitFor();
    const rows = page.getByLabel('Rows of a spreadsheet');
    await rows.fill('first.number\tfirst.factor\n1\t2\nmany\t3');
    await page.getByText('many').last().waitFor();
    await rows.fill('first.number\tfirst.factor\n1\t2\n2\t3');
    await page.getByText('2 rows are understood.').waitFor();
    expect(await page.getByLabel('Number of runs').inputValue()).toBe('2');
    await page.getByText('The service would accept this.').waitFor();
  });

  it('begins as earlier work was submitted', async () => {
    const devices = { brittle: { lab_name: 'faulty_lab', name: 'brittle' } };
    await eventually(
      () => api.device('brittle'),
      ({ state }) => state === 'idle',
    );
    const task = { name: 'again', type: 'misbehave', devices, input_parameters: { mode: 'not_at_all' } };
    expect((await api.submit('tasks', task)).status).toBe(201);
    const page = await open(await browserOf('admin'), '/tasks/again');
    await page.locator('.headline .state').getByText('completed').waitFor();
    await page.getByRole('button', { name: 'Submit again' }).click();
    await page.getByText('Filled in as "again" was submitted.').waitFor();
    expect(await page.getByLabel('Task type').inputValue()).toBe('misbehave');
    expect(await page.getByLabel('Device for "brittle"').inputValue()).toBe('faulty_lab.brittle');
    await page.getByText('The service would accept this.').waitFor();
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await page.getByRole('heading', { name: /^Task misbehave_/ }).waitFor();
  });

  it('begins with the rows of an earlier campaign, and keeps what the form does not show', async () => {
    const campaign = {
      ...{ name: 'rows', protocol: 'optimize_multiplication', owner: 'ada', max_protocol_runs: 2 },
      ...{ on_run_failure: 'continue', priority: 3 },
      protocol_run_parameters: [
        { first: { number: 1, factor: 2 }, second: { factor: 1 } },
        { first: { number: 2, factor: 3 }, second: { factor: 1 } },
      ],
    };
    expect((await api.submit('campaigns', campaign)).status).toBe(201);
    await eventually(
      async () => (await api.call<{ state: string }>('GET', '/api/campaigns/rows')).body,
      isOver,
    );
    const page = await open(await browserOf('admin'), '/submit?kind=campaign&from=rows');
    await page.getByText('2 rows are understood.').waitFor();
    await page.getByText('The service would accept this.').waitFor();
    await page.getByLabel('Name').fill('rows again');
    await page.getByText('The service would accept this.').waitFor();
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await page.getByRole('heading', { name: 'rows again' }).waitFor();
    const { body } = await api.call('GET', '/api/campaigns/rows%20again');
    const { protocol_run_parameters } = campaign;
    expect(body).toMatchObject({ on_run_failure: 'continue', priority: 3, protocol_run_parameters });
    await eventually(
      async () => (await api.call<{ state: string }>('GET', '/api/campaigns/rows%20again')).body,
      isOver,
    );
  });

  it('lets a viewer look, and no more', async () => {
    const page = await open(await browserOf('viewer'), '/submit');
    await page.getByText('To submit needs the role submitter.').waitFor();
    expect(await page.getByRole('button', { name: 'Submit', exact: true }).count()).toBe(0);
  });
});
