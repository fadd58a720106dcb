import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { TokenRecord } from '@lab/contracts';
import { api, browserOf, freshBrowser, open, tokenOf } from './lab.js';

describe('a person', () => {
  it('signs in with a token, which the browser does not keep, and signs out', async () => {
    const context = await freshBrowser();
    const page = await context.newPage();
    await page.goto('/');
    const field = page.getByLabel('Access token');
    await field.fill('svc_pat_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expectText(page.getByRole('alert'), /^Not signed in\. .*token/);
    await field.fill(` ${tokenOf('admin')} `);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Now', exact: true }).waitFor();
    const kept = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    );
    expect(kept).not.toContain('svc_');
    expect(await context.cookies()).toMatchObject([{ httpOnly: true, sameSite: 'Strict' }]);

    await page.getByRole('button', { name: 'Settings and account' }).click();
    await page.getByText('You act as ann the admin').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await context.cookies()).toEqual([]);
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('whose session is revoked sees no more, and is asked to sign in again', async () => {
    const page = await open(await browserOf('viewer'));
    const sessions = await api.all<TokenRecord>('/api/tokens');
    const session = sessions.find(
      ({ kind, name, revoked_at }) => kind === 'session' && name === 'ann the viewer' && revoked_at === null,
    );
    await api.call('DELETE', `/api/tokens/${session?.id}`);
    await page.getByText('The session has ended. Sign in again.').waitFor({ timeout: 30_000 });
    expect(await page.getByRole('heading', { name: 'Now' }).count()).toBe(0);
  });

  it('with a role for one laboratory sees this laboratory, and no list that cannot be read', async () => {
    const page = await open(await browserOf('guest'));
    await page.getByRole('heading', { name: 'Now', exact: true }).waitFor();
    await page.locator('.figures dd').filter({ hasText: /^\d+$/ }).first().waitFor();
    expect(await page.getByText(/cannot be read|faulty_lab/).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Emergency stop' }).count()).toBe(1);
  });

  it('with the role viewer is offered nothing that the service would refuse', async () => {
    await api.call('POST', '/api/queue/pause');
    try {
      const viewer = await open(await browserOf('viewer'));
      await viewer.getByText('The queue is paused by').waitFor();
      expect(await viewer.getByRole('button', { name: 'Resume' }).count()).toBe(0);
      const admin = await open(await browserOf('admin'));
      await admin.getByRole('button', { name: 'Resume' }).click();
      await viewer.getByText('The queue is paused by').waitFor({ state: 'hidden' });
    } finally {
      await api.call('POST', '/api/queue/resume');
    }
  });
});

async function expectText(place: Locator, pattern: RegExp): Promise<void> {
  await place.filter({ hasText: pattern }).waitFor();
}
