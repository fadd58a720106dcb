import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { api, browserOf, open, violationsOf } from './lab.js';

describe('a device', () => {
  it('is taken out of service with a reason, and put back', async () => {
    const page = await open(await browserOf('admin'), '/devices');
    const device = page.getByRole('listitem').filter({ hasText: 'brittle on' });
    await device.getByRole('button', { name: 'Take out of service' }).click();
    await page.getByText('No task starts on it until somebody puts it back.').waitFor();
    await page.keyboard.type('the gripper is broken');
    await page.keyboard.press('Enter');
    await device.getByText('out of service: the gripper is broken (ann the admin)').waitFor();
    expect(await api.device('brittle')).toMatchObject({
      out_of_service: { reason: 'the gripper is broken' },
    });

    await device.getByRole('button', { name: 'Put back into service' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Put back into service' }).click();
    await device.getByText('out of service:').waitFor({ state: 'hidden' });
    expect(await api.device('brittle')).toMatchObject({ out_of_service: null });
  });

  it('shows what it does, as it does it', async () => {
    const page = await open(await browserOf('viewer'), '/devices');
    const device = page.getByRole('listitem').filter({ hasText: 'brittle on' });
    const call = api.call('POST', '/api/rpc/faulty_lab/brittle/step', { seconds: 3 });
    await device.getByText('busy').waitFor();
    await call;
    await device.getByText('ready').waitFor();
    expect(await page.getByRole('button', { name: 'Take out of service' }).count()).toBe(0);
  });
});

/** The form of a function. */
const functionOf = (page: Page, name: string): Locator =>
  page.locator('details').filter({ has: page.locator('summary .name').getByText(name, { exact: true }) });

describe('the page of a device', () => {
  it('calls its functions from forms, and says what is wrong with an argument', async () => {
    const page = await open(await browserOf('admin'), '/devices');
    await page.getByRole('link', { name: 'brittle' }).click();
    await page.getByRole('heading', { name: 'Device faulty_lab.brittle' }).waitFor();
    const step = functionOf(page, 'step');
    await step.locator('summary').first().click();
    await step.getByLabel('seconds').fill('soon');
    await step.getByRole('button', { name: 'Call step' }).click();
    await step.getByText('This is no number: soon.').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await step.getByLabel('seconds').fill('0.1');
    await step.getByRole('button', { name: 'Call step' }).click();
    await step.getByText('"steps"').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'step' }).first().getByText('completed').waitFor();
    const count = functionOf(page, 'count');
    await count.locator('summary').first().click();
    await count.getByRole('button', { name: 'Call count' }).click();
    await count.getByText('"steps"').waitFor();
  });

  it('asks for a reason to call what a task uses', async () => {
    const devices = { brittle: { lab_name: 'faulty_lab', name: 'brittle' } };
    await api.submit('tasks', {
      ...{ name: 'in use', type: 'misbehave', devices, input_parameters: { mode: 'long_step' } },
    });
    const page = await open(await browserOf('admin'), '/devices/faulty_lab/brittle');
    const step = functionOf(page, 'step');
    await step.locator('summary').first().click();
    const force = step.getByLabel('Call although in use uses the device');
    await force.waitFor();
    expect(await step.getByRole('button', { name: 'Call step' }).isDisabled()).toBe(true);
    await force.check();
    await step.getByRole('button', { name: 'Call step' }).click();
    await step.getByText('Give a reason.').waitFor();
    await api.call('POST', '/api/tasks/in%20use/cancel');
    await force.waitFor({ state: 'detached' });
  });

  it('shows a viewer no functions', async () => {
    const page = await open(await browserOf('viewer'), '/devices/faulty_lab/brittle');
    await page.getByText('To call functions needs the role operator.').waitFor();
    expect(await page.locator('details').count()).toBe(0);
  });
});
