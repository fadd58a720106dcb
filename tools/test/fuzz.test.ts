import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { csvFault } from '../fuzz/csv.js';
import { curlOf, shrunk } from '../fuzz/curl.js';
import type { Findings } from '../fuzz/findings.js';
import { judgeBy } from '../fuzz/judge.js';
import { everybody, grantsBy, isAllowed, type Grant } from '../fuzz/people.js';
import type { FuzzRequest, Given } from '../fuzz/request.js';
import { fuzz } from '../fuzz/run.js';
import type { Need, OpenApiDocument, OperationObject } from '../shared/openapi.js';

/** The fuzzer can fail: it accepts a server that follows its document, and counts each kind of violation. */

const ranks = ['viewer', 'submitter', 'operator', 'lab_admin', 'admin'];
const known = Object.entries(grantsBy('blue')).map(([label, grants], index) => ({
  label,
  name: `person_${index}`,
  grants,
  token: `svc_pat_${String(index).repeat(43)}`,
}));
const people = everybody(known, { 'a revoked token': `svc_pat_${'r'.repeat(43)}` });

const problem = {
  type: 'object',
  required: ['code'],
  properties: { code: { type: 'string' } },
};
const refusals = Object.fromEntries(
  [400, 401, 403, 404, 413, 415, 422].map((status) => [
    status,
    { content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } } },
  ]),
);
const operation = (need: Need, status: number, more: Partial<OperationObject> = {}): OperationObject => ({
  'x-needs': need,
  responses: {
    ...refusals,
    [status]: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } },
  },
  ...more,
});
const inBody = {
  requestBody: {
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Thing' },
        examples: { thing: { value: { name: 'thing' } } },
      },
    },
  },
};
const document: OpenApiDocument & { openapi: string } = {
  openapi: '3.1.0',
  info: { version: '1', description: '' },
  tags: [],
  paths: {
    '/open': { get: operation('nothing', 200) },
    '/me': { get: operation('identity', 200) },
    '/api/tasks': { post: operation({ role: 'submitter' }, 201, inBody) },
    '/api/tasks/{task_name}/cancel': { post: operation({ role: 'submitter', of: 'task' }, 202) },
    '/api/campaigns/{campaign_name}': { get: operation({ role: 'viewer', of: 'campaign' }, 200) },
    '/stop': { post: operation({ role: 'operator', lab: '*' }, 200) },
    '/labs/{lab_id}': { get: operation({ role: 'operator', lab: 'lab_id' }, 200) },
    '/secrets': { get: operation({ role: 'admin' }, 200) },
  },
  components: {
    schemas: {
      Problem: problem,
      Thing: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' }, owner: { type: 'string' } },
      },
    },
  },
};

interface Asked {
  key: string;
  path: string;
  name: string;
  grants: Grant[] | undefined;
  body: { name?: unknown } | undefined;
}

interface Answer {
  status: number;
  body: object;
}

/** The reply of a server that follows the document. */
function right({ key, path, name, grants, body }: Asked, owners: Map<string, string>): Answer {
  const refused = (status: number): Answer => ({ status, body: { code: 'refused' } });
  const has = (role: string, lab?: string): boolean =>
    grants?.some(
      (grant) =>
        ranks.indexOf(grant.role) >= ranks.indexOf(role) && (grant.lab === undefined || grant.lab === lab),
    ) === true;
  if (key === 'GET /open') return { status: 200, body: { name: 'open' } };
  if (grants === undefined) return refused(401);
  if (key === 'GET /me') return { status: 200, body: { name } };
  if (key === 'GET /secrets') return has('admin') ? { status: 200, body: { name: 'all' } } : refused(403);
  if (key.startsWith('GET /labs/')) {
    const lab = decodeURIComponent(key.slice('GET /labs/'.length));
    return has('operator', lab) ? { status: 200, body: { name: lab } } : refused(403);
  }
  if (key === 'POST /stop')
    return grants.some(({ role }) => ranks.indexOf(role) >= 2)
      ? { status: 200, body: { name: 'all' } }
      : refused(403);
  if (key.startsWith('GET /api/campaigns/'))
    return has('viewer', 'blue') ? { status: 200, body: { name: 'campaign' } } : refused(404);
  if (!has('submitter', key === 'POST /api/tasks' ? undefined : 'blue')) return refused(403);
  if (key === 'POST /api/tasks') {
    if (typeof body?.name !== 'string' || owners.has(body.name)) return refused(422);
    owners.set(body.name, name);
    return { status: 201, body: { name: body.name, owner: name } };
  }
  const task = /^POST \/api\/tasks\/([^/]+)\/cancel$/.exec(key)?.[1];
  const owner = task === undefined ? undefined : owners.get(decodeURIComponent(task));
  if (owner === undefined) return refused(404);
  return owner === name || has('operator', 'blue') ? { status: 202, body: { name: path } } : refused(403);
}

