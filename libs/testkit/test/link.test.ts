import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Link } from '../src/servers/link.js';

/** The faults of a connection: bytes come late or not at all, but always in order, and never only some of them. */

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
  link = await Link.open(typeof address === 'object' ? (address?.port ?? 0) : 0);
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
  link.close();
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

it('the link carries data both ways and ends each direction separately', async () => {
  client.end('question');
  await once(served, 'end');
  expect(received.up).toBe('question');
  served.end('answer');
  await once(client, 'end');
  expect(received.down).toBe('answer');
});

it('the link keeps the order of bytes while its delay changes, and delivers the end last', async () => {
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

it('the link delivers after its delay', async () => {
  link.delay(120);
  const startedAt = performance.now();
  client.write('a');
  await until(() => received.up === 'a', served);
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(119);
});

it('the link holds data in a silent direction, carries it in the other and delivers held data after the silence', async () => {
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

it('the link hides the end of a process during a silence', async () => {
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

it('the link resets connections without delivering held data and carries new connections', async () => {
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
