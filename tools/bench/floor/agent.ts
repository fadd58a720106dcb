// The least that an agent can do: it hands each NATS request to one forked child, and sends back its reply.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { connect, type Msg } from '@nats-io/transport-node';

const nats = await connect({ servers: process.env['FLOOR_NATS_URL'] ?? '' });
const child = fork(fileURLToPath(new URL('child.js', import.meta.url)), { serialization: 'json' });
const waiting = new Map<number, Msg>();
let next = 0;
child.on('message', ({ id, value }: { id: number; value: unknown }) => {
  waiting.get(id)?.respond(JSON.stringify(value));
  waiting.delete(id);
});
nats.subscribe('floor.call', {
  callback: (error, message) => {
    if (error) throw error;
    next += 1;
    waiting.set(next, message);
    child.send({ id: next, arguments: message.json() });
  },
});
await nats.flush();
process.send?.({ ready: true });
process.on('disconnect', () => {
  child.kill('SIGKILL');
  process.exit(0);
});
