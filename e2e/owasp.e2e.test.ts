import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Problem } from '@lab/contracts';
import type { Api } from './api.js';
import { type Answer } from './api.js';
import { startLab, type Lab } from './lab.js';

/**
 * The risks of the OWASP API Security Top 10 (2023) that are visible from outside without tokens. The table in
 * docs/guide/security.md lists the tests of the other risks.
 */

const dashboard = 'https://dashboard.example.org';

let folder: string;
let lab: Lab;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'owasp-'));
  const config = join(folder, 'config.yml');
  await writeFile(
    config,
    `limits: { changes_per_s: 20, max_queued_per_owner: 3 }\ncors: { origins: ['${dashboard}'] }\n`,
  );
  lab = await startLab(['color_lab'], { env: { SVC_CONFIG: config } });
});
afterAll(async () => {
  await lab?.stack.dispose();
  await rm(folder, { recursive: true, force: true });
});

const score = {
  type: 'score_color',
  input_parameters: { red: 1, green: 2, blue: 3, target_red: 1, target_green: 2, target_blue: 3 },
};

/** Time after which the limit of changes permits a request again. */
const limitPassed = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1_000));

/** Repeats a request until the limit of changes permits it, because these tests are not about that limit. */
async function send<T extends object = Problem>(
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer<T>> {
  for (;;) {
    const answer = await lab.api.call<T>(method, path, body);
    if (answer.status !== 429 || !('code' in answer.body) || answer.body.code !== 'too_many_requests')
      return answer;
    await limitPassed();
  }
}

describe('3 broken object property level authorization', () => {
  it.each([
    ['state', 'completed'],
    ['id', '0190c0de-0000-7000-8000-000000000001'],
    ['output_parameters', { score: 100 }],
    ['definition_hash', 'x'],
    ['attempt', 3],
    ['created_at', '2020-01-01T00:00:00.000Z'],
  ])('a submission cannot set %s of a task', async (field, value) => {
    const { status, body } = await send('POST', '/api/tasks', { ...score, name: 'mass', [field]: value });
    expect([status, body.code]).toEqual([422, 'invalid']);
    expect(body.errors).toContainEqual(expect.objectContaining({ path: field }));
    expect((await lab.api.call('GET', '/api/tasks/mass')).status).toBe(404);
  });

  it.each(['__proto__', 'constructor'])('a key named %s changes no object of the service', async (key) => {
    const text = `{"name": "proto", "type": "score_color", "input_parameters": {"${key}": {"red": 1}}}`;
    const { status } = await send('POST', '/api/tasks', text);
    expect(status).toBe(422);
  });
});

describe('4 unrestricted resource consumption', () => {
  it('a body of 10 MB is refused before the service reads all of it', async () => {
    const { port } = new URL(lab.api.url);
    const socket = connect(Number(port), '127.0.0.1');
    const answer = await new Promise<string>((resolve, reject) => {
      socket.on('error', reject);
      socket.on('data', (data) => resolve(String(data)));
      socket.write(
        'POST /api/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10000000\r\n\r\n{',
      );
    });
    socket.destroy();
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('a document of 10,000 keys, or one that multiplies itself, delays no other request', async () => {
    const keys = Array.from({ length: 10_000 }, (_, index) => `key_${index}: ${index}`).join('\n');
    const lists = ['a: &a [x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 9; level += 1) {
      const [own, before] = [String.fromCharCode(97 + level), String.fromCharCode(96 + level)];
      lists.push(`${own}: &${own} [${Array.from({ length: 9 }, () => `*${before}`).join(', ')}]`);
    }
    for (const text of [keys, lists.join('\n')]) {
      const begin = performance.now();
      const { status } = await send('POST', '/api/protocols/validate', { protocol_yaml: text });
      expect(status).toBeLessThan(500);
      expect(performance.now() - begin).toBeLessThan(5_000);
    }
    expect((await lab.api.call('GET', '/health/ready')).status).toBe(200);
  });

  it('a list has at most 500 entries, whatever limit the request names', async () => {
    expect((await send('GET', '/api/tasks?limit=500')).status).toBe(200);
    expect((await send('GET', '/api/tasks?limit=501')).status).toBe(422);
    expect((await send('GET', '/api/tasks?limit=1000000')).status).toBe(422);
  });

  it('a client that changes too much too fast is told when to retry and can still stop the machines', async () => {
    const answers = await Promise.all(
      Array.from({ length: 80 }, () => lab.api.call<Problem>('POST', '/api/tasks/nothing/cancel')),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(20);
    for (const { headers, body } of refused) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(body).toMatchObject({ code: 'too_many_requests', effect: 'none' });
    }
    expect(answers.filter(({ status }) => status === 404).length).toBeGreaterThan(20);
    expect((await lab.api.call('POST', '/api/estop', { by: 'ada', reason: 'test' })).status).toBe(201);
    expect((await send('POST', '/api/estop/release', { by: 'ada' })).status).toBe(200);
  });
});

describe('6 unrestricted access to sensitive business flows', () => {
  it('a user who submits without end fills only their share of the queue, and others can submit', async () => {
    const submit = (name: string, owner: string): Promise<Answer<Problem>> =>
      send('POST', '/api/tasks', { ...score, name, owner });
    expect((await send('POST', '/api/queue/pause', { by: 'ada' })).status).toBe(202);
    const waiting = ['flood_1', 'flood_2', 'flood_3'];
    for (const name of waiting) expect((await submit(name, 'mallory')).status).toBe(201);
    const { status, headers, body } = await submit('flood_4', 'mallory');
    expect([status, body.code, body.effect]).toEqual([429, 'backlog_full', 'none']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(body.detail).toContain('3 tasks of "mallory" are waiting already');
    expect((await submit('of_bob', 'bob')).status).toBe(201);
    for (const name of [...waiting, 'of_bob'])
      expect((await send('POST', `/api/tasks/${name}/cancel`)).status).toBe(202);
    expect((await submit('flood_4', 'mallory')).status).toBe(201);
    expect((await send('POST', '/api/tasks/flood_4/cancel')).status).toBe(202);
    expect((await send('POST', '/api/queue/resume', { by: 'ada' })).status).toBe(202);
  });
});

describe('7 server side request forgery', () => {
  const create = (url: string): Promise<Answer<Problem>> => send('POST', '/api/webhooks', { url });

  it.each([
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://10.0.0.1/',
    'https://192.168.1.1/',
    'https://[fd00::1]/',
    'http://example.org/',
    'https://example.org:22/',
    'https://ada:secret@example.org/',
    'file:///etc/passwd',
  ])('a webhook to %s is refused', async (url) => {
    const { status, body } = await create(url);
    expect([status, body.code]).toEqual([422, 'invalid']);
    expect(body.errors).toMatchObject([{ path: 'url' }]);
  });

  it('the service sends nothing to a name that resolves to this computer', async () => {
    const made = await create('https://localhost/');
    expect(made.status).toBe(201);
    const path = `/api/webhooks/${(made.body as unknown as { id: string }).id}`;
    const { body } = await send<{ state: string; status: null; error: string }>('POST', `${path}/ping`);
    expect(body).toMatchObject({ state: 'given_up', status: null });
    expect(body.error).toContain('not on the public internet');
    await send('DELETE', path);
  });
});

describe('8 security misconfiguration', () => {
  it('every answer carries headers against other pages and does not name the server software', async () => {
    for (const path of ['/api/tasks', '/nothing', '/health/live', '/docs', '/api/tasks/%zz']) {
      const { headers } = await lab.api.call('GET', path);
      expect(Object.fromEntries(headers), path).toMatchObject({
        'content-security-policy': expect.stringContaining("frame-ancestors 'none'") as string,
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
      });
      for (const name of ['server', 'x-powered-by']) expect(headers.get(name)).toBeNull();
    }
  });

  it('no error shows a stack, a file or a query of the service', async () => {
    const answers = await Promise.all([
      lab.api.call('GET', '/api/tasks/%00'),
      lab.api.call('GET', `/api/tasks/${encodeURIComponent("' OR 1=1 --")}`),
      send('POST', '/api/tasks', '{"name": '),
      send('POST', '/api/rpc/color_lab/robot_arm/constructor', {}),
      send('POST', '/api/protocols/validate', { protocol_yaml: '{{#each x}}' }),
    ]);
    for (const { status, body } of answers) {
      expect(status).toBeLessThan(500);
      expect(JSON.stringify(body)).not.toMatch(/node_modules|\.js:\d+|\/dist\/|select .* from|svc\.v1/i);
    }
  });

  it('only named origins may send requests, and only to a name of this computer', async () => {
    const asking = (origin: string, host?: string) => rawStatus(lab.api, origin, host);
    expect(await asking(dashboard)).toBe(422);
    expect(await asking('https://evil.example.com')).toBe(403);
    expect(await asking('null')).toBe(403);
    expect(await asking(dashboard, 'rebound.example.com')).toBe(421);
  });
});

describe('9 improper inventory management', () => {
  it('the document names the version, and endpoints outside the document do not exist', async () => {
    const document = (await lab.api.call<{ info: { version: string }; paths: object }>('GET', '/docs-json'))
      .body;
    expect(document.info.version).toMatch(/^\d+$/);
    expect(Object.keys(document.paths).length).toBeGreaterThan(30);
    for (const path of ['/api/v0/tasks', '/debug', '/.env', '/actuator', '/api/internal', '/graphql'])
      expect((await lab.api.call('GET', path)).status).toBe(404);
  });
});

/** The status of an empty submission from a page of the given origin, after the limit of changes permits one. */
async function rawStatus(api: Api, origin: string, host?: string): Promise<number> {
  for (;;) {
    const status = await rawAnswer(api, origin, host);
    if (status !== 429) return status;
    await limitPassed();
  }
}

function rawAnswer({ url }: Api, origin: string, host = 'localhost'): Promise<number> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('data', (data) => {
      socket.destroy();
      resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(String(data))?.[1]));
    });
    const head = [
      `Host: ${host}`,
      `Origin: ${origin}`,
      'Content-Type: application/json',
      'Content-Length: 2',
    ];
    socket.write(`POST /api/tasks HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n{}`);
  });
}
