// The barest agent: hands each NATS request to one forked child and its answer back.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { connect } from '@nats-io/transport-node';

const nats = await connect({ servers: process.env.FLOOR_NATS_URL });
const child = fork(fileURLToPath(new URL('child.mjs', import.meta.url)), { serialization: 'json' });
const waiting = new Map();
let next = 0;
child.on('message', ({ id, value }) => {
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
process.send({ ready: true });
process.on('disconnect', () => {
  child.kill('SIGKILL');
  process.exit(0);
});
