import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isNetwork, isPublicAddress } from '../../src/outbound/addresses.js';
import { maxAnswerBytes, Outbound, OutboundRefusedError, type Resolve } from '../../src/outbound/outbound.js';

let server: Server;
let port: number;
const seen: { path: string; host: string | undefined; body: string }[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      seen.push({ path: request.url ?? '', host: request.headers.host, body });
      if (request.url === '/moved') response.writeHead(302, { location: '/elsewhere' }).end();
      else if (request.url === '/endless') {
        response.writeHead(200);
        const more = (): void => void response.write(Buffer.alloc(16_384, 'x'), () => setImmediate(more));
        response.once('close', () => (response.write = () => false));
        more();
      } else if (request.url === '/dripping') response.writeHead(202).write('a');
      else if (request.url !== '/silent') response.writeHead(200, { 'retry-after': '7' }).end('thanks');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const post = { headers: {}, body: '{}', timeoutMs: 10_000, signal: new AbortController().signal };
const strict = new Outbound({ allow: [], http: false, ports: [443] });

/** A client that may reach the server of this test. */
function open(resolve?: Resolve, allow = ['127.0.0.1']): Outbound {
  return new Outbound({ allow, http: true, ports: [port] }, resolve);
}

const resolvesTo =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

describe('an address on the public internet', () => {
  it.each(['1.1.1.1', '93.184.216.34', '172.15.0.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111'])(
    'is %s',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it.each([
    ['127.0.0.1', '127.8.9.1', '0.0.0.0', '::1', '::'],
    ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fdff::1'],
    ['169.254.169.254', 'fe80::1', 'fec0::1'],
    ['100.64.0.1', '100.127.255.255', '198.18.0.1'],
    ['224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1'],
    ['::ffff:127.0.0.1', '::ffff:1.1.1.1', '::ffff:7f00:1', '::7f00:1'],
    ['64:ff9b::7f00:1', '2002:7f00:1::', '2001::1', '2001:db8::1', '3fff::1'],
    ['', 'localhost', '1.1.1', 'fe80::1%lo'],
  ])('does not include %s, %s, %s …', (...addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });
});

it.each([
  ['10.1.0.0/16', true],
  ['10.1.2.3', true],
  ['fd00::/8', true],
  ['10.1.0.0/33', false],
  ['fd00::/129', false],
  ['10.1/16', false],
  ['10.1.0.0/16/8', false],
  ['10.1.0.0/', false],
  ['receiver.lab', false],
])('the network %s: %s', (text, is) => {
  expect(isNetwork(text)).toBe(is);
});

describe('a configured address', () => {
  it.each([
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://127.1/',
    'https://0/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[0:0:0:0:0:ffff:7f00:1]/',
    'https://[::ffff:169.254.169.254]/',
    'https://169.254.169.254/latest/meta-data',
    'https://10.0.0.7/',
    'https://[fe80::1]/',
    'https://[fd00::1]/',
    'https://100.64.0.1/',
    'https://１２７.０.０.１/',
  ])('is refused when it is not on the public internet: %s', (address) => {
    expect(() => strict.check(address)).toThrow(OutboundRefusedError);
    expect(() => strict.check(address)).toThrow('not on the public internet');
  });

  it.each([
    ['http://example.org/', 'must begin with https://'],
    ['ftp://example.org/', 'must begin with https://'],
    ['file:///etc/passwd', 'must begin with https://'],
    ['https://example.org:22/', 'goes to port 22'],
    ['https://ada:secret@example.org/', 'must not hold a user or a password'],
    ['//example.org', 'is not an address'],
    ['', 'is not an address'],
  ])('is refused with the reason: %s', (address, reason) => {
    expect(() => strict.check(address)).toThrow(reason);
  });

  it('is accepted when it may be public or is permitted', () => {
    expect(strict.check('https://example.org/hook').href).toBe('https://example.org/hook');
    expect(strict.check('https://1.1.1.1/').hostname).toBe('1.1.1.1');
    const allowing = new Outbound({ allow: ['10.1.0.0/16', 'fd00::/8'], http: true, ports: [80, 8080] });
    for (const address of ['http://10.1.2.3/', 'http://[fd12::1]:8080/'])
      expect(() => allowing.check(address)).not.toThrow();
    expect(() => allowing.check('http://10.2.0.1/')).toThrow('not on the public internet');
  });
});

describe('a request', () => {
  it('reaches a permitted address and returns status, headers and text', async () => {
    const answer = await open().post(`http://127.0.0.1:${port}/hook`, { ...post, body: '{"a":"ä"}' });
    expect(answer).toMatchObject({ status: 200, text: 'thanks' });
    expect(answer.headers['retry-after']).toBe('7');
    expect(seen.at(-1)).toEqual({ path: '/hook', host: `127.0.0.1:${port}`, body: '{"a":"ä"}' });
  });

  it('is refused without sending when any address of the name is private', async () => {
    const before = seen.length;
    for (const addresses of [['127.0.0.1'], ['93.184.216.34', '127.0.0.1'], ['::1'], ['::ffff:127.0.0.1']])
      await expect(
        open(resolvesTo(...addresses), []).post(`http://receiver.test:${port}/`, post),
      ).rejects.toThrow(OutboundRefusedError);
    await expect(open(undefined, []).post(`http://localhost:${port}/`, post)).rejects.toThrow(
      'not on the public internet (localhost)',
    );
    expect(seen.length).toBe(before);
  });

  it('goes to the checked address, because a name is looked up only once', async () => {
    let asked = 0;
    const rebinding: Resolve = async () => [
      { address: asked++ === 0 ? '127.0.0.1' : '127.0.0.99', family: 4 },
    ];
    const answer = await open(rebinding, ['127.0.0.1']).post(`http://receiver.test:${port}/bound`, post);
    expect([answer.status, asked]).toEqual([200, 1]);
    expect(seen.at(-1)).toMatchObject({ path: '/bound', host: `receiver.test:${port}` });
    await expect(
      open(rebinding, ['127.0.0.1']).post(`http://receiver.test:${port}/bound`, post),
    ).rejects.toThrow(OutboundRefusedError);
  });

  it('goes to a permitted name, whatever its address is', async () => {
    const named = open(resolvesTo('127.0.0.1'), ['Receiver.test']);
    expect((await named.post(`http://receiver.test.:${port}/`, post)).status).toBe(200);
  });

  it('follows no redirect and uses no proxy', async () => {
    process.env['HTTP_PROXY'] = process.env['http_proxy'] = 'http://127.0.0.1:1';
    try {
      expect((await open().post(`http://127.0.0.1:${port}/moved`, post)).status).toBe(302);
      expect(seen.at(-1)?.path).toBe('/moved');
    } finally {
      delete process.env['HTTP_PROXY'];
      delete process.env['http_proxy'];
    }
  });

  it('reads an answer only up to the limit', async () => {
    const { status, text } = await open().post(`http://127.0.0.1:${port}/endless`, post);
    expect([status, text.length]).toEqual([200, maxAnswerBytes]);
  });

  it('ends in time: a begun answer is returned, and a missing one is a timeout', async () => {
    const hasty = { ...post, timeoutMs: 1_000 };
    const never: Resolve = () => new Promise(() => undefined);
    const timeout = { name: 'TimeoutError' };
    await Promise.all([
      expect(open().post(`http://127.0.0.1:${port}/dripping`, hasty)).resolves.toMatchObject({
        status: 202,
        text: 'a',
      }),
      expect(open().post(`http://127.0.0.1:${port}/silent`, hasty)).rejects.toMatchObject(timeout),
      expect(open(never).post(`http://receiver.test:${port}/`, hasty)).rejects.toMatchObject(timeout),
    ]);
  });

  it('is abandoned when the caller aborts it', async () => {
    const stop = new AbortController();
    const sent = open().post(`http://127.0.0.1:${port}/silent`, { ...post, signal: stop.signal });
    stop.abort(new Error('stopping'));
    await expect(sent).rejects.toThrow('stopping');
  });

  it('to a missing server fails with the reason', async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const gone = (closed.address() as AddressInfo).port;
    await new Promise((resolve) => closed.close(resolve));
    const outbound = new Outbound({ allow: ['127.0.0.1'], http: true, ports: [gone] });
    await expect(outbound.post(`http://127.0.0.1:${gone}/`, post)).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    });
  });
});
