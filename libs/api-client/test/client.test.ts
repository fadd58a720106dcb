import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, expectTypeOf, it, vi } from 'vitest';
import { errorCatalogue, type Effect, type ErrorCode } from '@lab/contracts';
import { certifyServer, makeCertificateAuthority } from '@lab/trust/certificates';
import { ApiClient } from '../src/client.js';
import { ProblemError, UnreachableError } from '../src/errors.js';
import type { TaskRunRecord } from '../src/generated.js';

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

let server: Server;
let client: ApiClient;
/** The answers in order. The last one repeats. */
let answers: Answer[];
let requests: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[];

beforeEach(async () => {
  answers = [];
  requests = [];
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      requests.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      answer?.(request, response, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  client = new ApiClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});
afterEach(() => {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
});

const ok =
  (value: unknown, status = 200): Answer =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
const lost: Answer = (request) => request.socket.destroy();
const refused =
  (code: ErrorCode, headers: Record<string, string> = {}, effect?: Effect): Answer =>
  (_, response) => {
    const { status, title } = errorCatalogue[code];
    const problem = { type: `urn:svc:error:${code}`, title, status, detail: 'said why', code, effect };
    response.writeHead(status, { 'content-type': 'application/problem+json; charset=utf-8', ...headers });
    response.end(JSON.stringify(problem));
  };

const thrown = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a call', () => {
  it('sends a table as CSV', async () => {
    answers = [ok({ protocol_run_parameters: [] })];
    const path = { protocol: 'mixing' };
    const read = await client.post('/api/protocols/{protocol}/parameters', { path, csv: 'mix.volume\n' });
    expectTypeOf(read.protocol_run_parameters).toEqualTypeOf<Record<string, Record<string, unknown>>[]>();
    expect(requests).toMatchObject([
      {
        url: '/api/protocols/mixing/parameters',
        headers: { 'content-type': 'text/csv' },
        body: 'mix.volume\n',
      },
    ]);
  });

  it('fills in path and query, sends JSON and the token, and returns the typed answer', async () => {
    answers = [ok({ name: 'a b' })];
    const tokened = new ApiClient(client.baseUrl, { token: 'svc_1' });
    const task = await tokened.get('/api/tasks/{task_name}', {
      path: { task_name: 'a b/$&' },
      query: { protocol_run_name: 'é' },
    });
    expectTypeOf(task).toEqualTypeOf<TaskRunRecord>();
    expect(task.name).toBe('a b');
    await tokened.post('/api/tasks', { body: { name: 't', type: 'score_color' } });
    expect(requests).toMatchObject([
      {
        method: 'GET',
        url: '/api/tasks/a%20b%2F%24%26?protocol_run_name=%C3%A9',
        headers: { authorization: 'Bearer svc_1' },
        body: '',
      },
      { method: 'POST', url: '/api/tasks', body: '{"name":"t","type":"score_color"}' },
    ]);
    expect(requests[1]?.headers['content-type']).toBe('application/json');
    expect(requests[0]?.headers['content-type']).toBeUndefined();
  });

  it('throws the error of the service with its code', async () => {
    answers = [refused('not_found')];
    const error = await thrown(client.get('/api/tasks/{task_name}', { path: { task_name: 'none' } }));
    expect(error).toBeInstanceOf(ProblemError);
    expect(error).toMatchObject({ code: 'not_found', status: 404, message: 'Not found: said why' });
    expect(requests).toHaveLength(1);
  });

  it('throws an error whose message has the path, the text and the hint of each fault', async () => {
    const errors = [
      {
        path: 'url',
        code: 'address',
        message: 'must begin with https://',
        hint: 'Set webhooks.http to true.',
      },
      { path: 'filters', code: 'type', message: 'must be an object' },
    ];
    answers = [
      (_, response) => {
        const { status, title } = errorCatalogue.invalid;
        const problem = {
          type: 'urn:svc:error:invalid',
          title,
          status,
          detail: 'No.',
          code: 'invalid',
          errors,
        };
        response
          .writeHead(status, { 'content-type': 'application/problem+json' })
          .end(JSON.stringify(problem));
      },
    ];
    expect(await thrown(client.get('/api/queue'))).toMatchObject({
      message:
        `${errorCatalogue.invalid.title}: No.\n  url: must begin with https://\n` +
        '    hint: Set webhooks.http to true.\n  filters: must be an object',
    });
  });

  it('reports an answer that is not from the service', async () => {
    answers = [
      (_, response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>proxy</h1>'),
    ];
    expect(await thrown(client.get('/api/queue'))).toMatchObject({
      name: 'UnreachableError',
      reason: 'foreign',
    });
    answers = [(_, response) => response.writeHead(200).end('<h1>proxy</h1>')];
    expect(await thrown(client.get('/api/queue'))).toMatchObject({
      name: 'UnreachableError',
      reason: 'foreign',
    });
  });

  it('reports a missing answer and does not send the request again', async () => {
    // Long enough for the request to arrive on a busy machine.
    answers = [() => undefined];
    const error = await thrown(client.get('/api/queue', { timeoutMs: 1_000 }));
    expect(error).toMatchObject({ name: 'UnreachableError', reason: 'timeout' });
    expect(requests).toHaveLength(1);
  });

  it('says at once that the certificate of the server is not trusted here', async () => {
    const authority = await makeCertificateAuthority('test', Date.now());
    const { key, certificate } = await certifyServer(authority, ['127.0.0.1'], Date.now(), 1);
    let connections = 0;
    const secure = createSecureServer({ key, cert: certificate }).on('connection', () => (connections += 1));
    await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
    const url = `https://127.0.0.1:${(secure.address() as AddressInfo).port}`;
    try {
      const error = await thrown(new ApiClient(url).get('/api/queue'));
      expect(error).toMatchObject({
        ...{ name: 'UnreachableError', reason: 'untrusted' },
        message: expect.stringMatching(
          `^the certificate of ${url} is not trusted here: .*certificate`,
        ) as string,
      });
      expect(connections).toBe(1);
    } finally {
      await new Promise((resolve) => secure.close(resolve));
    }
  });

  it('throws the reason of its aborted signal', async () => {
    answers = [() => undefined];
    const reason = new Error('enough');
    expect(await thrown(client.get('/api/queue', { signal: AbortSignal.abort(reason) }))).toBe(reason);
  });
});

