import { roles, type Grant, type Role } from '@lab/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHarness, type Harness } from '../../test/twins.js';
import { byTokens, headersOf } from '../../test/tokens.js';
import { needExtension, type RouteNeed } from './needs.js';

interface Operation {
  key: string;
  method: string;
  path: string;
  need: RouteNeed | undefined;
}

let gateway: Harness;
let operations: Operation[];

beforeAll(async () => {
  gateway = await startHarness({}, undefined, byTokens);
  const { paths } = (await gateway.send('GET', '/docs-json')).body as unknown as {
    paths: Record<string, Record<string, { [needExtension]?: RouteNeed }>>;
  };
  operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      key: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path: path.replace(/\{\w+\}/g, 'x'),
      need: operation[needExtension],
    })),
  );
});
afterAll(() => gateway.server.close());

/** Only the status: an answer may be a stream without an end. */
async function statusOf({ method, path, need }: Operation, headers: Record<string, string>): Promise<number> {
  const field = typeof need === 'object' ? need.lab : undefined;
  const body =
    field === undefined || method === 'GET' ? undefined : { [field]: field === 'lab_types' ? ['x'] : 'x' };
  const response = await fetch(`${gateway.url}${path}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  await response.body?.cancel();
  return response.status;
}

const isRefused = (status: number): boolean => status === 401 || status === 403;

async function refused(
  grants: Grant[] | undefined,
  of: (operation: Operation) => boolean,
): Promise<string[]> {
  const headers = grants === undefined ? {} : await headersOf(gateway, 'ada', grants);
  const found: string[] = [];
  for (const operation of operations.filter(of))
    if (isRefused(await statusOf(operation, { ...headers }))) found.push(operation.key);
  return found;
}

const keys = (of: (operation: Operation) => boolean): string[] => operations.filter(of).map(({ key }) => key);
const needs = ({ need }: Operation): Role | undefined => (typeof need === 'object' ? need.role : undefined);
const labOf = ({ need }: Operation): string | undefined => (typeof need === 'object' ? need.lab : undefined);

describe('every route of the document', () => {
  it('says what it needs', () => {
    expect(keys(({ need }) => need === undefined)).toEqual([]);
    expect(operations.length).toBeGreaterThan(50);
  });

  it('is closed to who shows no token, but those that tell whether the service works', async () => {
    const open = keys(({ need }) => need === 'nothing');
    expect(open.filter((key) => !/^GET \/(api\/health|health\/|metrics)/.test(key))).toEqual([]);
    // What is measured is open by a setting only, so its route asks by itself.
    const closed = keys(({ need, key }) => need !== 'nothing' || key === 'GET /metrics');
    expect(await refused(undefined, () => true)).toEqual(closed);
  });

  it.each([`Bearer svc_pat_${'A'.repeat(43)}`, 'Bearer a.b.c', 'Basic YTpi'])(
    'is closed to who shows "%s" for a token',
    async (authorization) => {
      const answers = new Set<number>();
      for (const operation of operations) answers.add(await statusOf(operation, { authorization }));
      expect([...answers]).toEqual([401]);
    },
  );

  it.each(roles)('asks of a %s for what they have, and refuses the rest', async (role) => {
    const beyond = (operation: Operation): boolean => {
      const needed = needs(operation);
      return needed !== undefined && roles.indexOf(needed) > roles.indexOf(role);
    };
    expect(await refused([{ role }], () => true)).toEqual(keys(beyond));
  });

  it('that is about a lab is open to the role for that lab, and closed to the role for another one', async () => {
    const ofLab = (operation: Operation): boolean => labOf(operation) !== undefined;
    expect(keys(ofLab)).toEqual(
      expect.arrayContaining([
        'POST /api/rpc/{lab_id}/{device_id}/{function_name}',
        'POST /api/labs/load',
        'POST /api/labs/reload',
        'POST /api/labs/unload',
        'POST /api/estop',
      ]),
    );
    expect(await refused([{ role: 'lab_admin', lab: 'x' }], ofLab)).toEqual([]);
    expect(await refused([{ role: 'lab_admin', lab: 'y' }], ofLab)).toEqual(keys(ofLab));
    const ofAll = (operation: Operation): boolean => needs(operation) !== undefined && !ofLab(operation);
    expect(await refused([{ role: 'lab_admin', lab: 'x' }], ofAll)).toEqual(keys(ofAll));
  });

  it('asks for the role that the interface promises', () => {
    const promised: Record<string, Role> = {
      'GET /api/tasks': 'viewer',
      'POST /api/tasks': 'submitter',
      'POST /api/campaigns/{campaign_name}/cancel': 'submitter',
      'POST /api/rpc/{lab_id}/{device_id}/{function_name}': 'operator',
      'POST /api/attention/{id}/resolve': 'operator',
      'POST /api/estop': 'operator',
      'POST /api/resources/{resource_name}/reset': 'operator',
      'POST /api/queue/pause': 'operator',
      'POST /api/labs/load': 'lab_admin',
      'POST /api/packages/refresh': 'admin',
      'GET /api/audit/verify': 'admin',
    };
    const asked = operations.filter(({ key }) => key in promised).map((each) => [each.key, needs(each)]);
    expect(Object.fromEntries(asked)).toEqual(promised);
  });
});

describe('a lab in a body', () => {
  it.each([
    [{ lab_types: ['a', 'b'] }],
    [{ lab_types: [] }],
    [{ lab_types: ['a', 7] }],
    [{ lab_types: { 0: 'a' } }],
    [{}],
    [['a']],
    ['a'],
    [null],
  ])('is not guessed from %j: a role for one lab is not enough', async (body) => {
    const headers = await headersOf(gateway, 'ada', [{ role: 'lab_admin', lab: 'a' }]);
    const reply = await gateway.send('POST', '/api/labs/load', JSON.stringify(body), headers);
    expect([reply.status, reply.body.code]).toEqual([403, 'forbidden']);
  });

  it('is told with the role that is missing', async () => {
    const headers = await headersOf(gateway, 'ada', [{ role: 'operator', lab: 'a' }]);
    const reply = await gateway.send('POST', '/api/labs/load', { lab_types: ['a'] }, headers);
    expect(reply.body.detail).toBe(
      'This needs the role lab_admin for the laboratory "a"; "ada" has operator of a.',
    );
  });
});
