import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { api, browserOf, open, question, settleAll, tabTo } from './lab.js';

describe('a claim', () => {
  /** One question for all: each kills the agent, which starts later every time. */
  let id: string;
  beforeAll(async () => {
    id = await question('claimed by two');
  });
  afterAll(settleAll);

  it('says why others do not see it when it cannot be made', async () => {
    const page = await open(await browserOf('admin'), `/attention/${id}`);
    await page.route('**/api/attention/*/claim', (route) =>
      route.fulfill({
        status: 503,
        contentType: 'application/problem+json',
        body: JSON.stringify({
          ...{ type: 'urn:svc:error:disconnected', title: 'Disconnected', status: 503, code: 'disconnected' },
          detail: 'The gateway has no connection to the broker at present.',
        }),
      }),
    );
    await page.getByRole('button', { name: 'I am deciding' }).click();
    await page
      .getByText(
        'Others do not see what you are doing. The gateway has no connection to the broker at present.',
      )
      .waitFor({ timeout: 60_000 });
  });

  it('is seen by others at once, is taken over, and is released', async () => {
    const admin = await open(await browserOf('admin'), `/attention/${id}`);
    await admin.getByText('Nobody has said that they are deciding').waitFor();
    await admin
      .getByText(/^step\(seconds: 0( s)?\) on faulty_lab\.brittle ended without an error, \d.* before the /)
      .waitFor();
    // The agent was killed during this call.
    await admin
      .getByText(/^step\(seconds: 60( s)?\) on .*brittle was sent \d.* and its end is not confirmed\.$/)
      .waitFor();
    const operator = await open(await browserOf('operator'), '/attention');
    const item = operator.getByRole('listitem').filter({ hasText: 'claimed by two' });
    await item.waitFor();
    expect(await item.getByText(/deciding/).count()).toBe(0);

    await tabTo(admin, /^I am deciding$/);
    await admin.keyboard.press('Enter');
    await admin.getByText(/^\W*You have been deciding for/).waitFor();
    await item.getByText(/ann the admin has been deciding for \d+ s/).waitFor();
    await item.getByRole('link', { name: 'claimed by two' }).click();
    await operator.getByText('Ask ann the admin first.').waitFor();
    const viewer = await open(await browserOf('viewer'), `/attention/${id}`);
    await viewer.getByText(/ann the admin has been deciding for/).waitFor();
    expect(await viewer.getByRole('button', { name: 'Take over' }).count()).toBe(0);

    await operator.getByRole('button', { name: 'Take over' }).click();
    for (const page of [admin, viewer])
      await page.getByText(/ann the operator has been deciding for/).waitFor();
    await operator.getByRole('button', { name: 'I am not deciding any more' }).click();
    for (const page of [admin, operator])
      await page.getByText('Nobody has said that they are deciding').waitFor();
  });

  it('is made when a person begins to fill in the form, and keeps nobody from deciding', async () => {
    const admin = await open(await browserOf('admin'), `/attention/${id}`);
    await admin.getByLabel(/^It was done/).check();
    await admin.getByText(/^\W*You have been deciding for/).waitFor();
    const operator = await open(await browserOf('operator'), `/attention/${id}`);
    await operator.getByText(/ann the admin has been deciding for/).waitFor();
    await operator.getByLabel(/^It failed/).check();
    await operator.getByLabel('What you saw').fill('the beaker is empty');
    await operator.getByText(/ann the admin has been deciding for/).waitFor();
    await operator.getByRole('button', { name: 'Decide: It failed' }).click();
    await operator.getByRole('heading', { name: 'What needs a person' }).waitFor();
    await admin.getByText('This item is settled, or does not exist.').waitFor();
    const { body } = await api.call<{ items: { action: string; by: string; detail: object }[] }>(
      'GET',
      `/api/audit?limit=50`,
    );
    const about = body.items.filter(({ action }) => /^attention\.(claim|resolve)$/.test(action));
    expect(about.slice(0, 2)).toMatchObject([
      { action: 'attention.resolve', by: 'ann the operator', detail: { claimed_by: 'ann the admin' } },
      { action: 'attention.claim', by: 'ann the admin' },
    ]);
  });
});
