import {
  orchestratorRequests,
  roleIncludes,
  roles,
  ServiceError,
  type Grant,
  type Role,
} from '@lab/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { agent, reservation } from '../color-lab-records.js';
import { campaignRecord, expectProblem, serviceEvent, startHarness, type Harness } from '../twins.js';
import { byTokens, headersOf } from '../tokens.js';
import { anyLab, labFilter, ownLabs, needExtension, type RouteNeed } from '../../src/access/needs.js';
import { recordKinds, type RecordKind } from '../../src/access/record-labs.js';

interface Operation {
  key: string;
  method: string;
  path: string;
  need: RouteNeed | undefined;
}

let gateway: Harness;
let operations: Operation[];

beforeAll(async () => {
  gateway = await startHarness({ limits: { wrongTokensPerMinute: Infinity } }, undefined, byTokens);
  // Without an answer, the gateway would retry an emergency stop for five seconds.
  gateway.requests.on(orchestratorRequests.engageStop, () => {
    throw new ServiceError('bad_request', 'no');
  });
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

/** Returns only the status, because the answer may be an endless stream. */
async function statusOf({ method, path, need }: Operation, headers: Record<string, string>): Promise<number> {
  const field =
    typeof need === 'object' && ![anyLab, labFilter].includes(need.lab ?? anyLab) ? need.lab : undefined;
  const body =
    field === undefined || method === 'GET' ? undefined : { [field]: field === 'lab_types' ? ['x'] : 'x' };
  const response = await fetch(`${gateway.url}${path}`, {
    method,
    // A session begins only from the page of the service.
    headers: {
      'sec-fetch-site': 'same-origin',
      'x-svc-page': '1',
      ...headers,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
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
const kindOf = ({ need }: Operation): RecordKind | undefined =>
  typeof need === 'object' ? need.of : undefined;

describe('every route of the document', () => {
  it('declares the role that it needs', () => {
    expect(keys(({ need }) => need === undefined)).toEqual([]);
    expect(operations.length).toBeGreaterThan(50);
  });

  it('refuses a caller without a token, except for the first page, the health routes and an exchange of tokens', async () => {
    const open = keys(({ need }) => need === 'nothing');
    expect(
      open.filter(
        (key) => !/^GET \/($|api\/health|health\/|metrics)/.test(key) && key !== 'POST /api/tokens/exchange',
      ),
    ).toEqual([]);
    // A setting alone opens the metrics, so their route checks the role itself.
    const closed = keys(({ need, key }) => need !== 'nothing' || key === 'GET /metrics');
    expect(await refused(undefined, () => true)).toEqual(closed);
  });

  it.each([`Bearer svc_pat_${'A'.repeat(43)}`, 'Bearer a.b.c', 'Basic YTpi'])(
    'refuses a caller with "%s" for a token',
    async (authorization) => {
      const answers = new Set<number>();
      for (const operation of operations) answers.add(await statusOf(operation, { authorization }));
      expect([...answers]).toEqual([401]);
    },
  );

  it.each(roles)('admits a %s to the routes of that role and refuses the others', async (role) => {
    const beyond = (operation: Operation): boolean => {
      const needed = needs(operation);
      return needed !== undefined && !roleIncludes(role, needed);
    };
    expect(await refused([{ role }], () => true)).toEqual(keys(beyond));
  });

  it('admits the role for its lab and refuses the role for another lab when it names a lab', async () => {
    const named = (operation: Operation): boolean =>
      ![undefined, anyLab, labFilter, ownLabs].includes(labOf(operation));
    expect(keys(named)).toEqual(
      expect.arrayContaining([
        'POST /api/rpc/{lab_id}/{device_id}/{function_name}',
        'POST /api/labs/{lab_id}/devices/{device_id}/disable',
        'POST /api/labs/{lab_id}/devices/{device_id}/enable',
        'GET /api/labs/{lab_id}',
        'POST /api/reservations',
        'POST /api/labs/load',
        'POST /api/labs/reload',
        'POST /api/labs/unload',
      ]),
    );
    expect(await refused([{ role: 'lab_admin', lab: 'x' }], named)).toEqual([]);
    expect(await refused([{ role: 'lab_admin', lab: 'y' }], named)).toEqual(keys(named));
  });

  it('refuses every role for one lab when it concerns no lab', async () => {
    const ofAll = (operation: Operation): boolean =>
      needs(operation) !== undefined && labOf(operation) === undefined && kindOf(operation) === undefined;
    expect(await refused([{ role: 'lab_admin', lab: 'x' }], ofAll)).toEqual(keys(ofAll));
  });

  it('admits a role for any lab where the answer or the orchestrator minds the labs of the caller', async () => {
    const any = (operation: Operation): boolean => labOf(operation) === anyLab;
    const needing = (role: Role): string[] => keys((each) => any(each) && needs(each) === role);
    expect(needing('viewer').sort()).toEqual([
      'GET /api/definitions/{type}/{name}',
      'GET /api/estop/{id}',
      'GET /api/packages/{package_name}/versions',
    ]);
    expect(needing('deployer').sort()).toEqual([
      'DELETE /api/packages/{package_name}/{sha256}',
      'POST /api/packages/{package_name}/activate',
      'PUT /api/packages/{package_name}/{sha256}',
    ]);
    expect(needing('dry_runner')).toEqual(['POST /api/packages/{package_name}/{sha256}/dry-run']);
    expect(needing('submitter').sort()).toEqual([
      'POST /api/campaigns',
      'POST /api/protocols',
      'POST /api/protocols/simulate',
      'POST /api/protocols/{protocol}/parameters',
      'POST /api/simulations',
      'POST /api/tasks',
    ]);
    const aboutCode = [...needing('dry_runner'), ...needing('deployer')];
    expect((await refused([{ role: 'operator', lab: 'y' }], any)).sort()).toEqual(aboutCode.sort());
    const ofDeployer = await refused([{ role: 'deployer', lab: 'y' }], any);
    expect(ofDeployer.filter((key) => aboutCode.includes(key))).toEqual([]);
    const ofDryRunner = await refused([{ role: 'dry_runner', lab: 'y' }], any);
    expect(ofDryRunner.filter((key) => aboutCode.includes(key)).sort()).toEqual(needing('deployer').sort());
    expect((await refused([{ role: 'viewer', lab: 'y' }], any)).sort()).toEqual(
      [...needing('submitter'), ...aboutCode, 'POST /api/estop'].sort(),
    );
  });

  it('lets the operator of any lab stop, and only an operator of all labs release', async () => {
    const stop = ({ key }: Operation): boolean => key === 'POST /api/estop';
    expect(await refused([{ role: 'operator', lab: 'y' }], stop)).toEqual([]);
    expect(await refused([{ role: 'submitter', lab: 'y' }, { role: 'submitter' }], stop)).toEqual(keys(stop));
    const release = ({ key }: Operation): boolean => key === 'POST /api/estop/release';
    expect(await refused([{ role: 'lab_admin', lab: 'y' }], release)).toEqual(keys(release));
  });

  it('needs the role that the interface promises', () => {
    const promised: Record<string, Role> = {
      'GET /api/tasks': 'viewer',
      'POST /api/tasks': 'submitter',
      'POST /api/campaigns/{campaign_name}/cancel': 'submitter',
      'POST /api/campaigns/{campaign_name}/archive': 'submitter',
      'POST /api/rpc/{lab_id}/{device_id}/{function_name}': 'operator',
      'POST /api/labs/{lab_id}/devices/{device_id}/disable': 'operator',
      'POST /api/labs/{lab_id}/devices/{device_id}/enable': 'operator',
      'POST /api/labs/{lab_id}/devices/{device_id}/restart': 'operator',
      'GET /api/reservations': 'viewer',
      'POST /api/reservations': 'operator',
      'POST /api/reservations/{id}/end': 'operator',
      'POST /api/attention/{id}/resolve': 'operator',
      'POST /api/attention/{id}/claim': 'operator',
      'DELETE /api/attention/{id}/claim': 'operator',
      'POST /api/estop': 'operator',
      'POST /api/resources/{resource_name}/reset': 'operator',
      'PATCH /api/resources/{resource_name}': 'operator',
      'POST /api/queue/pause': 'operator',
      'POST /api/labs/load': 'lab_admin',
      'POST /api/packages/refresh': 'admin',
      'PUT /api/packages/{package_name}/{sha256}': 'deployer',
      'POST /api/packages/{package_name}/activate': 'deployer',
      'POST /api/packages/{package_name}/{sha256}/dry-run': 'dry_runner',
      'GET /api/audit/verify': 'admin',
    };
    const asked = operations.filter(({ key }) => key in promised).map((each) => [each.key, needs(each)]);
    expect(Object.fromEntries(asked)).toEqual(promised);
  });
});

describe('a route about one record', () => {
  const about = (operation: Operation): boolean => kindOf(operation) !== undefined;
  const belongTo = (labs: string[] | undefined): void => {
    for (const kind of Object.keys(recordKinds))
      if (labs === undefined) gateway.records.labs.delete(`${kind}/x`);
      else gateway.records.labs.set(`${kind}/x`, labs);
    const agents = labs === undefined ? [] : [{ ...agent, computer: 'x', labs }];
    gateway.requests.on(orchestratorRequests.listAgents, () => ({ agents }));
    // A reservation has one lab: of several, the last.
    const reservations = (labs ?? []).slice(-1).map((lab) => ({ ...reservation, id: 'x', lab }));
    gateway.requests.on(orchestratorRequests.listReservations, () => ({ reservations }));
  };
  const answers = async (grants: Grant[]): Promise<Map<string, string>> => {
    const headers = await headersOf(gateway, 'ada', grants);
    const found = new Map<string, string>();
    for (const { key, method, path } of operations.filter(about)) {
      const { status, text } = await gateway.send(method, path, undefined, headers);
      found.set(key, `${status} ${text.replace(/"(instance|request_id)":"[^"]*"/g, '')}`);
    }
    return found;
  };
  /** The answer of the guard. A route itself reports what it does not find, by name or id. */
  const isHidden = (answer: string): boolean =>
    answer.startsWith('404') && answer.includes('in the laboratories for which');
  const hidden = (found: Map<string, string>): string[] =>
    [...found].flatMap(([key, answer]) => (isHidden(answer) ? [key] : []));
  afterEach(() => belongTo(undefined));

  it('is one of these', () => {
    expect(Object.keys(recordKinds).sort()).toEqual(
      [...new Set(operations.filter(about).map(kindOf))].sort(),
    );
    expect(keys(about).length).toBeGreaterThan(25);
  });

  it.each(['viewer', 'submitter', 'operator', 'lab_admin'] as const)(
    'admits a %s of its only lab to the routes of that role',
    async (role) => {
      belongTo(['x']);
      const beyond = (operation: Operation): boolean =>
        about(operation) && !roleIncludes(role, needs(operation) ?? 'admin');
      expect(await refused([{ role, lab: 'x' }], about)).toEqual(keys(beyond));
      expect(hidden(await answers([{ role, lab: 'x' }]))).toEqual([]);
    },
  );

  it.each<[string, string[] | undefined, Grant[]]>([
    ['of another lab', ['x'], [{ role: 'lab_admin', lab: 'y' }]],
    ['of that and another lab', ['x', 'y'], [{ role: 'lab_admin', lab: 'x' }]],
    ['of no lab', [], [{ role: 'lab_admin', lab: 'x' }]],
    ['that is not there', undefined, [{ role: 'lab_admin', lab: 'x' }]],
    [
      'of three labs, for two of which they have a role',
      ['x', 'y', 'z'],
      [
        { role: 'lab_admin', lab: 'x' },
        { role: 'lab_admin', lab: 'y' },
      ],
    ],
  ])('answers a role for another lab as if the record did not exist: %s', async (_, labs, grants) => {
    belongTo(labs);
    const found = await answers(grants);
    expect(hidden(found)).toEqual(keys(about));
    belongTo(undefined);
    expect(await answers(grants)).toEqual(found);
  });

  it('of several labs admits roles for each of them', async () => {
    belongTo(['x', 'y']);
    const grants: Grant[] = [
      { role: 'lab_admin', lab: 'x' },
      { role: 'operator', lab: 'y' },
      { role: 'viewer', lab: 'z' },
    ];
    expect(await refused(grants, about)).toEqual([]);
    expect(hidden(await answers(grants))).toEqual([]);
  });

  it('names the missing role to a caller who may read the record', async () => {
    belongTo(['x']);
    const headers = await headersOf(gateway, 'ada', [
      { role: 'viewer', lab: 'x' },
      { role: 'operator', lab: 'y' },
    ]);
    const reply = await gateway.send('POST', '/api/campaigns/x/cancel', undefined, headers);
    expectProblem(reply, 403, 'forbidden');
    expect(reply.body.detail).toBe(
      'This needs the role submitter for every laboratory that this belongs to; "ada" has viewer of x, operator of y.',
    );
  });

  it('is not looked up for callers with the role for all labs', async () => {
    const labsOf = vi.spyOn(gateway.records, 'labsOf');
    gateway.requests.sent.length = 0;
    for (const role of roles) await refused([{ role }], about);
    expect(labsOf).not.toHaveBeenCalled();
    labsOf.mockRestore();
  });

  it('is refused when its labs are unknown', async () => {
    const labsOf = vi
      .spyOn(gateway.records, 'labsOf')
      .mockRejectedValue(new ServiceError('store_unavailable', 'gone'));
    const headers = await headersOf(gateway, 'ada', [{ role: 'viewer', lab: 'x' }]);
    expectProblem(
      await gateway.send('GET', '/api/campaigns/x', undefined, headers),
      503,
      'store_unavailable',
    );
    labsOf.mockRestore();
  });
});

describe('a list of records that belong to labs', () => {
  const lists = (): Operation[] => operations.filter((operation) => labOf(operation) === labFilter);
  /** The answer of each list and, for those that read the database, the labs to which the query was limited. */
  const ask = async (grants: Grant[], query: string): Promise<{ statuses: number[]; within: unknown[] }> => {
    const read = vi.spyOn(gateway.records, 'list');
    const headers = await headersOf(gateway, 'ada', grants);
    const statuses: number[] = [];
    for (const operation of lists())
      statuses.push(await statusOf({ ...operation, path: `${operation.path}${query}` }, headers));
    const within = read.mock.calls.map(([, request]) => request.within);
    read.mockRestore();
    return { statuses: [...new Set(statuses.map((status) => (isRefused(status) ? status : 0)))], within };
  };
  const viewer: Grant[] = [{ role: 'viewer', lab: 'x' }];

  it('is one of these', () => {
    const promised = [
      'GET /api/protocols',
      'GET /api/campaigns',
      'GET /api/tasks',
      'GET /api/attempts',
      'GET /api/files',
      'GET /api/attention',
      'GET /api/estop',
      'GET /api/agents',
      'GET /api/resources',
      'GET /api/devices',
      'GET /api/definitions',
      'GET /api/queue',
      'GET /api/schedule',
      'GET /api/logs',
      'GET /api/logs/stream',
    ];
    expect(lists().map(({ key }) => key)).toEqual(expect.arrayContaining(promised));
  });

  it.each(['', '?lab=', '?lab=y', '?lab=X', '?lab=x,y', '?lab=x&lab=x', '?lab[]=x'])(
    'refuses a role for one lab with "%s"',
    async (query) => {
      expect(await ask(viewer, query)).toEqual({ statuses: [403], within: [] });
    },
  );

  it('shows a role for one lab, with the filter, only the records of the labs of the caller', async () => {
    const { statuses, within } = await ask([...viewer, { role: 'operator', lab: 'y' }], '?lab=x');
    expect(statuses).toEqual([0]);
    expect(within.length).toBeGreaterThanOrEqual(5);
    expect(within).toEqual(within.map(() => ['x', 'y']));
  });

  it('shows a role for all labs everything, with the filter and without', async () => {
    for (const query of ['', '?lab=x']) {
      const { statuses, within } = await ask([...viewer, { role: 'viewer' }], query);
      expect([statuses, within]).toEqual([[0], within.map(() => undefined)]);
      expect(within.length).toBeGreaterThanOrEqual(5);
    }
  });

  it('declares its filter', async () => {
    const headers = await headersOf(gateway, 'ada', viewer);
    const { body } = await gateway.send('GET', '/api/campaigns', undefined, headers);
    expect(body.detail).toBe(
      'This needs the role viewer for all laboratories, or for the one that ?lab= names; "ada" has viewer of x.',
    );
  });

  it('hides records that also belong to other labs', async () => {
    gateway.records.campaignList.push(campaignRecord({ name: 'own' }), campaignRecord({ name: 'shared' }));
    gateway.records.labs.set('campaign/own', ['x']).set('campaign/shared', ['x', 'y']);
    const headers = await headersOf(gateway, 'ada', viewer);
    const { body } = await gateway.send('GET', '/api/campaigns?lab=x', undefined, headers);
    expect(body.items).toMatchObject([{ name: 'own' }]);
    gateway.records.campaignList.length = 0;
    gateway.records.labs.clear();
  });

  it('hides agents of computers that also belong to other labs, or to none', async () => {
    const agents = [['x'], ['x', 'y'], ['y'], []].map((labs, index) => ({
      ...agent,
      computer: `bench_${index}`,
      labs,
    }));
    gateway.requests.on(orchestratorRequests.listAgents, () => ({ agents }));
    const seen = async (grants: Grant[], query: string): Promise<unknown> => {
      const headers = await headersOf(gateway, 'ada', grants);
      const { body } = await gateway.send('GET', `/api/agents${query}`, undefined, headers);
      return (body.items as { computer: string }[]).map(({ computer }) => computer);
    };
    expect(await seen(viewer, '?lab=x')).toEqual(['bench_0']);
    expect(await seen([...viewer, { role: 'viewer', lab: 'y' }], '?lab=x')).toEqual(['bench_0', 'bench_1']);
    expect(await seen([{ role: 'viewer' }], '')).toHaveLength(4);
  });

  it('streams no events of them either', async () => {
    gateway.events.events.push(
      ...[['x'], ['x', 'y'], ['y'], []].map((labs, index) => serviceEvent({ id: index + 1, body: { labs } })),
    );
    const headers = await headersOf(gateway, 'ada', viewer);
    const leaving = new AbortController();
    const reply = await fetch(`${gateway.url}/api/events?lab=x&after=0`, { headers, signal: leaving.signal });
    let text = '';
    const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
    while (!text.includes('id: 4')) text += (await reader?.read())?.value ?? '';
    leaving.abort();
    expect([...text.matchAll(/"labs":(\[[^\]]*\])/g)].map(([, labs]) => labs)).toEqual(['["x"]']);
    gateway.events.events.length = 0;
  });
});

describe('a lab in a request body', () => {
  it.each([
    [{ lab_types: ['a', 'b'] }],
    [{ lab_types: [] }],
    [{ lab_types: ['a', 7] }],
    [{ lab_types: { 0: 'a' } }],
    [{}],
    [['a']],
    ['a'],
    [null],
  ])('cannot be %j: a role for one lab is not enough', async (body) => {
    const headers = await headersOf(gateway, 'ada', [{ role: 'lab_admin', lab: 'a' }]);
    const reply = await gateway.send('POST', '/api/labs/load', JSON.stringify(body), headers);
    expect([reply.status, reply.body.code]).toEqual([403, 'forbidden']);
  });

  it('leads to an error that names the missing role', async () => {
    const headers = await headersOf(gateway, 'ada', [{ role: 'operator', lab: 'a' }]);
    const reply = await gateway.send('POST', '/api/labs/load', { lab_types: ['a'] }, headers);
    expect(reply.body.detail).toBe(
      'This needs the role lab_admin for the laboratory "a"; "ada" has operator of a.',
    );
  });
});
