// The barest HTTP front: one request in, one NATS request out, no checks of any kind.
import { createServer } from 'node:http';
import { connect } from '@nats-io/transport-node';

const nats = await connect({ servers: process.env.FLOOR_NATS_URL });
const encoder = new TextEncoder();

const server = createServer((request, response) => {
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', () => {
    nats.request('floor.call', encoder.encode(Buffer.concat(pieces).toString()), { timeout: 10_000 }).then(
      (reply) => {
        response.setHeader('content-type', 'application/json');
        response.end(reply.string());
      },
      (error) => {
        response.statusCode = 500;
        response.end(String(error));
      },
    );
  });
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('disconnect', () => process.exit(0));
