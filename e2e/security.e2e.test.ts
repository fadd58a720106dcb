import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startServiceStack, type Stack } from '@lab/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';

const run = promisify(execFile);
const svc = fileURLToPath(new URL('../apps/cli/bin/svc.mjs', import.meta.url));

let stack: Stack;

beforeAll(async () => {
  stack = await startServiceStack({ env: { SVC_LABS: 'multiplication_lab', SVC_AUTH: 'tokens' } });
});
afterAll(() => stack?.dispose());

/** What a command of the guide prints, typed by somebody with this token. */
async function typed(token: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, SVC_DATA_DIR: stack.dataDir, SVC_URL: stack.url, SVC_TOKEN: token };
  return (await run(process.execPath, [svc, ...args], { env })).stdout.trim();
}

const asked = async (
  token: string,
  path: string,
  method = 'GET',
  body?: object,
): Promise<[number, never]> => {
  const response = await fetch(`${stack.url}${path}`, {
    method,
    headers: {
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return [response.status, (await response.json()) as never];
};

it('Authentication 1: each request carries a token, which is made, used and revoked as the guide says', async () => {
  expect((await asked('', '/api/me'))[0]).toBe(401);
  const root = await typed('', 'token', 'create', 'root', '--role', 'admin', '--local');
  expect(root).toMatch(/^svc_pat_[\w-]{43}$/);
  expect(await asked(root, '/api/me')).toEqual([
    200,
    { name: 'root', kind: 'token', grants: [{ role: 'admin' }] },
  ]);

  const ada = await typed(root, 'token', 'create', 'ada', '--role', 'submitter', '--days', '30');
  const eve = await typed(
    root,
    'token',
    'create',
    'eve',
    '--role',
    'submitter',
    'operator:multiplication_lab',
  );
  const list = await typed(root, 'token', 'list');
  expect(list).toContain('operator:multiplication_lab');
  expect(list).not.toContain(ada);

  const run = { name: 'of_eve', type: 'multiplication', owner: 'eve' };
  expect((await asked(ada, '/api/protocols', 'POST', run))[0]).toBe(403);
  expect((await asked(ada, '/api/queue/pause', 'POST', {}))[0]).toBe(403);
  expect(
    (await asked(ada, '/api/rpc/multiplication_lab/multiplier_a/multiply', 'POST', { a: 2, b: 3 }))[0],
  ).toBe(403);

  const [{ id }] = JSON.parse(await typed(eve, 'token', 'list', '--json')) as [{ id: string }];
  expect(await typed(eve, 'token', 'revoke', id)).toContain('revoked');
  expect((await asked(eve, '/api/me'))[0]).toBe(401);

  const [verified, check] = await asked(root, '/api/audit/verify');
  expect([verified, check]).toMatchObject([200, { broken: null }]);
  expect((check as { entries: number }).entries).toBeGreaterThan(4);
});
