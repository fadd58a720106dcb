import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { askJson, didNothing, isLost, isRefusal, PeerError } from '../../src/nodes/link.js';
import { linkShape, readLinked } from '../../src/nodes/link-settings.js';
import { RestClient } from '../../src/nodes/rest-client.js';
import { serve, serveTls, type TestServer } from './servers.js';

const folder = mkdtempSync(join(tmpdir(), 'rest-'));
afterAll(() => rmSync(folder, { recursive: true }));
let servers: TestServer[] = [];
afterEach(async () => {
  await Promise.all(servers.map((server) => server.close()));
  servers = [];
});

const schema = z.strictObject(linkShape);
const client = (parameters: object): RestClient => new RestClient(readLinked(schema, parameters));
const get = { method: 'GET', path: '/info' } as const;

async function failure(work: Promise<unknown>): Promise<PeerError> {
  const error = await work.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  if (error instanceof PeerError) return error;
  throw error;
}

const json = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

async function plainServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = await serve(answer);
  servers.push(server);
  return server.address;
}

describe('a request to another system', () => {
  it('carries its query, its body and the token, and gives the answer as JSON', async () => {
    const seen: unknown[] = [];
    const address = await plainServer((request, response) => {
      request.setEncoding('utf8').on('data', (text: string) => {
        seen.push(request.url, request.headers.authorization, request.headers['content-type'], text);
      });
      request.on('end', () => json(response, 200, { ok: true }));
    });
    const token_file = join(folder, 'token');
    writeFileSync(token_file, 'very-secret\n');
    const link = client({ address: `${address}/below/`, token_file });
    expect(
      await askJson(link, { method: 'POST', path: '/go', query: { a: '1 2', b: undefined }, json: { x: 1 } }),
    ).toEqual({ ok: true });
    expect(seen).toEqual(['/below/go?a=1+2', 'Bearer very-secret', 'application/json', '{"x":1}']);
  });

  it('sends files as fields of a form', async () => {
    let body = '';
    const address = await plainServer((request, response) => {
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => json(response, 201, null));
    });
    const form = new FormData();
    form.append('file', new Blob(['print(1)']), 'a.py');
    await askJson(client({ address }), { method: 'POST', path: '/upload', form });
    expect(body).toMatch(/name="file"; filename="a.py"/);
    expect(body).toContain('print(1)');
  });

  it('that arrives nowhere did nothing, and says so', async () => {
    const server = await serve(() => undefined);
    await server.close();
    const error = await failure(client({ address: server.address }).ask(get));
    expect(error.message).toMatch(/refuses connections \(ECONNREFUSED\)/);
    expect([error.reached, didNothing(error), isLost(error)]).toEqual([false, true, false]);
  });

  it('whose connection ends before the answer may have done something', async () => {
    const address = await plainServer((request) => request.socket.destroy());
    const error = await failure(client({ address }).ask({ ...get, method: 'POST' }));
    expect([error.reached, didNothing(error), isLost(error)]).toEqual([true, false, true]);
  });

  it('is given up after its time, and may have done something', async () => {
    const address = await plainServer(() => undefined);
    const error = await failure(client({ address, answer_within: 0.2 }).ask(get));
    expect(error.message).toMatch(/gave no answer within 0.2 s/);
    expect(isLost(error)).toBe(true);
  });

  it('is refused in the words of the other system, without the values that were sent', async () => {
    const bodies = [
      { detail: [{ loc: ['body', 'args', 'pin'], msg: 'Input should be an integer', input: '4711' }] },
      { error: 'no such device' },
      { errors: [{ title: 'Run Not Found', detail: 'r1' }] },
      'nothing of the kind',
    ];
    const address = await plainServer((request, response) =>
      json(response, 422, bodies[Number(request.url?.slice(1))]),
    );
    const said = await Promise.all(
      bodies.map((_, index) => failure(askJson(client({ address }), { method: 'GET', path: `/${index}` }))),
    );
    expect(said.map(({ message }) => message)).toEqual([
      'GET /0 was refused with 422: body.args.pin: Input should be an integer',
      'GET /1 was refused with 422: no such device',
      'GET /2 was refused with 422: Run Not Found: r1',
      'GET /3 was refused with 422: nothing of the kind',
    ]);
    expect(said.every(isRefusal)).toBe(true);
  });

  it('takes an answer of a proxy for a silent system as lost', async () => {
    const address = await plainServer((_, response) => response.writeHead(504).end('<html>'));
    expect(isLost(await failure(askJson(client({ address }), get)))).toBe(true);
  });

  it('reads no answer that is larger than it may be, and no answer that is no JSON', async () => {
    const address = await plainServer((_, response) => response.end('x'.repeat(5_000)));
    const link = client({ address });
    expect((await failure(link.ask({ ...get, largest: 4_000 }))).message).toMatch(/more than 4000 bytes/);
    expect((await failure(askJson(link, get))).message).toMatch(/is no JSON: is the address/);
  });
});

