import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../api.js';
import { api, browserOf, lab, open } from './lab.js';

/** Pages of others, and texts of others, over a browser in which an administrator has signed in. */

let evil: Server;
let evilUrl: string;
const isPaused = async (): Promise<boolean> =>
  (await api.call<{ paused: boolean }>('GET', '/api/queue?limit=1')).body.paused;

describe('a page of another port', () => {
  beforeAll(async () => {
    evil = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<!doctype html><title>evil</title><iframe src="${lab.stack.url}/"></iframe>`);
    });
    await new Promise<void>((resolve) => {
      evil.listen(0, '127.0.0.1', resolve);
    });
    // The same site for cookies: only the port differs.
    evilUrl = `http://127.0.0.1:${(evil.address() as AddressInfo).port}`;
  });
  afterAll(() => evil.close());

  it('cannot act with the session, in any way in which a page can send a request', async () => {
    const context = await browserOf('admin');
    const page = await context.newPage();
    await page.goto(evilUrl);
    const target = `${lab.stack.url}/api/queue/pause`;
    await page.evaluate(async (url) => {
      const attempts: RequestInit[] = [
        { method: 'POST', mode: 'no-cors', credentials: 'include' },
        { method: 'POST', mode: 'no-cors', credentials: 'include', body: new URLSearchParams({ a: 'b' }) },
        { method: 'POST', mode: 'cors', credentials: 'include', headers: { 'x-svc-page': '1' } },
        { method: 'PUT', mode: 'cors', credentials: 'include' },
      ];
      for (const attempt of attempts) await fetch(url, attempt).catch(() => undefined);
      navigator.sendBeacon(url, '{}');
    }, target);
    await Promise.all([
      page.waitForNavigation(),
      page.evaluate((url) => {
        const form = document.createElement('form');
        form.method = 'post';
        form.action = url;
        document.body.append(form);
        form.submit();
      }, target),
    ]);
    expect(await isPaused()).toBe(false);
  });

  it('cannot read anything with the session', async () => {
    const page = await (await browserOf('admin')).newPage();
    await page.goto(evilUrl);
    const read = await page.evaluate(
      (url) =>
        fetch(url, { credentials: 'include' }).then(
          (answer) => answer.text(),
          () => 'nothing',
        ),
      `${lab.stack.url}/api/me`,
    );
    expect(read).toBe('nothing');
  });

  it('cannot show the page in a frame', async () => {
    const page = await (await browserOf('admin')).newPage();
    await page.goto(evilUrl);
    const frame = page.frames().find((each) => each !== page.mainFrame());
    expect(await frame?.getByRole('button', { name: 'Emergency stop' }).count()).toBe(0);
  });
});

describe('texts of the laboratory', () => {
  const evilText = `<img src=x onerror="document.title='stolen'"><script>document.title='stolen'</script>`;

  it('are shown as text, whatever they contain', async () => {
    await api.call('POST', '/api/labs/faulty_lab/devices/brittle/disable', { reason: evilText });
    await api.call('POST', '/api/estop', { lab_name: 'multiplication_lab', reason: evilText });
    try {
      const page = await open(await browserOf('admin'));
      await page.getByText(evilText).first().waitFor();
      expect(await page.locator('img').count()).toBe(0);
      expect(await page.title()).not.toContain('stolen');
    } finally {
      await api.call('POST', '/api/estop/release', {});
      await api.call('POST', '/api/labs/faulty_lab/devices/brittle/enable');
    }
  });

  it('are shown as text in the log and in the files of a task, and nothing in them runs', async () => {
    await ranWith(evilText);
    const page = await open(await browserOf('admin'), '/tasks/evil');
    await page.getByText(`wrote ${evilText}`).waitFor();
    await page.getByRole('button', { name: 'Show page.html' }).click();
    await page.getByText(`<!doctype html><body>${evilText}</body>`).waitFor();
    await page.getByRole('button', { name: 'Show drawing.svg' }).click();
    await page.getByText('onload="hacked=1"').waitFor();
    await page.getByRole('button', { name: 'Show table.csv' }).click();
    const table = page.getByRole('region', { name: 'table.csv' });
    await table.getByRole('cell', { name: evilText }).waitFor();
    expect(await page.locator('img, iframe, object, embed').count()).toBe(0);
    expect(await page.title()).not.toContain('stolen');
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
  });

  it('do not run when somebody opens a file of a task by its address', async () => {
    await ranWith(evilText);
    const page = await open(await browserOf('admin'));
    for (const file of ['page.html', 'drawing.svg']) {
      const download = page.waitForEvent('download');
      // A file is downloaded and never becomes a document of this origin.
      await page.goto(`/api/tasks/evil/files/${file}`).catch(() => undefined);
      await (await download).cancel();
      expect(page.url()).toBe(`${lab.stack.url}/`);
    }
  });
});

/** Runs the task `evil`, which leaves the text in files and in its log, once. */
async function ranWith(text: string): Promise<void> {
  const state = async (): Promise<string> =>
    (await api.call<{ state: string }>('GET', '/api/tasks/evil')).body.state;
  if ((await state()) === 'completed') return;
  const task = { name: 'evil', type: 'leave_files', input_parameters: { text } };
  expect((await api.submit('tasks', task)).status).toBe(201);
  await eventually(state, (now) => now === 'completed');
}
