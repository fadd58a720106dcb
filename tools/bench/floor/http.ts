// The least that a gateway can do, without any checks. `/call` and `/effect` become one NATS request each. `/commit` inserts
// one row. `/start` inserts one row and then asks the agent for an effect.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from '@nats-io/transport-node';
import pg from 'pg';
import { brokerAt } from './broker.js';

const nats = await connect(brokerAt(process.env['FLOOR_NATS_URL'] ?? ''));
const encoder = new TextEncoder();

const databaseUrl = process.env['FLOOR_DATABASE_URL'];
const database = databaseUrl === undefined ? undefined : new pg.Pool({ connectionString: databaseUrl });
await database?.query('create table if not exists floor (id bigserial primary key, body text not null)');

const ask = async (subject: string, body: string): Promise<string> =>
  (await nats.request(subject, encoder.encode(body), { timeout: 10_000 })).string();

async function commit(body: string): Promise<string> {
  if (database === undefined) throw new Error('FLOOR_DATABASE_URL names no database');
  await database.query({ name: 'insert', text: 'insert into floor (body) values ($1)', values: [body] });
  return '{}';
}

const routes: Record<string, (body: string) => Promise<string>> = {
  '/call': (body) => ask('floor.call', body),
  '/effect': (body) => ask('floor.effect', body),
  '/commit': commit,
  async '/start'(body) {
    await commit(body);
    return ask('floor.effect', body);
  },
};

const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const route = routes[request.url ?? ''] ?? (() => Promise.reject(new Error('there is no such path')));
    route(Buffer.concat(pieces).toString()).then(
      (reply) => {
        response.setHeader('content-type', 'application/json');
        response.end(reply);
      },
      (error: unknown) => {
        response.statusCode = 500;
        response.end(String(error));
      },
    );
  });
});
// A connection that closes while a request is on its way would end the measurement.
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit(0));