describe('a certificate', () => {
  async function tls(
    names?: [string, ...string[]],
  ): Promise<{ address: string; ca_file: string; fingerprint: string; asked: () => number }> {
    let asked = 0;
    const server = await serveTls((_, response) => {
      asked += 1;
      json(response, 200, 'hello');
    }, names);
    servers.push(server);
    const ca_file = join(folder, `ca-${servers.length}.pem`);
    writeFileSync(ca_file, server.authority);
    const fingerprint = new X509Certificate(server.certificate).fingerprint256;
    return { address: server.address, ca_file, fingerprint, asked: () => asked };
  }

  it('is trusted by its authority or by its fingerprint', async () => {
    const { address, ca_file, fingerprint } = await tls();
    expect(await askJson(client({ address, ca_file }), get)).toBe('hello');
    expect(await askJson(client({ address, fingerprint: fingerprint.toLowerCase() }), get)).toBe('hello');
  });

  it('of an unknown authority, of another name or with another fingerprint is refused before anything is sent', async () => {
    const { address, fingerprint, asked } = await tls();
    const elsewhere = await tls(['elsewhere']);
    const wrong = fingerprint.replace(/^../, fingerprint.startsWith('00') ? '11' : '00');
    const errors = await Promise.all([
      failure(client({ address }).ask(get)),
      failure(client({ address: elsewhere.address, ca_file: elsewhere.ca_file }).ask(get)),
      failure(client({ address, fingerprint: wrong }).ask(get)),
    ]);
    expect(errors[0].message).toMatch(/not trusted .*name its authority in ca_file/);
    expect(errors[1].message).toMatch(/not trusted \(ERR_TLS_CERT_ALTNAME_INVALID\)/);
    expect(errors[2].message).toMatch(/not the one in init_parameters.fingerprint/);
    expect(errors.map((error) => didNothing(error))).toEqual([true, true, true]);
    expect(asked() + elsewhere.asked()).toBe(0);
  });

  it('is wanted of https only, and trusted in one way', () => {
    const fingerprint = 'AB'.repeat(32);
    const read = (parameters: object) => (): unknown => readLinked(schema, parameters);
    expect(read({ address: 'http://a:1', ca_file: 'x' })).toThrow(/init_parameters\.address: only https/);
    expect(read({ address: 'https://a:1', ca_file: 'x', fingerprint })).toThrow(/leave ca_file out/);
    expect(read({ address: 'https://a:1', fingerprint })()).toMatchObject({ answer_within: 10 });
    expect(read({ address: 'https://u:p@a', fingerprint: 'AB' })).toThrow(
      /init_parameters\.address: .*without a user.*init_parameters\.fingerprint: .*64 hexadecimal/s,
    );
    expect(() => client({ address: 'https://a', ca_file: '/nowhere.pem' })).toThrow(
      /init_parameters\.ca_file: \/nowhere\.pem cannot be read/,
    );
  });
});
