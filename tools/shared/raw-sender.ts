// A client that sends what it is told, byte for byte, over connections that are kept.
import { Agent, request } from 'node:http';

const endless = 'text/event-stream';
/** What a stream sends first is waited for so long, in milliseconds. */
const firstBytesMs = 200;

/** @param answerMs how long an answer may take until it counts as none */
export function rawClient(url, connections, answerMs) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const { hostname, port } = new URL(url);

  /** @returns status 0: there was no answer; `ms` from the request to its last byte */
  const send = ({ method, path, headers, body }) =>
    new Promise((resolve) => {
      const begin = performance.now();
      const end = (reply) => resolve({ ...reply, ms: performance.now() - begin });
      const length = body === undefined ? {} : { 'content-length': body.length };
      const outgoing = request(
        { agent, hostname, port, method, path, headers: { ...headers, ...length }, timeout: answerMs },
        (response) => {
          const { statusCode: status, headers } = response;
          if (headers['content-type']?.startsWith(endless) === true) {
            // It would go on for ever; that it began is all that is asked.
            const begun = performance.now() - begin;
            const leave = (body) => {
              clearTimeout(timer);
              response.destroy();
              resolve({ status, headers, body, ms: begun });
            };
            const timer = setTimeout(() => leave(''), firstBytesMs);
            response.once('data', (bytes) => leave(bytes.toString()));
            response.once('end', () => leave(''));
            response.on('error', () => undefined);
            return;
          }
          const pieces = [];
          response.on('data', (piece) => pieces.push(piece));
          response.on('error', (error) => end({ status: 0, headers: {}, body: String(error) }));
          response.on('end', () => end({ status, headers, body: Buffer.concat(pieces).toString() }));
        },
      );
      outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${answerMs} ms`)));
      outgoing.on('error', (error) => end({ status: 0, headers: {}, body: String(error) }));
      outgoing.end(body);
    });
  return { send, close: () => agent.destroy() };
}
