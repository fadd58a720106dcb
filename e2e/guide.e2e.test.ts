import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync, type Dirent } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NewWebhookRecord, Page, Principal, Problem, ResourceRecord, TokenRecord } from '@lab/contracts';
import { startServiceStack, type Stack } from '@lab/testkit';
import { isSignedBy, startReceiver, type Receiver } from '../apps/gateway/test/receiver.js';
import { Api, eventually, isOver } from './api.js';
import { GuideShell, type GuideShellOptions } from './guide-commands.js';

/**
 * Follows the pages of the guide about the interface, in order, on a service that requires tokens and that other
 * computers can reach. The printed commands must do what the pages say.
 */

const page = (name: string): string => `docs/guide/${name}.md`;

/** An address of this computer outside of loopback. Without a network, an address to which no name leads. */
const address =
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.2';

let shell: GuideShell;
let stack: Stack;
let receiver: Receiver;
let api: Api;
let admin: string;

/** A service that others reach, without the proxy that the security page puts before it. */
const reached = { SVC_AUTH: 'tokens', SVC_HTTP_HOST: '0.0.0.0' };

beforeAll(async () => {
  shell = new GuideShell();
  receiver = await startReceiver();
  const config = join(shell.folder, 'config.yml');
  writeFileSync(config, `webhooks: { allow: [127.0.0.1], http: true, ports: [${receiver.port}] }\n`);
  const env = { ...reached, SVC_CONFIG: config, SVC_LABS: 'color_lab,multiplication_lab' };
  stack = await startServiceStack({ env });
  const { printed } = await shell.typed('svc token create root --role admin --local', {
    env: { SVC_DATA_DIR: stack.dataDir },
    instead: {},
  });
  admin = printed.trim();
  expect(admin).toMatch(/^svc_pat_[\w-]{43}$/);
  api = new Api(stack.url, admin);
  await eventually(
    () => api.devices(),
    (devices) =>
      devices.filter(({ computer }) => computer === 'svc_computer').every(({ state }) => state === 'idle'),
  );
});
afterAll(async () => {
  await stack?.dispose();
  await receiver?.close();
  shell?.dispose();
});

/** Runs a command as the admin on the computer of the service. */
const here = (more: Partial<GuideShellOptions> = {}): GuideShellOptions => ({
  instead: { 'http://127.0.0.1:8070': stack.url, ...more.instead },
  env: { SVC_URL: stack.url, SVC_TOKEN: admin, SVC_DATA_DIR: stack.dataDir },
  ...(more.token === undefined ? {} : { token: more.token }),
});

const me = async (token: string): Promise<[number, Principal]> => {
  const { status, body } = await new Api(stack.url, token).call<Principal>('GET', '/api/me');
  return [status, body];
};

