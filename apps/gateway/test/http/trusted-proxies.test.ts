import { afterEach, expect, it } from 'vitest';
import { byTokens, headersOf } from '../tokens.js';
import { startHarness, type Harness } from '../twins.js';

const started: Harness[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map(({ server }) => server.close()));
});

/** The address of a client in the audit. */
async function recorded(trustedProxies: readonly string[], forwarded: string | undefined): Promise<unknown> {
  const gateway = await startHarness({ trustedProxies }, undefined, byTokens);
  started.push(gateway);
  const headers = {
    ...(await headersOf(gateway, 'root', [{ role: 'admin' }])),
    ...(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }),
  };
  await gateway.send('DELETE', '/api/tokens?name=nobody', undefined, headers);
  return gateway.audit.entries.at(-1)?.ip;
}

it.each([
  ['is ignored without trusted proxies', [], '192.0.2.7', '127.0.0.1'],
  ['is ignored from an address that is none of them', ['10.0.0.0/8'], '192.0.2.7', '127.0.0.1'],
  ['gives the address of the client', ['127.0.0.1'], '192.0.2.7', '192.0.2.7'],
  ['gives an address of IPv6', ['127.0.0.0/8'], '2001:db8::7', '2001:db8::7'],
  [
    'is believed from the right, so that a client cannot invent an address',
    ['127.0.0.1'],
    '1.2.3.4, 192.0.2.7',
    '192.0.2.7',
  ],
  [
    'may pass several trusted proxies',
    ['127.0.0.1', '10.1.0.0/16'],
    '1.2.3.4, 192.0.2.7, 10.1.2.3',
    '192.0.2.7',
  ],
  ['need not be there', ['127.0.0.1'], undefined, '127.0.0.1'],
])('X-Forwarded-For %s', async (_rule, proxies, forwarded, address) => {
  expect(await recorded(proxies, forwarded)).toBe(address);
});