let server: Server | undefined;
afterEach(() => {
  server?.close();
  server?.closeAllConnections();
});

/** Runs the fuzzer against a server whose replies `wrong` replaces. */
async function found(
  wrong: (asked: Asked, answer: Answer) => Answer | undefined,
  wanted = 800,
): Promise<Findings> {
  const owners = new Map<string, string>();
  const answer = (request: IncomingMessage, text: string): Answer => {
    const person = known.find(({ token }) => request.headers.authorization === `Bearer ${token}`);
    const path = (request.url ?? '').split('?')[0] ?? '';
    const asked = {
      key: `${request.method === 'HEAD' ? 'GET' : (request.method ?? '')} ${path}`,
      path,
      name: person?.name ?? '',
      grants: person?.grants,
      body: bodyOf(text),
    };
    let usual: Answer;
    try {
      usual = right(asked, owners);
    } catch {
      usual = { status: 400, body: { code: 'malformed' } };
    }
    return wrong(asked, usual) ?? usual;
  };
  server = createServer((request, reply) => {
    let text = '';
    request.on('data', (piece) => (text += String(piece)));
    request.on('end', () => send(reply, answer(request, text)));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return fuzz({ url: `http://127.0.0.1:${port}`, document, people, wanted, seed: 11 });
}

function bodyOf(text: string): Asked['body'] {
  try {
    return JSON.parse(text) as Asked['body'];
  } catch {
    return undefined;
  }
}

function send(reply: ServerResponse, { status, body }: Answer): void {
  const type = status < 300 ? 'application/json' : 'application/problem+json';
  reply.writeHead(status, { 'content-type': type, 'x-content-type-options': 'nosniff' });
  reply.end(JSON.stringify(body));
}

const others = (counts: Findings['counts'], but: string): number[] =>
  Object.entries(counts)
    .filter(([name]) => name !== but && name !== 'requests')
    .map(([, count]) => count);

describe('the fuzzer', () => {
  it('finds no fault in a server that follows its document, and sends the requested number of requests', async () => {
    const { counts, faults } = await found(() => undefined);
    expect([...faults.keys()]).toEqual([]);
    expect(counts).toMatchObject({ server_errors: 0, schema_mismatches: 0, unauthenticated_successes: 0 });
    expect(counts.requests).toBeGreaterThanOrEqual(800);
  });

  const open = (body: object): Answer => ({ status: 200, body });
  it.each<[string, (asked: Asked, answer: Answer) => Answer | undefined, RegExp]>([
    [
      'without a valid token',
      ({ key, grants }) => (key === 'GET /me' && grants === undefined ? open({ name: 'x' }) : undefined),
      /^get \/me: 200 to (nobody|an? .*token|two tokens|another scheme)/,
    ],
    [
      'with too low a role',
      ({ key, name }, { status }) =>
        key === 'GET /secrets' && status === 403 && name !== '' ? open({ name: 'x' }) : undefined,
      /^get \/secrets: 200 to /,
    ],
    [
      'with the role for another lab',
      ({ key, grants }, { status }) =>
        key.startsWith('GET /labs/') && status === 403 && grants?.some(({ lab }) => lab === 'no_such_lab')
          ? open({ name: 'x' })
          : undefined,
      /^get \/labs\/\{lab_id\}: 200 to (operator of another lab|lab_admin of another lab alone)$/,
    ],
    [
      'with a role for a lab that does not own the record',
      ({ key, grants }, { status }) =>
        key.startsWith('GET /api/campaigns/') && status === 404 && grants?.[0]?.role === 'lab_admin'
          ? open({ name: 'x' })
          : undefined,
      /^get \/api\/campaigns\/\{campaign_name\}: 200 to lab_admin of another lab alone$/,
    ],
    [
      'that changes the work of others',
      ({ key, grants }, { status }) =>
        key.endsWith('/cancel') && status === 403 && grants?.[0]?.role === 'submitter'
          ? { status: 202, body: { name: 'x' } }
          : undefined,
      /^post \/api\/tasks\/\{task_name\}\/cancel: .*submitter changed work of somebody else$/,
    ],
    [
      'that submits in the name of others',
      ({ key, grants }, { status, body }) =>
        key === 'POST /api/tasks' && status === 201 && grants?.[0]?.role === 'submitter'
          ? { status, body: { ...body, owner: 'ada' } }
          : undefined,
      /^post \/api\/tasks: .*submitter submitted work of somebody else$/,
    ],
  ])('counts a success for a caller %s', async (_, wrong, expected) => {
    const { counts, faults } = await found(wrong);
    expect(counts.unauthenticated_successes).toBeGreaterThan(0);
    expect(others(counts, 'unauthenticated_successes')).toEqual([0, 0]);
    for (const fault of faults.keys()) expect(fault).toMatch(expected);
  });

  it('checks a reply against its schema, and counts a reply without a description and a reply for an unknown path', async () => {
    const { counts, faults } = await found(({ key }, { status }) => {
      if (key === 'GET /open') return open({ title: 'no name' });
      if (key === 'GET /secrets' && status === 200) return { status: 204, body: {} };
      return key.startsWith('GET /no/') ? open({ name: 'here' }) : undefined;
    });
    expect(others(counts, 'schema_mismatches')).toEqual([0, 0]);
    const told = [...faults.keys()].join('\n');
    expect(told).toContain('get /open: ');
    expect(told).toContain('get /secrets: status 204 is not described');
    expect(told).toContain('no route: status 200 for a path that is no route');
  });

  it('counts an error of the server and prints the smallest request that causes it, without a secret', async () => {
    const { counts, faults } = await found(({ key, grants, body }) =>
      key === 'POST /api/tasks' &&
      grants !== undefined &&
      typeof body?.name !== 'string' &&
      body !== undefined
        ? { status: 500, body: { code: 'internal' } }
        : undefined,
    );
    expect(counts.server_errors).toBeGreaterThan(0);
    expect(others(counts, 'server_errors')).toEqual([0, 0]);
    const fault = faults.get('post /api/tasks: 500 internal');
    const command = curlOf(fault?.request as FuzzRequest);
    expect(command).toMatch(
      /^curl -X POST --path-as-is "\$SVC_URL"'\/api\/tasks' -H "Authorization: Bearer \$SVC_TOKEN"/,
    );
    expect(command).not.toMatch(/svc_pat_/);
    expect(fault?.request.body?.length).toBeLessThan(30);
  });

  it('sends a request again that was answered too late, and counts it when it never is in time', async () => {
    // The first requests come one after the other.
    const late: Record<string, number> = { 'GET /me': 2, 'GET /secrets': 3 };
    const { counts, faults } = await found(({ key }) => {
      const left = late[key] ?? 0;
      late[key] = left - 1;
      return left > 0 ? { status: 504, body: { code: 'deadline_exceeded' } } : undefined;
    }, 20);
    expect([...faults.keys()]).toEqual(['get /secrets: 504 deadline_exceeded']);
    expect(counts.server_errors).toBe(1);
  });
});

describe('a list that is filtered by lab', () => {
  const need = { role: 'viewer', lab: '?lab' };
  const given = (query: Record<string, string>): Given => ({ path: {}, query, body: undefined });

  it.each<[Record<string, string>, boolean]>([
    [{ lab: 'blue' }, true],
    [{ lab: 'red' }, false],
    [{}, false],
  ])('is allowed to an operator of the lab blue with %j: %s', (query, expected) => {
    expect(isAllowed(need, [{ role: 'operator', lab: 'blue' }], given(query))).toBe(expected);
    expect(isAllowed(need, [{ role: 'viewer' }], given(query))).toBe(true);
  });

  it.each<[Record<string, string>, boolean]>([
    [{ lab: 'blue' }, true],
    [{ lab: 'red' }, false],
    [{}, true],
  ])(
    'is allowed to an operator of the lab blue with %j: %s, when it leaves out other labs',
    (query, expected) => {
      const own = { role: 'viewer', lab: '?lab or own' };
      expect(isAllowed(own, [{ role: 'operator', lab: 'blue' }], given(query))).toBe(expected);
      expect(isAllowed(own, [], given(query))).toBe(false);
    },
  );

  it.each([
    [': heartbeat\nid: 6081\n\n', undefined],
    ['id: 7\nevent: task_run.completed\ndata: {}\n\n', 'get /api/events: an event of a foreign lab to guest'],
  ])('shows no event to a caller of another lab: %j', (body, expected) => {
    const events = { '/api/events': { get: operation({ role: 'viewer', lab: '?lab or own' }, 200) } };
    const grants: Grant[] = [{ role: 'lab_admin', lab: 'no_such_lab' }];
    const fault = judgeBy({ ...document, paths: events })(
      'get /api/events',
      {
        ...{ method: 'GET', path: '/api/events', headers: {}, body: undefined, given: given({}) },
        caller: { label: 'guest', name: 'guest', grants, share: 1, headers: {} },
      },
      { status: 200, headers: {}, body, ms: 1 },
    );
    expect(fault?.kind === 'unauthenticated_successes' ? fault.text : undefined).toBe(expected);
  });
});

describe('a request with a fault', () => {
  const [caller] = people;
  const request: FuzzRequest = {
    method: 'POST',
    path: '/api/x?a=1&b=2',
    headers: { 'content-type': 'application/json', 'idempotency-key': 'k' },
    body: Buffer.from(JSON.stringify({ a: [1, 2, { deep: 'x'.repeat(64) }], b: 1, c: "it's" })),
    caller,
    given: { path: {}, body: undefined },
  };

  it('is shrunk while the fault remains', async () => {
    const { path, headers, body } = await shrunk(request, (each) =>
      Promise.resolve(each.path.includes('b=2') && each.body?.includes('xx') === true),
    );
    expect(path).toBe('/api/x?b=2');
    expect(headers).toEqual({});
    expect(body?.toString()).toBe('{"a":[{"deep":"xx"}]}');
  });

  it('stays as it is when the fault does not occur again', async () => {
    expect(await shrunk(request, () => Promise.resolve(false))).toBe(request);
  });

  it('becomes a shell command, even when the body is not text', () => {
    expect(curlOf({ ...request, body: Buffer.from("it's") })).toContain(`--data-binary 'it'\\''s'`);
    expect(curlOf({ ...request, body: Buffer.from([0, 255]) })).toContain(`--data-binary $'\\x00\\xff'`);
  });
});

describe('a table', () => {
  it('is right when it keeps to RFC 4180', () => {
    for (const text of ['a,b\r\n1,"x, ""y""\n"\r\n-1.5e-7,"""=1+1"""\r\n', '""\r\n', 'a\r\n""\r\n'])
      expect(csvFault(text), text).toBeUndefined();
  });

  it.each([
    ['a,b\r\n1,2', 'has no end'],
    ['a,b\r\n1\r\n', 'line 2 has 1 cells'],
    ['a,b\r\n1,2"\r\n', 'line 2 is no CSV'],
    ['a,b\n1,2\r\n', 'line 1 is no CSV'],
    ['a\r\n=1+1\r\n', 'a cell of line 2 is a formula'],
    ['a\r\n" -x"\r\n', 'a cell of line 2 is a formula'],
  ])('is wrong: %j %s', (text, fault) => expect(csvFault(text)).toContain(fault));
});
