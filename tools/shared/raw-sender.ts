import { Agent, request, type IncomingHttpHeaders } from 'node:http';

/**
 * A sender of single HTTP requests, byte for byte, over connections that stay open. Tools use it in two cases: the fuzzer
 * sends what no client would send, and a measured request must not contain the work of a client library (validation,
 * idempotency keys, retries). Everything else uses `@lab/api-client`.
 */

export interface RawRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: Buffer | string | undefined;
}

export interface RawReply {
  /** 0: no whole response arrived; the body says why. */
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
  /** Milliseconds from the request to the last byte; of an endless stream, to its head. */
  ms: number;
}

const endless = 'text/event-stream';
/** How long the sender waits for the first bytes of an endless stream, in milliseconds. */
const firstBytesMs = 200;

export class RawSender {
  readonly #agent: Agent;
  readonly #address: { hostname: string; port: string };
  readonly #timeoutMs: number;

  /** @param timeoutMs milliseconds after which a response counts as missing */
  constructor(url: string, connections = 64, timeoutMs = 60_000) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
    const { hostname, port } = new URL(url);
    this.#address = { hostname, port };
    this.#timeoutMs = timeoutMs;
  }

  /** Never rejects. */
  send({ method, path, headers = {}, body }: RawRequest): Promise<RawReply> {
    return new Promise((resolve) => {
      const begin = performance.now();
      const end = (reply: Omit<RawReply, 'ms'>): void => resolve({ ...reply, ms: performance.now() - begin });
      const fail = (error: Error): void => end({ status: 0, headers: {}, body: String(error) });
      const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
      const outgoing = request(
        {
          ...this.#address,
          agent: this.#agent,
          method,
          path,
          headers: { ...headers, ...length },
          timeout: this.#timeoutMs,
        },
        (response) => {
          const { statusCode: status = 0, headers } = response;
          if (headers['content-type']?.startsWith(endless) === true) {
            // The stream never ends: its head and first bytes are the response.
            const ms = performance.now() - begin;
            const leave = (body: string): void => {
              clearTimeout(timer);
              response.destroy();
              resolve({ status, headers, body, ms });
            };
            const timer = setTimeout(() => leave(''), firstBytesMs);
            response.once('data', (bytes: Buffer) => leave(bytes.toString()));
            response.once('end', () => leave(''));
            response.on('error', () => undefined);
            return;
          }
          const pieces: Buffer[] = [];
          response.on('data', (piece: Buffer) => pieces.push(piece));
          response.on('error', fail);
          response.on('end', () => end({ status, headers, body: Buffer.concat(pieces).toString() }));
        },
      );
      outgoing.on('timeout', () => outgoing.destroy(new Error(`no response within ${this.#timeoutMs} ms`)));
      outgoing.on('error', fail);
      outgoing.end(body);
    });
  }

  /**
   * Posts JSON.
   *
   * @throws Error when the response is not a success
   */
  async post(path: string, body?: unknown): Promise<void> {
    const json = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    await this.#succeed({ method: 'POST', path, ...(body === undefined ? {} : json) });
  }

  /** @throws Error when the response is not a success */
  async get(path: string): Promise<void> {
    await this.#succeed({ method: 'GET', path });
  }

  async #succeed(sent: RawRequest): Promise<void> {
    const { status, body } = await this.send(sent);
    if (status < 200 || status > 299) throw new Error(`${sent.method} ${sent.path}: ${status} ${body}`);
  }

  close(): void {
    this.#agent.destroy();
  }
}
