import { request, type IncomingMessage } from 'node:http';

export interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
}

type Headers = Record<string, string>;

/** The HTTP door of the service, as an attacker uses it: paths are sent as they are, and any header may be forged. */
export class Door {
  constructor(
    private readonly url: string,
    /** Address that the trusted proxy in front of the service states for this attacker. */
    private readonly address: string,
  ) {}

  send(method: string, path: string, headers: Headers = {}, body?: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sent = this.#request(method, path, headers, body !== undefined);
      sent.on('error', reject);
      sent.once('timeout', () => sent.destroy(new Error(`${method} ${path} has no answer`)));
      sent.once('response', (response) => {
        const chunks: Buffer[] = [];
        // A stream has no end. That it began is the answer.
        if (response.headers['content-type']?.startsWith('text/event-stream') === true) {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text: 'a stream' });
          response.on('error', () => undefined /* it is cut off here */);
          sent.destroy();
          return;
        }
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        });
      });
      sent.end(body);
    });
  }

  /** As {@link send}, with the token and a body as JSON. */
  as(token: string, method: string, path: string, body?: unknown, headers: Headers = {}): Promise<Answer> {
    const authorization = { authorization: `Bearer ${token}`, ...headers };
    return this.send(method, path, authorization, body === undefined ? undefined : JSON.stringify(body));
  }

  /** Opens a stream. @returns its status, and a function that closes it */
  open(token: string, path: string): Promise<{ status: number; close: () => void }> {
    return new Promise((resolve, reject) => {
      const sent = this.#request('GET', path, { authorization: `Bearer ${token}` }, false);
      sent.once('error', reject);
      sent.once('response', (response) => {
        response.on('error', () => undefined /* the attacker closes it */);
        response.resume();
        resolve({ status: response.statusCode ?? 0, close: () => sent.destroy() });
      });
      sent.end();
    });
  }

  #request(method: string, path: string, headers: Headers, isJson: boolean) {
    const { hostname, port } = new URL(this.url);
    return request({
      hostname,
      port,
      method,
      path,
      agent: false,
      timeout: 20_000,
      headers: {
        'x-forwarded-for': this.address,
        ...(isJson ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
    });
  }
}
