import { describe, expect, it } from 'vitest';
import { api, browserOf, freshBrowser, lab, open, violationsOf } from './lab.js';

interface Tokens {
  items: { name: string; kind: string; note: string; revoked_at: string | null }[];
}

describe('sessions and tokens', () => {
  it('are made and shown once by an administrator, and the token signs in', async () => {
    const page = await open(await browserOf('admin'));
    await page.getByRole('button', { name: 'Settings and account' }).click();
    await page.getByRole('link', { name: 'Sessions and tokens' }).click();
    await page.getByRole('button', { name: 'Make a token' }).click();
    await page.keyboard.type('zoe');
    await page.getByLabel('Role').selectOption({ label: 'operator' });
    await page.getByLabel('Laboratory').selectOption('faulty_lab');
    await page.getByLabel('Note').fill('bench');
    await page.getByLabel('Days until it ends').fill('none');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('"none" is no whole number from 1 to 366.').waitFor();
    await page.getByLabel('Days until it ends').fill('3');
    await page.keyboard.press('Enter');
    const token = await page.getByLabel('Token', { exact: true }).inputValue();
    expect(token).toMatch(/^svc_pat_/);
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Close' }).click();
    await page
      .getByRole('listitem')
      .filter({ hasText: 'bench, ' })
      .getByText('operator of faulty_lab')
      .waitFor();
    expect(await page.content()).not.toContain(token);

    const stranger = await (await freshBrowser()).newPage();
    await stranger.goto('/');
    await stranger.getByLabel('Access token').fill(token);
    await stranger.keyboard.press('Enter');
    await stranger.getByRole('link', { name: 'Now' }).waitFor();

    const session = page
      .getByRole('listitem')
      .filter({ hasText: 'zoe' })
      .filter({ hasText: 'session of a browser' });
    await page.reload();
    await session.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('The browser is signed out within 15 s.').waitFor();
    await page.keyboard.press('Enter');
    await session.getByText('revoked').waitFor();
    await stranger.getByRole('heading', { name: 'Sign in' }).waitFor({ timeout: 30_000 });
    const { body } = await api.call<Tokens>('GET', '/api/tokens');
    const theirs = body.items.filter(({ name }) => name === 'zoe');
    expect(theirs.map(({ kind, revoked_at }) => [kind, revoked_at !== null])).toEqual([
      ['session', true],
      ['personal', false],
    ]);
  });

  it('are only their own for everybody else, who makes none', async () => {
    const page = await open(await browserOf('viewer'), '/access');
    await page.getByText('Your sessions and access tokens').waitFor();
    const rows = page.getByRole('listitem');
    await rows.first().waitFor();
    expect(await rows.count()).toBe(await rows.filter({ hasText: 'ann the viewer' }).count());
    expect(await page.getByRole('button', { name: 'Make a token' }).count()).toBe(0);
    expect(lab.stack.output()).not.toMatch(/svc_pat_/);
  });
});
