import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
});
