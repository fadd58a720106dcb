import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PageFiles } from '../../src/page/index.js';
import { byTokens } from '../tokens.js';
import { expectProblem, startHarness, type Harness } from '../twins.js';

const script = 'console.log("page");';
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

let gateway: Harness;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'page-'));
  const assets = join(folder, 'assets');
  mkdirSync(assets);
  writeFileSync(join(assets, 'page-A.js'), script);
  writeFileSync(join(assets, 'page-A.js.br'), brotliCompressSync(script));
  writeFileSync(join(assets, 'page-A.js.gz'), gzipSync(script));
  writeFileSync(join(folder, 'secret'), 'not of the page');
  const contents = {
    html: '<!doctype html><html data-zone="{zone}" data-address="{address}"><script src="/assets/page-A.js"></script></html>',
    addresses: ['/', '/attention', '/attention/$id'],
    assets: [{ name: 'page-A.js', type: 'text/javascript; charset=utf-8' }],
  };
  writeFileSync(join(folder, 'page.json'), JSON.stringify(contents));
  gateway = await startHarness({}, undefined, byTokens, {
    page: PageFiles.in({ folder, address: 'https://lab.example.org/$&"' }),
  });
});
afterAll(async () => {
  await gateway.server.close();
  rmSync(folder, { recursive: true });
});

it.each(['/', '/attention', '/attention/a1'])(
  'is at %s, also for a person who has not signed in',
  async (path) => {
    const { status, headers, text } = await gateway.send('GET', path, undefined, browser);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(text).toContain(`data-zone="${new Intl.DateTimeFormat().resolvedOptions().timeZone}"`);
    expect(text).toContain('data-address="https://lab.example.org/$&#38;%22"');
  },
);

it('runs only its own scripts, and nobody may frame it', async () => {
  const { headers } = await gateway.send('GET', '/', undefined, browser);
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy.split('; ')).toEqual(
    expect.arrayContaining([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "frame-ancestors 'none'",
    ]),
  );
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
});

it('is a summary for a program at the same address', async () => {
  const { body } = await gateway.send('GET', '/');
  expect(body).toMatchObject({ name: 'Laboratory orchestration service' });
});

/** As a browser asks: `fetch` of Node would open the compressed content. */
function encodingOf(accepted: string): Promise<{ encoding: string | undefined; cache: string | undefined }> {
  const headers = accepted === '' ? {} : { 'accept-encoding': accepted };
  return new Promise((resolve, reject) => {
    request(`${gateway.url}/assets/page-A.js`, { headers }, (response) => {
      const { 'content-encoding': encoding, 'cache-control': cache } = response.headers;
      response.resume().on('end', () => resolve({ encoding, cache }));
    })
      .on('error', reject)
      .end();
  });
}

it.each([
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, deflate', 'gzip'],
  ['', undefined],
  ['br;q=0, gzip;q=0.5', 'gzip'],
  ['identity;q=1, *;q=0', undefined],
])('sends an asset to a browser that accepts "%s" as %s', async (accepted, encoding) => {
  expect(await encodingOf(accepted)).toEqual({
    encoding,
    cache: 'public, max-age=31536000, immutable',
  });
});

it('sends the content of an asset, whatever its form', async () => {
  const { text, headers } = await gateway.send('GET', '/assets/page-A.js');
  expect(text).toBe(script);
  expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
});

it.each(['/assets/none.js', '/assets/..%2Fsecret', '/assets/page-A.js.br', '/assets/page.json'])(
  'has nothing at %s',
  async (path) => {
    expectProblem(await gateway.send('GET', path), 404, 'not_found');
  },
);

it('has no page where none was built', () => {
  expect(PageFiles.in({ folder: join(folder, 'none') })).toMatchObject({ html: undefined, addresses: [] });
});
