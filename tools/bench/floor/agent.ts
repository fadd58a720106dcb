// The least that an agent can do: it hands each NATS request to one forked child, and sends back its reply. Before an effect it
// makes a record of 512 bytes durable.
import { fork } from 'node:child_process';
import { constants } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect, type Msg } from '@nats-io/transport-node';
import { brokerAt } from './broker.js';

const nats = await connect(brokerAt(process.env['FLOOR_NATS_URL'] ?? ''));
const child = fork(fileURLToPath(new URL('child.js', import.meta.url)), { serialization: 'json' });
const path = join(tmpdir(), `svc-floor-${process.pid}`);
const ledger = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_DSYNC);
// The open file keeps its space. Nothing is left when this process is killed.
await unlink(path);
const record = Buffer.alloc(512, 'x');

const waiting = new Map<number, Msg>();
let next = 0;
child.on('message', ({ id, value }: { id: number; value: unknown }) => {
  waiting.get(id)?.respond(JSON.stringify(value));
  waiting.delete(id);
});
function hand(message: Msg): void {
  next += 1;
  waiting.set(next, message);
  child.send({ id: next, arguments: message.json() });
}
nats.subscribe('floor.call', {
  callback: (error, message) => {
    if (error) throw error;
    hand(message);
  },
});
nats.subscribe('floor.effect', {
  callback: (error, message) => {
    if (error) throw error;
    void ledger.write(record, 0, record.length, 0).then(() => hand(message));
  },
});
await nats.flush();
process.send?.({ ready: true });
process.on('disconnect', () => {
  child.kill('SIGKILL');
  process.exit(0);
});
