import { Agent, request as startRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { NotBegun, type JsonObject, type JsonValue } from '@lab/sdk';
import { ExchangeError, isFailure, messageOf } from '../errors/index.js';
import { excerpt, openSocket } from '../messages/index.js';
import type { OpenPort, Port, PortEvents, Purpose, Target } from '../messages/index.js';

/** Bytes of an answer that are read. */
const largestAnswer = 4 * 1024 * 1024;

/** A request: the path begins at the root of the server. */
export interface HttpRequest extends JsonObject {
  method: string;
  path: string;
}

export interface HttpAnswer extends JsonObject {
  status: number;
  body: JsonValue;
}

export interface HttpPeer {
  target: Target;
  /** `host:port` for the header Host. */
  authority: string;
  /** Headers of every request, with secrets. They are not recorded. */
  headers: Readonly<Record<string, string>>;
  /** Seconds that one request may take. */
  requestTimeout: number;
}

/** Headers of an answer that functions need. */
const keptHeaders = ['location', 'retry-after'];

/**
 * Opens a way to an HTTP server. It makes a connection at once, to see that the server is there and the right one.
 *
 * A request other than GET and HEAD has a connection of its own. On a connection that was used before, nobody could tell a request that
 * the server never saw from one that it carried out.
 */
export function httpPort(peer: HttpPeer): OpenPort {
  return async (events, signal) => {
    const first = await openSocket(peer.target, signal);
    first.destroy();
    return new HttpPort(peer, events);
  };
}

class HttpPort implements Port {
  readonly #kept: Agent;
  #isLost = false;

  constructor(
    private readonly peer: HttpPeer,
    private readonly events: PortEvents,
  ) {
    this.#kept = Object.assign(new Agent({ keepAlive: true, maxSockets: 8 }), {
      createConnection: (_: unknown, made: (error: Error | null, socket?: Socket) => void): undefined => {
        openSocket(peer.target, AbortSignal.timeout(peer.requestTimeout * 1000)).then(
          (socket) => made(null, socket),
          (error: unknown) => made(error as Error),
        );
      },
    });
  }

  async exchange(request: HttpRequest, { signal }: Purpose): Promise<HttpAnswer> {
    const seconds = this.peer.requestTimeout;
    const timeout = new AbortController();
    const timer = setTimeout(() => {
      timeout.abort(new ExchangeError(`${request.method} ${request.path}: no answer within ${seconds} s`));
    }, seconds * 1000);
    const both = AbortSignal.any([signal, timeout.signal]);
    try {
      return await this.#send(request, both);
    } catch (error) {
      // A late answer is no lost connection: the next request makes another one anyhow.
      if (!both.aborted) this.#lose(error);
      const reason: unknown = both.aborted && !(error instanceof NotBegun) ? both.reason : error;
      if (isFailure(reason)) throw reason;
      throw new ExchangeError(`${request.method} ${request.path}: ${messageOf(reason)}`, {
        cause: error,
      });
    } finally {
      clearTimeout(timer);
    }
  }

  close(): Promise<void> {
    this.#isLost = true;
    this.#kept.destroy();
    return Promise.resolve();
  }

  #lose(error: unknown): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.events.lost(error instanceof Error ? error : new Error(messageOf(error)));
  }

  async #send(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const { method, path, headers = {}, body } = request;
    const isRead = method === 'GET' || method === 'HEAD';
    const text =
      body === undefined ? undefined : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    const socket = isRead ? undefined : await openSocket(this.peer.target, signal);
    try {
      return await new Promise<HttpAnswer>((resolve, reject) => {
        const sent = startRequest({
          method,
          path,
          signal,
          headers: {
            Host: this.peer.authority,
            Accept: 'application/json, text/plain;q=0.8, */*;q=0.5',
            ...(text === undefined
              ? {}
              : {
                  'Content-Type': typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json',
                  'Content-Length': String(text.length),
                }),
            ...(headers as Record<string, string>),
            ...this.peer.headers,
          },
          ...(socket === undefined ? { agent: this.#kept } : { createConnection: () => socket }),
        });
        sent.once('error', (error) => {
          // The server may close a kept connection at any time. A read can be repeated.
          if (sent.reusedSocket && !signal.aborted) resolve(this.#send(request, signal));
          else reject(error);
        });
        sent.once('response', (response) => {
          readAnswer(response).then(resolve, reject);
        });
        sent.end(text);
      });
    } finally {
      socket?.destroy();
    }
  }
}

/**
 * Downloads a text from the server, once.
 *
 * @throws Error with the status when it is no success
 */
export async function download(peer: HttpPeer, path: string, signal: AbortSignal): Promise<string> {
  const socket = await openSocket(peer.target, signal);
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { Host: peer.authority, ...peer.headers };
      const sent = startRequest({ path, signal, headers, createConnection: () => socket });
      sent.once('error', reject).once('response', resolve).end();
    });
    if (response.statusCode !== 200) throw new Error(`the server answered ${response.statusCode}`);
    return await readText(response);
  } finally {
    socket.destroy();
  }
}

async function readAnswer(response: IncomingMessage): Promise<HttpAnswer> {
  const text = await readText(response);
  const { statusCode: status = 0 } = response;
  const headers: JsonObject = {};
  for (const name of keptHeaders) {
    const value = response.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  const body = bodyOf(text, response.headers['content-type'] ?? '', status);
  return { status, ...(Object.keys(headers).length === 0 ? {} : { headers }), body };
}

async function readText(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > largestAnswer) throw new Error(`the answer has more than ${largestAnswer} bytes`);
    parts.push(part);
  }
  // A connection that ends early ends the answer without an error of its own.
  if (!response.complete) throw new Error('the connection ended in the middle of the answer');
  return Buffer.concat(parts).toString('utf8');
}

/** The body as JSON if its type says so or it is JSON, else as a text; null: there is none. */
function bodyOf(text: string, type: string, status: number): JsonValue {
  if (text.trim() === '') return null;
  const isJson = /[/+]json\b/i.test(type);
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    if (!isJson || status >= 400) return text;
    throw new Error(
      `the answer says that it is JSON, and it is not (${messageOf(error)}): ${excerpt(text)}`,
      {
        cause: error,
      },
    );
  }
}
