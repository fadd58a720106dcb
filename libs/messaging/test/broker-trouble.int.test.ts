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
