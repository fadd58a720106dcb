import type { EnrolmentRecord, InvitationRecord } from '@lab/api-client';
import { joinText, makeAgentKey, proveKey } from '@lab/trust/agent-key';
import type { Locator, Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { api, browserOf, open, tabTo } from './lab.js';

const row = (page: Page, name: string): Locator =>
  page.getByRole('listitem').filter({ has: page.getByText(name, { exact: true }) });

describe('the page of computers', () => {
  afterAll(async () => {
    await api.call('POST', '/api/agents/bench_b/resume', {});
  });

  it('is reached from the devices and by Ctrl K, and shows every computer', async () => {
    const page = await open(await browserOf('viewer'), '/devices');
    await page.getByRole('link', { name: 'Computers, invitations and updates' }).click();
    await page.getByRole('heading', { name: 'Computers', level: 1 }).waitFor();
    const own = row(page, 'svc_computer');
    await own.getByText('online').waitFor();
    await own
      .getByText(/version \d.*, faulty_lab, multiplication_lab|multiplication_lab, faulty_lab/)
      .waitFor();
    await own.getByText(/last heard \d+ s ago/).waitFor();
    await row(page, 'bench_b').getByText('offline').waitFor();
    expect(await page.getByRole('button', { name: /Drain|Invite|Update/ }).count()).toBe(0);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('comput');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(new URL(page.url()).pathname).toBe('/computers');
  });

  it('drains a computer with a reason, says first what follows, and resumes it', async () => {
    const page = await open(await browserOf('operator'), '/computers');
    const bench = row(page, 'bench_b');
    await bench.getByRole('button', { name: 'Drain' }).click();
    await page.getByText('No task starts there, or on its devices, until somebody resumes').waitFor();
    await page.keyboard.type('a new cable');
    await page.keyboard.press('Enter');
    await bench.getByText('drained by ann the operator: a new cable').waitFor();
    await page.getByRole('link', { name: 'bench_b' }).click();
    await page.getByRole('heading', { name: 'Computer bench_b' }).waitFor();
    await page.getByText('No task runs there any more.').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Drain' }).waitFor();
    const { body } = await api.call<{ drain: unknown }>('GET', '/api/agents/bench_b');
    expect(body.drain).toBeNull();
    expect(await page.getByText('Credentials').count()).toBe(0);
  });

  it('shows what a computer has', async () => {
    const page = await open(await browserOf('admin'), '/computers/svc_computer');
    await page.getByText('It did not join with an invitation').waitFor();
    await page.getByRole('link', { name: 'faulty_lab.brittle' }).click();
    await page.getByRole('heading', { name: 'Device faulty_lab.brittle' }).waitFor();
    await page.goto('/computers/nowhere');
    await page.getByText('No agent of this computer has been heard.').waitFor();
  });
});

/** The line that stands on the page. */
const lineOn = (page: Page): Promise<string> => page.getByLabel('Line to paste').inputValue();
const invitations = async (): Promise<InvitationRecord[]> =>
  (await api.call<InvitationRecord[]>('GET', '/api/invitations')).body;

describe('an invitation', () => {
  it('is a line that the page shows once and copies, and can be withdrawn', async () => {
    const context = await browserOf('admin');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const page = await open(context, '/computers');
    await tabTo(page, /^Invite a computer$/);
    await page.keyboard.press('Enter');
    await page.keyboard.type('bench_7');
    await page.getByLabel('Laboratory that has it').selectOption('faulty_lab');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Make the line' }).click();
    await page.getByText(/^Not invited\. .*faulty_lab/).waitFor();
    await page.getByLabel('Laboratory that has it').selectOption('');
    await page.getByLabel('Valid for').selectOption('86400');
    await page.getByRole('button', { name: 'Make the line' }).click();

    await page.getByText('The line for bench_7').waitFor();
    const line = await lineOn(page);
    expect(line).toMatch(/^svc-agent join http:\/\/\S+ svc_join_\S+$/);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied.').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(line);
    const listed = row(page, 'bench_7');
    await listed.getByText(/^expires in .*, by ann the admin$/).waitFor();
    await page.getByRole('button', { name: 'I have pasted it' }).click();
    await page.getByText('The line for bench_7').waitFor({ state: 'hidden' });
    await page.reload();
    await listed.waitFor();
    expect(await page.content()).not.toContain(line.split('.').at(-1));

    await listed.getByRole('button', { name: 'Withdraw' }).click();
    await page.getByText('Nobody can join with its line any more.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
    await listed.waitFor({ state: 'hidden' });
    expect((await invitations()).some(({ computer }) => computer === 'bench_7')).toBe(false);
  });

  it('says how to copy the line when the browser does not let the page', async () => {
    const page = await open(await browserOf('admin'), '/computers');
    await page.evaluate(() => {
      Object.defineProperty(navigator, 'clipboard', { value: undefined });
    });
    await page.getByRole('button', { name: 'Invite a computer' }).click();
    await page.getByLabel('Name of the computer').fill('bench_8');
    await page.getByRole('button', { name: 'Make the line' }).click();
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('The line is selected: press Ctrl C.').waitFor();
    expect(await page.evaluate(() => window.getSelection()?.toString())).toBe(await lineOn(page));
    for (const { id, computer } of await invitations())
      if (computer === 'bench_8') await api.call('DELETE', `/api/invitations/${id}`);
  });

  it('of several computers lets each wait for approval, and a joined one can be revoked', async () => {
    const page = await open(await browserOf('admin'), '/computers');
    await page.getByRole('button', { name: 'Invite a computer' }).click();
    await page.getByLabel('Name of the computer').fill('shelf_*');
    await page.getByLabel('How many computers').fill('3');
    await page.getByLabel('I approve each computer').check();
    await page.getByRole('button', { name: 'Make the line' }).click();
    const [, , id = '', secret = ''] = /svc_join_([^.]+)\.([^.]+)\.(\S+)$/.exec(await lineOn(page)) ?? [];
    const key = makeAgentKey();
    const proof = proveKey(key, joinText(id, key.publicKey));
    const asked = { id, secret, computer: 'shelf_1', version: '0.2.0', key: key.publicKey, proof };
    expect((await api.call('POST', '/agents/join', asked)).status).toBe(202);

    const waiting = row(page, 'shelf_1');
    await waiting.getByRole('button', { name: 'Approve' }).click({ timeout: 60_000 });
    await page.getByText(key.publicKey).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('heading', { name: 'Wait for approval' }).waitFor({ state: 'hidden' });
    await row(page, 'shelf_*').getByText('1 of 3 joined, with approval').waitFor();
    expect((await api.call('POST', '/agents/join', asked)).status).toBe(200);
    const joined = async (): Promise<EnrolmentRecord | undefined> =>
      (await api.call<EnrolmentRecord[]>('GET', '/api/enrolments?revoked=true')).body.find(
        ({ computer }) => computer === 'shelf_1',
      );
    expect(await joined()).toMatchObject({ approved_by: 'ann the admin', revoked_at: null });

    await page.goto('/computers/shelf_1');
    await page.getByText('No agent of this computer has been heard.').waitFor();
    await page.getByText(key.publicKey).waitFor();
    await page.getByText('Valid until').waitFor();
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Its devices are not stopped.').waitFor();
    await page.getByLabel('Reason').fill('it was a test');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('It did not join with an invitation').waitFor();
    expect(await joined()).toMatchObject({ revoked_by: 'ann the admin', reason: 'it was a test' });
    await api.call('DELETE', `/api/invitations/${id}`);
  });
});

describe('an update of agents', () => {
  it('says that it needs packages when the service offers none', async () => {
    const page = await open(await browserOf('admin'), '/computers');
    await page.getByText('The service offers no package of the agent').waitFor();
    expect(await page.getByRole('button', { name: 'Update all agents' }).count()).toBe(0);
  });

  it('shows each computer of the latest one, and resumes it when it is halted', async () => {
    const at = '2026-03-01T10:00:00.000Z';
    const step = { version_before: '0.1.0', platform: 'linux-x64', since: at, detail: null };
    const halt = { computer: 'bench_b', reason: 'bench_b did not come back within 300 s', at };
    const rollout = {
      ...{ id: 'r1', version: '0.2.0', state: 'halted', by: 'ada', reason: 'release 0.2.0', settle_s: 600 },
      ...{ created_at: at, ended_at: null, ended_by: null, halt, waits_for: null },
      computers: [
        { ...step, computer: 'bench_a', ring: 1, state: 'updated' },
        { ...step, computer: 'bench_b', ring: 2, state: 'failed' },
      ],
      left_out: [{ computer: 'bench_c', reason: 'its agent does not say on which platform it runs' }],
    };
    const page = await open(await browserOf('admin'), '/');
    const asked: unknown[] = [];
    // No agent of this service has joined, so none can be updated.
    await page.route('**/api/agent-rollouts**', async (route) => {
      const request = route.request();
      if (request.method() === 'GET') return route.fulfill({ json: [rollout] });
      asked.push([new URL(request.url()).pathname, request.postDataJSON()]);
      return route.fulfill({ json: rollout });
    });
    await page.goto('/computers');
    await page.getByText('bench_b did not come back within 300 s').waitFor();
    await row(page, 'bench_a').getByText('updated').waitFor();
    await row(page, 'bench_c').getByText('left out').waitFor();
    await page.getByRole('button', { name: 'Resume the update' }).click();
    await page.getByText('The computer that failed is tried again').waitFor();
    await page.getByLabel('Reason').fill('the disk has room');
    await page.getByRole('dialog').getByRole('button', { name: 'Resume the update' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(asked).toEqual([['/api/agent-rollouts/r1/resume', { reason: 'the disk has room' }]]);
  });
});