describe('a repeated request', () => {
  it('follows a read when the connection is lost or a part of the service is away', async () => {
    answers = [lost, refused('service_unavailable'), ok({ queued: 1 })];
    expect(await client.get('/api/queue')).toEqual({ queued: 1 });
    expect(requests).toHaveLength(3);
  });

  it('has the idempotency key of the first one, so that the service recognises it', async () => {
    answers = [lost, refused('service_unavailable'), ok({ queued: 1 })];
    expect(await client.post('/api/queue/pause')).toEqual({ queued: 1 });
    await client.post('/api/queue/pause');
    await client.patch('/api/tasks/{task_name}', {
      path: { task_name: 't' },
      body: { priority: 1 },
      idempotencyKey: 'mine',
    });
    const keys = requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[\da-f]{32}$/);
    expect(keys).toEqual([keys[0], keys[0], keys[0], expect.any(String), 'mine']);
    expect(keys[3]).not.toBe(keys[0]);
  });

  it('of an emergency stop has no key, because a key would need the database', async () => {
    answers = [lost, ok({ scope: 'all' }, 201)];
    expect(await client.post('/api/estop')).toEqual({ scope: 'all' });
    expect(requests.map(({ headers }) => headers['idempotency-key'])).toEqual([undefined, undefined]);
    await client.post('/api/estop/release');
    expect(requests.at(-1)?.headers).toHaveProperty('idempotency-key');
  });

  it('never follows a refusal', async () => {
    answers = [refused('wrong_state')];
    expect(await thrown(client.post('/api/queue/pause'))).toMatchObject({ code: 'wrong_state' });
    expect(requests).toHaveLength(1);
  });

  it('follows an unknown outcome of a record, which the key of the request settles', async () => {
    answers = [refused('store_unavailable', {}, 'maybe')];
    await client.post('/api/tasks', { body: { name: 'a', type: 'b' } }).catch(() => undefined);
    expect(requests.length).toBeGreaterThan(1);
  });

  it('never follows an error of a device that may have moved', async () => {
    answers = [refused('device_unavailable', { 'retry-after': '1' }, 'maybe')];
    expect(await thrown(client.post('/api/labs/load', { body: { lab_types: ['a'] } }))).toMatchObject({
      code: 'device_unavailable',
    });
    expect(requests).toHaveLength(1);
  });

  it('is limited in number and in total time', async () => {
    const patient = new ApiClient(client.baseUrl, { retries: 1 });
    answers = [lost];
    expect(await thrown(patient.get('/api/queue'))).toMatchObject({ reason: 'lost' });
    expect(requests).toHaveLength(2);
    answers = [refused('store_unavailable', { 'retry-after': '60' })];
    expect(await thrown(client.get('/api/queue'))).toMatchObject({ code: 'store_unavailable' });
    expect(requests).toHaveLength(3);
  });

  it('asks longer for the answer to an attempt that is in progress, and not for ever', async () => {
    const inProgress = refused('idempotency_key_in_progress', { 'retry-after': '0' });
    const impatient = new ApiClient(client.baseUrl, { retries: 1 });
    answers = [
      refused('store_unavailable', {}, 'maybe'),
      inProgress,
      inProgress,
      inProgress,
      ok({ name: 'a' }),
    ];
    expect(await impatient.post('/api/tasks', { body: { name: 'a', type: 'b' } })).toEqual({ name: 'a' });
    expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);

    const own = { body: { name: 'a', type: 'b' }, idempotencyKey: 'mine' };
    answers = [inProgress];
    expect(await thrown(client.post('/api/tasks', { ...own, retries: 0 }))).toMatchObject({ status: 409 });
    expect(requests).toHaveLength(6);
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      answers = [
        inProgress,
        (...answered) => {
          vi.advanceTimersByTime(21_000);
          inProgress(...answered);
        },
      ];
      expect(await thrown(client.post('/api/tasks', own))).toMatchObject({ status: 409 });
    } finally {
      vi.useRealTimers();
    }
    expect(requests).toHaveLength(8);
  });

  it('follows any request when nothing listens, and then the error says so', async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const impatient = new ApiClient(client.baseUrl, { retries: 1 });
    const error = await thrown(impatient.post('/api/estop'));
    expect(error).toBeInstanceOf(UnreachableError);
    expect(error).toMatchObject({ reason: 'refused', message: `nothing answers at ${client.baseUrl}` });
  });
});

