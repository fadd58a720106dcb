import { describe, expect, it } from 'vitest';
import { api, browserOf, open } from './lab.js';

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
