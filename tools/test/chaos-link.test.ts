import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
// @ts-expect-error -- plain JavaScript
import { Link as PlainLink } from '../chaos/link.ts';

/** What chaos does to a connection: bytes come late or not at all, but never in another order and never only some of them. */

interface Link {
  readonly port: number;
  delay(ms: number): void;
  silence(...directions: ('up' | 'down')[]): void;
  heal(options?: { reset?: boolean }): void;
  cut(): void;
  close(): Promise<void>;
}

let server: Server;
let link: Link;
let client: Socket;
let served: Socket;
const received = { up: '', down: '' };

beforeEach(async () => {
  server = createServer({ allowHalfOpen: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  link = (await (PlainLink as { open(port: number): Promise<Link> }).open(
    typeof address === 'object' ? (address?.port ?? 0) : 0,
  )) as Link;
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  client = connect({ port: link.port, host: '127.0.0.1', allowHalfOpen: true });
  [served] = await accepted;
  received.up = '';
  received.down = '';
  served.on('data', (bytes) => (received.up += String(bytes)));
  client.on('data', (bytes) => (received.down += String(bytes)));
  for (const socket of [client, served]) socket.on('error', () => undefined);
});

afterEach(async () => {
  await link.close();
  client.destroy();
  served.destroy();
  server.close();
});

/** The end of a socket, with or without an error. */
const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => socket.once('close', () => resolve()));

async function until(condition: () => boolean, socket: Socket): Promise<void> {
  while (!condition()) await once(socket, 'data');
}

const numbers = (from: number, count: number): string =>
  Array.from({ length: count }, (_, index) => `${from + index};`).join('');

it('carries both ways, and the end of each way by itself', async () => {
  client.end('question');
  await once(served, 'end');
  expect(received.up).toBe('question');
  served.end('answer');
  await once(client, 'end');
  expect(received.down).toBe('answer');
});

it('keeps the order of bytes while it becomes slower and faster, and gives the end last', async () => {
  let sent = '';
  for (const [index, ms] of [80, 5, 40, 0, 20, 0].entries()) {
    link.delay(ms);
    const text = numbers(index * 1_000, 1_000);
    sent += text;
    await new Promise<void>((resolve) => client.write(text, () => resolve()));
    // A turn of the loop, so that the link reads it under this delay.
    await new Promise((resolve) => setImmediate(resolve));
  }
  link.heal();
  client.end('last');
  await once(served, 'end');
  expect(received.up).toBe(`${sent}last`);
});

it('is late by its delay', async () => {
  link.delay(120);
  const startedAt = performance.now();
  client.write('a');
  await until(() => received.up === 'a', served);
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(119);
});

it('lets nothing through in a silent direction, everything in the other, and what was held back when it is over', async () => {
  link.silence('up');
  const text = numbers(0, 2_000);
  client.write(text);
  served.write('heard');
  await until(() => received.down === 'heard', client);
  expect(received.up).toBe('');
  link.heal();
  await until(() => received.up.length === text.length, served);
  expect(received.up).toBe(text);
});

it('hides the end of a process while it is silent', async () => {
  link.silence('up', 'down');
  let ended = false;
  served.on('end', () => (ended = true));
  client.resetAndDestroy();
  served.write('into nothing');
  const other = connect({ port: link.port, host: '127.0.0.1' });
  await once(other, 'connect');
  other.destroy();
  expect(ended).toBe(false);
  link.heal();
  if (!ended) await closed(served);
});

it('cuts connections with a reset, without the end of what was sent, and carries new ones', async () => {
  link.silence('up');
  client.write('never heard');
  const gone = [closed(client), closed(served)];
  link.heal({ reset: true });
  await Promise.all(gone);
  expect(received.up).toBe('');
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const next = connect(link.port, '127.0.0.1');
  const [again] = await accepted;
  for (const socket of [next, again]) socket.on('error', () => undefined);
  next.write('again');
  const [bytes] = (await once(again, 'data')) as [Buffer];
  expect(String(bytes)).toBe('again');
  next.destroy();
  again.destroy();
});