describe('events', () => {
  const stream =
    (text: string): Answer =>
    (_, response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text);

  it('are read by the standard, and continue after the last one after a lost connection', async () => {
    answers = [
      stream(': hello\n\nid: 7\nevent: task\ndata: {"a":1}\ndata:{"b":2}\n\nid: 8\ndata: lost'),
      lost,
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('id: 8\r\nda');
        response.write('ta: é\r\n\r\n');
      },
    ];
    const over = new AbortController();
    const seen: unknown[] = [];
    for await (const event of client.events('/api/health', { signal: over.signal, lastEventId: '6' })) {
      seen.push(event);
      if (seen.length === 2) over.abort();
    }
    expect(seen).toEqual([
      { id: '7', event: 'task', data: '{"a":1}\n{"b":2}' },
      { id: '8', event: 'message', data: 'é' },
    ]);
    expect(requests.map(({ headers }) => headers['last-event-id'])).toEqual([
      '6',
      ...Array.from({ length: requests.length - 1 }, () => '7'),
    ]);
    expect(requests[0]?.headers.accept).toBe('text/event-stream');
  });

  it('continue after the number in a heartbeat, which covers filtered events', async () => {
    answers = [stream(': heartbeat\nid: 40\n\n: heartbeat\nid: 41'), stream('id: 42\ndata: x\n\n')];
    const events = client.events('/api/health');
    expect(await events.next()).toMatchObject({ value: { id: '42', data: 'x' } });
    await events.return(undefined);
    expect(requests.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '40']);
  });

  it('end with the error when the service refuses them', async () => {
    answers = [refused('forbidden')];
    expect(await thrown(client.events('/api/health').next())).toMatchObject({ code: 'forbidden' });
  });
});