describe('the guide', { timeout: 400_000 }, () => {
  it('is beside the OpenAPI document, which describes every schema that it names', async () => {
    const { status, body } = await api.call<{ paths: object; components: { schemas: object } }>(
      'GET',
      '/docs-json',
    );
    expect(status).toBe(200);
    expect(body.paths).toHaveProperty('/api/tasks');
    const names = [...JSON.stringify(body).matchAll(/"#\/components\/schemas\/([^"]+)"/g)];
    expect(names.length).toBeGreaterThan(100);
    for (const [, name = ''] of names) expect(body.components.schemas).toHaveProperty([name]);
  });

  it('REST: the commands do what the page says', async () => {
    expect(await shell.follow(page('rest'), here({ token: admin }))).toEqual({
      typed: 13,
      compared: 13,
      left: [],
    });
    const again = await eventually(() => api.run('first_mix_2'), isOver);
    expect(again).toMatchObject({ state: 'cancelled', priority: 5 });
  });

  it('events: the commands do what the page says', async () => {
    const instead = { 'https://receiver.example.org/lab': receiver.url };
    expect(await shell.follow(page('events'), here({ token: admin, instead }))).toEqual({
      typed: 5,
      compared: 1,
      left: [],
    });
    const { secret } = JSON.parse(
      readFileSync(join(shell.folder, 'events', 'webhook.json'), 'utf8'),
    ) as NewWebhookRecord;
    const [ping] = receiver.received;
    expect(ping?.event.type).toBe('webhook.ping');
    expect(ping !== undefined && isSignedBy(secret, ping)).toBe(true);
  });

  it('files: the commands do what the page says', async () => {
    expect(await shell.follow(page('files'), here({ token: admin }))).toMatchObject({ typed: 3, left: [] });
    expect(readFileSync(join(shell.folder, 'files', 'spectrum.csv'), 'utf8')).toContain(',');
    for (const name of ['two_mixes.zip', 'by_svc.zip']) {
      const archive = readFileSync(join(shell.folder, 'files', name), 'latin1');
      expect(archive).toContain('two_mixes_run_1/analyze_color/spectrum.csv');
    }
  });

  it('command line: the commands do what the page says', async () => {
    expect(await shell.follow(page('command-line'), here())).toEqual({ typed: 12, compared: 10, left: [] });
    const record = JSON.parse(
      readFileSync(join(shell.folder, 'command-line', 'paint_again_2.json'), 'utf8'),
    ) as object;
    expect(record).toMatchObject({ name: 'paint_again_2', state: 'completed' });
  });

  it('security: the commands do what the page says, and another computer submits with its own token', async () => {
    const { printed: ada } = await shell.typed('svc token create ada --role submitter', here());
    const { printed: old } = await shell.typed('svc token create old --role viewer --json', here());
    const { id, token: revoked } = JSON.parse(old) as TokenRecord & { token: string };
    const local = { 'http://127.0.0.1:8070': stack.url, '5f1c1f2e-6d0e-4a5c-9a54-0b4f5a4f7f10': id };
    const { port } = new URL(stack.url);
    const remote = { 'https://lab-server': `http://${address}:${port}`, 'svc_pat_...': ada.trim() };
    expect(await me(revoked)).toMatchObject([200, { name: 'old' }]);
    const followed = await shell.follow(page('security'), here({ instead: { ...local, ...remote } }));
    expect(followed).toMatchObject({ typed: 7, compared: 3 });
    expect(followed.left).toHaveLength(1);
    expect((await me(revoked))[0]).toBe(401);
    expect(await api.task('from_afar')).toMatchObject({ state: 'completed', owner: 'ada' });
  });
});

