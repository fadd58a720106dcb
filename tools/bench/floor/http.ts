// The least that a gateway can do: each HTTP request becomes one NATS request, without any checks.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from '@nats-io/transport-node';

const nats = await connect({ servers: process.env['FLOOR_NATS_URL'] ?? '' });
const encoder = new TextEncoder();

const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    nats.request('floor.call', encoder.encode(Buffer.concat(pieces).toString()), { timeout: 10_000 }).then(
      (reply) => {
        response.setHeader('content-type', 'application/json');
        response.end(reply.string());
      },
      (error: unknown) => {
        response.statusCode = 500;
        response.end(String(error));
      },
    );
  });
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit(0));
