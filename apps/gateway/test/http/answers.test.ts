import { describe, expect, it } from 'vitest';
import { orchestratorRequests } from '@lab/contracts';
import { expectProblem, memoryLog, raw, sharedHarness, startHarness } from '../twins.js';

const gateway = sharedHarness();

const run = { name: 'mix_1', type: 'color_mixing' };

describe('every answer', () => {
  it.each(['/health/ready', '/metrics', '/api/nothing', '/api/protocols', '/nothing', '/api/protocols/%zz'])(
    'to GET %s forbids storing, sniffing, framing and referrers',
    async (path) => {
      const { headers } = await gateway.send('GET', path);
      expect(Object.fromEntries(headers)).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'content-security-policy': expect.stringContaining("frame-ancestors 'none'") as string,
      });
      expect(headers.get('access-control-allow-origin')).toBeNull();
      expect(headers.get('x-powered-by')).toBeNull();
    },
  );
});

describe('an invalid request', () => {
  it.each([
    ['GET', '/api/nothing', undefined, undefined, 404, 'not_found'],
    ['PATCH', '/api/nothing/x', undefined, undefined, 404, 'not_found'],
    ['GET', '/api/protocols/%zz', undefined, undefined, 400, 'bad_request'],
    ['POST', '/api/protocols', '{"name": ', undefined, 400, 'malformed_json'],
    ['POST', '/api/protocols', 'name=x', 'application/x-www-form-urlencoded', 415, 'unsupported_media_type'],
    ['POST', '/api/protocols', '{}', 'text/plain', 415, 'unsupported_media_type'],
    ['POST', '/api/protocols', '{}', 'application/jsonp', 415, 'unsupported_media_type'],
    ['POST', '/api/rpc/a/b/c', '<x/>', 'application/xml', 415, 'unsupported_media_type'],
    ['POST', '/api/protocols', `"${'x'.repeat(1_048_577)}"`, undefined, 413, 'payload_too_large'],
  ])('as in %s %s gets its problem', async (method, path, body, type, status, code) => {
    expectProblem(
      await gateway.send(method, path, body, type === undefined ? {} : { 'content-type': type }),
      status,
      code,
    );
    expect(gateway.log.lines).toEqual([]);
  });

  it('keeps its connection when it is too large', async () => {
    const answer = await gateway.send('POST', '/api/protocols/validate', 'x'.repeat(1_500_000));
    expectProblem(answer, 413, 'payload_too_large');
    expect(answer.headers.get('connection')).not.toBe('close');
  });

  it('from a foreign page is refused', async () => {
    expectProblem(
      await gateway.send('POST', '/api/protocols', run, { origin: 'https://evil.example.com' }),
      403,
      'forbidden',
    );
    expect(gateway.requests.sent).toEqual([]);
  });

  it('for a foreign host name is refused', async () => {
    const reply = await raw(gateway.url, 'GET /api/protocols HTTP/1.1', ['Host: evil.example.com']);
    expect(reply.status).toBe(421);
    expect(JSON.parse(reply.body)).toMatchObject({ code: 'misdirected' });
  });

  it('with 17 KB of headers gets 431', async () => {
    const reply = await raw(gateway.url, 'GET /health/live HTTP/1.1', [`X: ${'x'.repeat(17_000)}`]);
    expect(reply.status).toBe(431);
    expect(JSON.parse(reply.body)).toMatchObject({ status: 431, code: 'bad_request' });
  });

  it('with 17 KB of headers gets 431 without a body when it asks for the headers alone', async () => {
    const reply = await raw(gateway.url, 'HEAD /health/live HTTP/1.1', [`X: ${'x'.repeat(17_000)}`]);
    expect([reply.status, reply.body]).toEqual([431, '']);
  });

  it('gets 400 when it is not HTTP', async () => {
    const reply = await raw(gateway.url, 'what is this');
    expect(reply.status).toBe(400);
    expect(JSON.parse(reply.body)).toMatchObject({ code: 'bad_request' });
  });
});

describe('a defect', () => {
  it('is answered with a 500 that names the log entry and nothing else', async () => {
    gateway.requests.on(orchestratorRequests.listDevices, () => {
      throw new TypeError('undefined is not a lab');
    });
    const reply = await gateway.send('GET', '/api/devices');
    expectProblem(reply, 500, 'internal');
    expect(reply.text).not.toContain('undefined is not a lab');
    const [line] = gateway.log.lines;
    expect(line).toMatchObject({ level: 'error', fields: { route: '/api/devices' } });
    expect(String(reply.body.detail)).toContain(String(line?.fields?.request_id));
  });
});

describe('the id of a request', () => {
  it('comes from the client or is generated, and stands on every answer', async () => {
    const nameOf = async (path: string, given?: string): Promise<string | null> => {
      const headers: Record<string, string> = given === undefined ? {} : { 'x-request-id': given };
      return (await gateway.send('GET', path, undefined, headers)).headers.get('x-request-id');
    };
    const made = /^[\da-f]{8}-[\da-f-]{27}$/;
    for (const path of ['/api/tasks', '/api/tasks/none', '/api/nothing', '/health/live', '/api/tasks/%zz']) {
      expect(await nameOf(path, 'run-7.of_Ada'), path).toBe('run-7.of_Ada');
      expect(await nameOf(path), path).toMatch(made);
    }
    for (const odd of ['short', 'x'.repeat(65), 'with space', 'a,b,c,d,e', '"quoted"'])
      expect(await nameOf('/api/tasks', odd), odd).toMatch(made);
  });
});

describe('a slow client', () => {
  it('that does not send its body is answered and disconnected', async () => {
    const hasty = await startHarness({ limits: { bodyMs: 50 } });
    try {
      const reply = await raw(hasty.url, 'POST /api/protocols HTTP/1.1', [
        'Content-Type: application/json',
        'Content-Length: 100',
      ]);
      expect(reply.status).toBe(400);
      expect(JSON.parse(reply.body)).toMatchObject({ code: 'bad_request' });
    } finally {
      await hasty.server.close();
    }
  });
});

describe('the log', () => {
  it('at debug level contains every request by its route, and never an address', async () => {
    const log = memoryLog({ debug: true });
    const talkative = await startHarness({ log });
    try {
      await talkative.send('GET', '/api/protocols/secret-plan');
      await talkative.send('PUT', '/api/uploads/secret-token', 'x', { 'content-type': 'text/plain' });
    } finally {
      await talkative.server.close();
    }
    expect(log.lines.map(({ fields }) => [fields?.method, fields?.route, fields?.status])).toEqual([
      ['GET', '/api/protocols/:protocol_run_name', 404],
      ['PUT', '/api/uploads/:token', 403],
    ]);
    expect(JSON.stringify(log.lines)).not.toContain('secret');
  });
});