describe('a service that requires tokens', () => {
  const asked = async (token: string, method: string, path: string, body?: object) =>
    (await new Api(stack.url, token).call(method, path, body)).status;

  it('Authentication 1: each request carries a token, which people create, use and revoke', async () => {
    expect(await asked('', 'GET', '/api/me')).toBe(401);
    expect(await me(admin)).toEqual([200, { name: 'root', kind: 'token', grants: [{ role: 'admin' }] }]);
    const typed = async (token: string, command: string): Promise<string> => {
      const env = { SVC_URL: stack.url, SVC_TOKEN: token };
      return (await shell.typed(command, { env, instead: {} })).printed.trim();
    };
    const bea = await typed(admin, 'svc token create bea --role submitter --days 30');
    const eve = await typed(
      admin,
      'svc token create eve --role submitter --role operator:multiplication_lab',
    );
    const list = await typed(admin, 'svc token list');
    expect(list).toContain('operator:multiplication_lab');
    expect(list).not.toContain(bea);

    const run = { name: 'of_eve', type: 'slow_multiplication', owner: 'eve' };
    expect(await asked(bea, 'POST', '/api/protocols', run)).toBe(403);
    expect(await asked(bea, 'POST', '/api/queue/pause', {})).toBe(403);
    const call = '/api/rpc/multiplication_lab/multiplier_a/multiply';
    expect(await asked(bea, 'POST', call, { a: 2, b: 3 })).toBe(403);
    expect(await asked(eve, 'POST', call, { a: 2, b: 3 })).toBe(200);

    const [{ id }] = JSON.parse(await typed(eve, 'svc token list --json')) as [TokenRecord];
    expect(await typed(eve, `svc token revoke ${id}`)).toContain('revoked');
    expect(await asked(eve, 'GET', '/api/me')).toBe(401);

    const { body } = await api.call('GET', '/api/audit/verify');
    expect(body).toMatchObject({ broken: null, entries: expect.any(Number) as number });
  });

  it('Authentication 2: without tokens, no service starts where other computers can reach it', async () => {
    const files = {
      SVC_NATS_URL: 'nats-url',
      SVC_DATABASE_URL: 'database-gateway-url',
      SVC_UPLOAD_SECRET: 'upload-secret',
      SVC_SECRETS_KEY: 'secrets-key',
      SVC_ACT_KEY: 'act-key',
    };
    const secrets = Object.entries(files).map(([variable, name]) => [
      `${variable}_FILE`,
      join(stack.dataDir, 'secrets', name),
    ]);
    const env = { ...Object.fromEntries(secrets), SVC_HTTP_HOST: '0.0.0.0', SVC_HTTP_PORT: '0' };
    const { code, printed } = await shell.typed('svc gateway', { env, instead: {} });
    expect([code, printed]).toEqual([1, expect.stringContaining('SVC_HTTP_HOST')]);
  });

  it('Authentication 3: a role for one laboratory reaches the records of that laboratory and nothing else', async () => {
    const made = await api.call<TokenRecord & { token: string }>('POST', '/api/tokens', {
      name: 'mia',
      grants: [{ role: 'operator', lab: 'multiplication_lab' }],
    });
    const mia = new Api(stack.url, made.body.token);
    expect(
      await api.submit('protocols', {
        name: 'run_of_root',
        type: 'slow_multiplication',
        parameters: { wait: { seconds: 60 } },
      }),
    ).toMatchObject({ status: 201 });
    const task = await api.submit('tasks', {
      name: 'task_of_root',
      type: 'multiply',
      devices: { multiplier: { lab_name: 'multiplication_lab', name: 'multiplier_a' } },
      input_parameters: { number: 6, factor: 7 },
    });
    expect(task.status).toBe(201);
    const { id } = await api.task('task_of_root');
    for (const path of [
      'tasks/task_of_root',
      `task-runs/${id}`,
      'protocols/run_of_root',
      'labs/multiplication_lab',
    ])
      expect([path, (await mia.call('GET', `/api/${path}`)).status]).toEqual([path, 200]);
    const listed = (await mia.call<Page<{ name: string }>>('GET', '/api/tasks?lab=multiplication_lab')).body
      .items;
    expect(listed.map(({ name }) => name)).toEqual(expect.arrayContaining(['task_of_root', 'wait']));
    expect(await asked(made.body.token, 'GET', '/api/tasks')).toBe(403);
    expect(await asked(made.body.token, 'GET', '/api/tasks?lab=color_lab')).toBe(403);
    expect((await mia.call('POST', '/api/protocols/run_of_root/cancel')).status).toBe(202);

    const [beaker] = (await api.call<Page<ResourceRecord>>('GET', '/api/resources?lab=color_lab')).body.items;
    const hidden = await mia.call<Problem>('GET', `/api/resources/${encodeURIComponent(beaker?.name ?? '')}`);
    const absent = await mia.call<Problem>('GET', '/api/resources/nothing');
    expect([hidden.status, hidden.body.detail]).toEqual([404, absent.body.detail]);
    expect(await asked(made.body.token, 'GET', '/api/labs/color_lab')).toBe(403);
  });
});

