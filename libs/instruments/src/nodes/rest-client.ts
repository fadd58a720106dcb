import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request as send, type IncomingMessage } from 'node:http';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Mask } from '../recordings/index.js';
import { largestAnswer, PeerError, targetOf, type Link, type LinkAnswer, type LinkRequest } from './link.js';
import { plain, type LinkSettings } from './link-settings.js';

/** Milliseconds of silence after which the operating system asks whether the other side still has the connection. */
const keepAliveMs = 15_000;

/**
 * The HTTP API of another system. Each request has a connection of its own. The other side can close a kept connection at any
 * moment, and then nobody would know whether it still read a request that starts something.
 */
export class RestClient implements Link {
  readonly #base: URL;
  readonly #ca: string | undefined;
  readonly #token: string | undefined;

  /**
   * @param headers sent with each request
   * @param mask takes the token
   * @throws Error when the file of the authority or of the token cannot be read
   */
  constructor(
    private readonly settings: LinkSettings,
    private readonly headers: Readonly<Record<string, string>> = {},
    mask?: Mask,
  ) {
    this.#base = new URL(settings.address);
    this.#ca = settings.ca_file === undefined ? undefined : textOf('ca_file', settings.ca_file);
    this.#token =
      settings.token_file === undefined ? undefined : textOf('token_file', settings.token_file).trim();
    if (this.#token !== undefined) mask?.add(this.#token);
  }

  async ask(request: LinkRequest): Promise<LinkAnswer> {
    const withinMs = request.withinMs ?? this.settings.answer_within * 1000;
    const limit = AbortSignal.timeout(Math.ceil(withinMs));
    const signal = request.signal === undefined ? limit : AbortSignal.any([limit, request.signal]);
    const at = this.#base.origin;
    const failed = (error: unknown, reached: boolean): PeerError => {
      if (error instanceof PeerError) return error;
      const why = limit.aborted
        ? `gave no answer within ${withinMs / 1000} s`
        : request.signal?.aborted === true
          ? 'was not waited for any longer'
          : reasonOf(error);
      return new PeerError(`${at} ${why} (${request.method} ${request.path})`, reached);
    };
    // The body exists before the connection, so that everything that fails here was not sent.
    const body = await bodyOf(request);
    let socket: Socket;
    try {
      socket = await this.#connect(signal);
    } catch (error) {
      throw failed(error, false);
    }
    try {
      return await this.#exchange(request, body, socket, signal);
    } catch (error) {
      throw failed(error, true);
    } finally {
      socket.destroy();
    }
  }

  /** Connects, and checks the certificate before anything is sent. */
  async #connect(signal: AbortSignal): Promise<Socket> {
    signal.throwIfAborted();
    const { hostname, protocol, port } = this.#base;
    const host = hostname.replace(/^\[|\]$/g, '');
    const pinned = this.settings.fingerprint;
    const isTls = protocol === 'https:';
    const socket = isTls
      ? connectTls({
          host,
          port: Number(port) || 443,
          ...(isIP(host) === 0 ? { servername: host } : {}),
          ...(this.#ca === undefined ? {} : { ca: this.#ca }),
          // A pinned certificate is compared below, in place of its authority and its name.
          ...(pinned === undefined ? {} : { rejectUnauthorized: false }),
        })
      : connectPlain({ host, port: Number(port) || 80 });
    // Whoever waits gets each error by other means, and an error that nobody hears would end the process.
    socket.on('error', () => undefined);
    // An exchange can last as long as a function of an instrument. A dead connection must not be taken for a slow one.
    socket.setKeepAlive(true, keepAliveMs);
    try {
      await once(socket, isTls ? 'secureConnect' : 'connect', { signal });
      if (pinned !== undefined && 'getPeerCertificate' in socket) {
        const shown = socket.getPeerCertificate().fingerprint256;
        if (plain(shown) !== pinned) {
          throw new PeerError(
            `${this.#base.origin} shows a certificate with the SHA-256 fingerprint ${shown}, not the one in ` +
              'init_parameters.fingerprint: somebody renewed it, or another system answers there',
            false,
          );
        }
      }
      return socket;
    } catch (error) {
      socket.destroy();
      throw error;
    }
  }

  async #exchange(
    request: LinkRequest,
    body: { type: string; bytes: Buffer } | undefined,
    socket: Socket,
    signal: AbortSignal,
  ): Promise<LinkAnswer> {
    const { method, path, largest = largestAnswer } = request;
    const outgoing = send({
      method,
      path: `${this.#base.pathname.replace(/\/$/, '')}${targetOf(request)}`,
      headers: {
        host: this.#base.host,
        accept: 'application/json, */*',
        ...this.headers,
        ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
        ...(body === undefined ? {} : { 'content-type': body.type }),
        'content-length': body?.bytes.length ?? 0,
      },
      createConnection: () => socket,
      signal,
    });
    outgoing.on('error', () => undefined);
    outgoing.end(body?.bytes);
    const [incoming] = (await once(outgoing, 'response', { signal })) as [IncomingMessage];
    const parts: Buffer[] = [];
    let size = 0;
    for await (const part of incoming) {
      size += (part as Buffer).length;
      if (size > largest)
        throw new PeerError(
          `the answer of ${this.#base.origin} to ${method} ${path} has more than ${largest} bytes`,
          true,
        );
      parts.push(part as Buffer);
    }
    return { status: incoming.statusCode ?? 0, body: Buffer.concat(parts) };
  }
}

async function bodyOf({ json, form }: LinkRequest): Promise<{ type: string; bytes: Buffer } | undefined> {
  if (json !== undefined) return { type: 'application/json', bytes: Buffer.from(JSON.stringify(json)) };
  if (form === undefined) return undefined;
  const encoded = new Response(form);
  const type = encoded.headers.get('content-type') ?? 'multipart/form-data';
  return { type, bytes: Buffer.from(await encoded.arrayBuffer()) };
}

function textOf(setting: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`init_parameters.${setting}: ${path} cannot be read: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

/** Codes of Node and OpenSSL that say that a certificate is not trusted. */
const untrusted = /CERT|SIGNATURE|ISSUER|ALTNAME/;

function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code === 'string' && untrusted.test(code)) {
    return `shows a certificate that is not trusted (${code}): name its authority in ca_file, or its SHA-256 fingerprint in fingerprint`;
  }
  if (code === 'ECONNREFUSED') return 'refuses connections (ECONNREFUSED): does the system run?';
  // Node tries several addresses of one name, and then the error has no text.
  return `failed: ${typeof message === 'string' && message !== '' ? message : String(code)}`;
}
