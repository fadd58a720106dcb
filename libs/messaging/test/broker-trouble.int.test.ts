import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { startNats } from '@lab/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { brokerTrouble, connectBus, type Bus } from '../src/index.js';

let nats: Awaited<ReturnType<typeof startNats>>;
let bus: Bus;

beforeAll(async () => {
  nats = await startNats();
  bus = await connectBus({ url: nats.url, role: 'test', name: 'trouble' });
});

afterAll(async () => {
  await bus.close();
  await nats.stop();
});

test('a broker that is frozen, gone or back is described in words, without its credentials', async () => {
  const url = nats.url.replace('nats://', 'nats://user:secret@');
  const at = new URL(nats.url).host;
  const look = (): Promise<string | undefined> => brokerTrouble(bus, url, 300);
  const frozen = `nats-server at ${at} accepts connections and does not answer: it is stopped, frozen or overloaded`;
  expect(await look()).toBeUndefined();
  await nats.pause();
  expect(await look()).toBe(frozen);
  await expect.poll(() => bus.connected, { timeout: 20_000 }).toBe(false);
  expect(await look()).toBe(frozen);
  nats.resume();
  await expect.poll(look, { timeout: 20_000 }).toBeUndefined();
  await nats.stop();
  await expect.poll(look, { timeout: 20_000 }).toBe(`nats-server at ${at} cannot be reached`);
  expect(await look()).not.toContain('secret');
}, 60_000);

test('a broker that is too busy to read the credentials has not refused them', async () => {
  let asked = 0;
  const busy = createServer((client) => {
    asked += 1;
    client.on('error', () => undefined /* the client gives up */).resume();
    client.write('INFO {"version":"2.12.0","max_payload":1048576,"proto":1}\r\n');
    client.write("-ERR 'Authentication Timeout'\r\n");
  });
  busy.listen(0, '127.0.0.1');
  await once(busy, 'listening');
  const { port } = busy.address() as AddressInfo;
  try {
    const opening = connectBus({
      url: `nats://127.0.0.1:${port}`,
      role: 'test',
      name: 'hurried',
      connectTimeoutMs: 500,
    });
    await expect(opening).rejects.toMatchObject({
      code: 'service_unavailable',
      message: expect.stringMatching(/Authentication Timeout/i) as string,
    });
    expect(asked).toBeGreaterThan(1);
  } finally {
    busy.close();
  }
});
