import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { connect, type ClientHttp2Session } from 'node:http2';
import { request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startProgram, stopProgram } from '@lab/testkit';
import { eventually } from '../../e2e/api.js';
import { root } from '../../tools/shared/paths.js';
import { proxies } from './proxies.js';
import { Site } from './site.js';

/** Real proxies with the configurations of deploy/proxy, in front of two real gateways that stop and are killed. */

let site: Site;
beforeAll(async () => {
  site = await Site.open();
}, 180_000);
afterAll(() => site?.close());
afterEach(({ task }) => {
  if (task.result?.state === 'fail') process.stderr.write(`${site?.printed.slice(-60).join('\n')}\n`);
});

interface Answer {
  status: number;
  headers: Record<string, unknown>;
  text: string;
}

/** A browser: one connection with HTTP/2, made again when it breaks. */
class Browser {
  #session: ClientHttp2Session | undefined;

  /** @throws Error when the proxy breaks off the request */
  async send(
    method: string,
    path: string,
    body?: unknown,
    more: Record<string, string> = {},
  ): Promise<Answer> {
    const stream = this.#open().request({
      ':method': method,
      ':path': path,
      authorization: `Bearer ${site.token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...more,
    });
    return new Promise((resolve, reject) => {
      let headers: Record<string, unknown> = {};
      let text = '';
      stream.setEncoding('utf8').on('response', (got) => (headers = got));
      stream.on('data', (part: string) => (text += part)).on('error', reject);
      stream.on('end', () => resolve({ status: Number(headers[':status']), headers, text }));
      stream.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /**
   * Follows the events of tasks until the stream ends.
   *
   * @param after id of the last event that the browser has
   * @param onEvent gets the id of each; without data it is a sign of life, which says up to where there is nothing else
   */
  async follow(
    after: string,
    onEvent: (id: string, data: string | undefined) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const stream = this.#open().request({
      ...{ ':path': '/api/events?type=task_run', authorization: `Bearer ${site.token}` },
      'last-event-id': after,
    });
    signal.addEventListener('abort', () => stream.destroy(), { once: true });
    let rest = '';
    stream.once('response', ({ ':status': status }) => {
      // A gateway that has just ended is no reason; a refusal is.
      if (status !== undefined && status >= 400 && status < 500) site.printed.push(`events: ${status}`);
    });
    stream.setEncoding('utf8').on('data', (part: string) => {
      const entries = (rest + part).split('\n\n');
      rest = entries.pop() ?? '';
      for (const entry of entries) {
        const id = /^id: ?(.+)$/m.exec(entry)?.[1];
        const data = /^data: ?(.+)$/m.exec(entry)?.[1];
        if (id !== undefined) onEvent(id, data);
      }
    });
    await new Promise<void>((resolve) => stream.once('close', resolve).once('error', () => resolve()));
  }

  close(): void {
    this.#session?.destroy();
  }

  #open(): ClientHttp2Session {
    if (this.#session === undefined || this.#session.closed || this.#session.destroyed) {
      this.#session = connect(site.url, { ca: site.authority });
      this.#session.on('error', () => undefined);
    }
    return this.#session;
  }
}

/** A task that waits in the queue, because no agent of its computer is connected, or runs. */
const multiply = (name: string) => ({
  name,
  type: 'multiply',
  devices: { multiplier: { lab_name: 'multiplication_lab', name: 'multiplier_a' } },
  input_parameters: { number: 6, factor: 7 },
});

describe.each(Object.keys(proxies))('%s', (name) => {
  let proxy: ChildProcess;
  let browser: Browser;

  beforeAll(async () => {
    proxy = (await proxies[name]?.(site)) as ChildProcess;
    browser = new Browser();
    await eventually(
      () => browser.send('GET', '/health/ready').catch(() => undefined),
      (answer) => answer?.status === 200,
    );
  });
  afterAll(async () => {
    browser.close();
    await stopProgram(proxy, 'SIGTERM', 10_000);
  });

  it('serves the page, the interface and REST over HTTP/2, and tells browsers to use only HTTPS', async () => {
    const page = await browser.send('GET', '/', undefined, { accept: 'text/html' });
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers['strict-transport-security']).toBe('max-age=63072000');
    expect((await browser.send('GET', '/docs-json')).status).toBe(200);
    expect((await browser.send('GET', '/api/labs')).text).toContain('multiplication_lab');
  });

  it('replaces what a client says of its own address, and the gateway believes the proxy', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { authorization: `Bearer wrong-${name}`, 'x-forwarded-for': '203.0.113.9' };
      const options = { ca: site.authority, localAddress: '127.0.0.2', agent: false as const, headers };
      request(`${site.url}/api/labs`, options, (answer) => resolve(answer.resume().statusCode))
        .on('error', reject)
        .end();
    });
    expect(status).toBe(401);
    const refused = await eventually(
      async () => (await browser.send('GET', '/api/security/refusals?address=127.0.0.2')).text,
      (text) => text.includes('127.0.0.2'),
    );
    expect(refused).not.toContain('203.0.113.9');
  });

  it('passes bodies on to the limits of the gateway, and refuses none by itself', async () => {
    const large = { ...multiply('large'), meta: { text: 'x'.repeat(2 * 1024 ** 2) } };
    const answer = await browser.send('POST', '/api/tasks', large);
    expect([answer.status, answer.text]).toEqual([413, expect.stringContaining('payload_too_large')]);
  });

  it('loses no request and no event while one gateway is stopped in order and the other is killed', async () => {
    const over = new AbortController();
    const wrong: string[] = [];
    let reads = 0;
    const read = (async () => {
      const reader = new Browser();
      for (; !over.signal.aborted; reads += 1) {
        const answer = await reader.send('GET', '/api/tasks?limit=1').catch((error: Error) => error);
        if (answer instanceof Error) wrong.push(answer.message);
        else if (answer.status !== 200) wrong.push(`${answer.status} ${answer.text}`);
        await delay(10);
      }
      reader.close();
    })();

    const submitted: string[] = [];
    let repeated = 0;
    const submit = (async () => {
      const writer = new Browser();
      for (let number = 1; !over.signal.aborted; number += 1) {
        const task = multiply(`${name} ${number}`);
        const key = randomUUID();
        for (;;) {
          const answer = await writer
            .send('POST', '/api/tasks', task, { 'idempotency-key': key })
            .catch(() => undefined);
          if (answer?.status === 201) break;
          repeated += 1;
          // A client repeats a request without an answer, with its key. Nothing else may happen to it.
          if (answer !== undefined && ![409, 502, 503, 504].includes(answer.status))
            throw new Error(`${answer.status} ${answer.text}`);
          await delay(100);
        }
        submitted.push(task.name);
        await delay(20);
      }
      writer.close();
    })();

    const heard = new Map<string, string>();
    let streams = 0;
    const twice: string[] = [];
    const end = new AbortController();
    const listen = (async () => {
      const listener = new Browser();
      let last = '0';
      while (!end.signal.aborted) {
        streams += 1;
        await listener.follow(
          last,
          (id, data) => {
            last = id;
            if (data === undefined) return;
            if (heard.has(id)) twice.push(id);
            heard.set(id, data);
          },
          end.signal,
        );
        await delay(50);
      }
      listener.close();
    })();

    const [first, second] = site.gateways;
    await delay(1_000);
    await first?.end('SIGTERM');
    await delay(1_000);
    await first?.start();
    await delay(1_000);
    await second?.end('SIGKILL');
    await delay(1_000);
    await second?.start();
    await delay(500);
    over.abort();
    await Promise.all([read, submit]);
    const told = (task: string): boolean => [...heard.values()].some((data) => data.includes(`"${task}"`));
    const unheard = await eventually(
      async () => submitted.filter((task) => !told(task)),
      (left) => left.length === 0,
      30_000,
    );
    end.abort();
    await listen;
    console.log(
      `${name}: ${reads} reads, ${submitted.length} submissions (${repeated} repeated), ${streams} streams`,
    );
    expect({ wrong, unheard, twice }).toEqual({ wrong: [], unheard: [], twice: [] });
    expect(streams).toBeGreaterThan(1);
    for (const task of submitted)
      expect([task, (await browser.send('GET', `/api/tasks/${encodeURIComponent(task)}`)).status]).toEqual([
        task,
        200,
      ]);
  });

  it('passes on the connection of an agent that joins through it, also after its gateway was killed', async () => {
    const program = join(root, 'apps', 'agent', 'dist', 'bundle', 'svc-agent.js');
    const data = site.path(`agent-${name}`);
    if (name !== Object.keys(proxies)[0])
      await site.svc('agent', 'revoke', 'bench_b', '--reason', 'the next proxy');
    const invited = await site.svc('agent', 'invite', 'bench_b', '--lab', 'multiplication_lab');
    const [, ...line] = /svc-agent (join \S+ \S+)/.exec(invited.out)?.[1]?.split(' ') ?? [];
    expect([invited.err, line.length]).toEqual(['', 2]);
    const env = { PATH: process.env['PATH'] };
    const run = (ready: string, ...args: string[]): Promise<ChildProcess> =>
      startProgram({
        ...{ name: 'svc-agent', command: process.execPath, args: [program, ...args, '--data', data], env },
        ...{ readyMs: 60_000, endSignal: 'SIGTERM' },
        onLine(text) {
          site.printed.push(`bench_b: ${text}`);
          return text.includes(ready);
        },
      });
    await run('Joined as bench_b', 'join', ...line, '--no-service');
    const agent = await run('"msg":"ready"', 'run');
    const works = async (): Promise<void> => {
      const device = '/api/rpc/multiplication_lab/multiplier_b/multiply';
      await eventually(
        () => browser.send('POST', device, { a: 6, b: 7 }).catch(() => undefined),
        (answer) => answer?.status === 200,
        60_000,
      );
    };
    try {
      await works();
      for (const gateway of site.gateways) {
        await gateway.end('SIGKILL');
        await works();
        await gateway.start();
      }
    } finally {
      await stopProgram(agent, 'SIGTERM', 30_000);
    }
  });
});