describe('after all commands of the guide', () => {
  const canary = `canary-${randomUUID()}`;

  /** Secrets by name. Only their owners may know them. */
  function secrets(): Map<string, string> {
    const folder = join(stack.dataDir, 'secrets');
    const kept = readdirSync(folder).flatMap((name): [string, string][] => {
      const text = readFileSync(join(folder, name), 'utf8').trim();
      const secret = URL.canParse(text) ? new URL(text).password : text;
      return secret.length < 8 ? [] : [[`secrets/${name}`, secret]];
    });
    expect(kept.length).toBeGreaterThanOrEqual(4);
    const { secret } = JSON.parse(
      readFileSync(join(shell.folder, 'events', 'webhook.json'), 'utf8'),
    ) as NewWebhookRecord;
    return new Map([
      ...kept,
      ['a token', admin],
      ['the secret of a webhook', secret],
      ['the canary', canary],
    ]);
  }

  /** The names of the secrets that occur in a text. The texts themselves are not shown. */
  const leaksOf = (place: string, text: Buffer | string, known: Map<string, string>): string[] =>
    [...known].flatMap(([name, secret]) => (text.includes(secret) ? [`${name} in ${place}`] : []));

  it('no log, record, file, answer or process argument contains a secret', async () => {
    const bearer = new Api(stack.url, canary);
    await bearer.call('GET', '/api/me');
    await bearer.call('POST', '/api/tasks', `{"name": "x", "token": "${canary}`);
    await api.call('POST', '/api/tasks', `{"name": "x", "token": "${canary}`);
    await api.call('POST', '/api/tasks', { name: 'x', type: 'score_color', token: canary });
    await api.call('PUT', `/api/uploads/${canary}`, 'x');
    await api.call('GET', `/api/downloads/${canary}`);
    await api.call('GET', `/api/tasks?token=${canary}`);
    await api.call('GET', `/api/me?access_token=${canary}`);
    await api.call('POST', `/api/tasks/first_mix/cancel?access_token=${canary}`);
    await api.call('POST', '/api/webhooks', { url: `https://ada:${canary}@example.org/` });

    const known = secrets();
    const leaks = leaksOf('what the service printed', stack.output(), known);
    const own = join(stack.dataDir, 'secrets');
    // The broker reads its password from its configuration file, which only its owner can read.
    const broker = join(stack.dataDir, 'nats', 'server.conf');
    expect(statSync(broker).mode & 0o077).toBe(0);
    for (const path of filesBelow(stack.dataDir)) {
      if (path.startsWith(own) || path === broker) continue;
      const content = await readFile(path).catch(() => '' /* The file was removed in the meantime. */);
      leaks.push(...leaksOf(relative(stack.dataDir, path), content, known));
    }
    const { body } = await api.call<{ paths: Record<string, object> }>('GET', '/docs-json');
    for (const [path, operations] of Object.entries(body.paths)) {
      if (!('get' in operations) || /[{]|stream|events$/.test(path)) continue;
      const { body } = await api.call('GET', path);
      leaks.push(...leaksOf(`GET ${path}`, JSON.stringify(body), known));
    }
    for (const [pid, command] of argumentsBelow(stack.pid))
      leaks.push(...leaksOf(`the arguments of process ${pid}`, command, known));
    expect(leaks).toEqual([]);
  });
});

/** The files of a folder and of all folders below it. The service may remove some meanwhile. */
function filesBelow(folder: string): string[] {
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : entry.isFile() ? [path] : [];
  });
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** The command lines of a process and its descendants, as every user of the computer sees them. */
function argumentsBelow(root: number): Map<number, string> {
  const listed = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  const processes = listed.split('\n').flatMap((line) => {
    const [, pid, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s(.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
  });
  const found = new Map<number, string>();
  const visit = (parent: number): void =>
    processes
      .filter((each) => each.parent === parent || each.pid === parent)
      .filter(({ pid }) => !found.has(pid))
      .forEach(({ pid, command }) => {
        found.set(pid, command);
        visit(pid);
      });
  visit(root);
  return found;
}
