import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServiceEvent } from '@lab/contracts';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  event: ServiceEvent;
}

/** The answer of a receiver. Undefined means 204. */
export type Answering = (
  received: Received,
) => { status: number; headers?: Record<string, string>; text?: string } | undefined;

/** A server that receives webhooks. */
export interface Receiver {
  /** `http://127.0.0.1:<port>/hook` */
  url: string;
  port: number;
  received: Received[];
  answer: Answering;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const receiver: Receiver = { url: '', port: 0, received: [], answer: () => undefined, close };
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const event = JSON.parse(body) as ServiceEvent;
      const received = { path: request.url ?? '', headers: request.headers, body, event };
      receiver.received.push(received);
      const { status, headers = {}, text = '' } = receiver.answer(received) ?? { status: 204 };
      response.writeHead(status, headers).end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  async function close(): Promise<void> {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  const { port } = server.address() as AddressInfo;
  return Object.assign(receiver, { port, url: `http://127.0.0.1:${port}/hook` });
}

/** Checks as a receiver does whether one of the signatures of a message uses this secret. */
export function isSignedBy(secret: string, { headers, body }: Received): boolean {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    String(headers[`webhook-${name}`]),
  );
  const expected = createHmac('sha256', Buffer.from(secret.replace('whsec_', ''), 'base64'))
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64');
  return (signatures ?? '').split(' ').includes(`v1,${expected}`);
}
