import { lookup } from 'node:dns/promises';
import * as http from 'node:http';
import * as https from 'node:https';
import { isIP, type BlockList, type LookupFunction } from 'node:net';
import { blockListOf, isNetwork, isPublicAddress } from './addresses.js';

/** Allowed targets of requests to addresses that people give. */
export interface OutboundPolicy {
  /** Names, addresses and networks (CIDR) that may be reached although they are not on the public internet. */
  allow: readonly string[];
  /** Whether `http:` is allowed beside `https:`. */
  http: boolean;
  /** TCP ports that may be reached. */
  ports: readonly number[];
}

/** The answer of a server. */
export interface OutboundAnswer {
  status: number;
  headers: http.IncomingHttpHeaders;
  /** The body as UTF-8, its first {@link maxAnswerBytes} at most. */
  text: string;
}

/** The address must not be reached. The message gives the cause and may be shown. */
export class OutboundRefusedError extends Error {
  override readonly name = 'OutboundRefusedError';

  /** @param setting of the policy that can allow the address; undefined: none can */
  constructor(
    message: string,
    readonly setting?: keyof OutboundPolicy,
  ) {
    super(message);
  }
}

/** Most bytes of an answer that are read. */
export const maxAnswerBytes = 64 * 1024;

interface Address {
  address: string;
  family: number;
}

/** Finds the addresses of a host. */
export type Resolve = (host: string) => Promise<Address[]>;

const systemResolve: Resolve = (host) => lookup(host, { all: true, verbatim: true });

/**
 * Sends requests to addresses that people gave. No request reaches a machine that only this service can reach
 * (server-side request forgery): the host is looked up once, all its addresses must be public or allowed, and the
 * connection goes to one of these addresses, even if the name changes a moment later. Redirects are not followed,
 * proxies are not used, connections are not kept.
 */
export class Outbound {
  readonly #names: ReadonlySet<string>;
  readonly #networks: BlockList;

  /** @param resolve looks up hosts; default: the resolver of this computer */
  constructor(
    private readonly policy: OutboundPolicy,
    private readonly resolve: Resolve = systemResolve,
  ) {
    this.#names = new Set(policy.allow.filter((each) => !isNetwork(each)).map((each) => each.toLowerCase()));
    this.#networks = blockListOf(policy.allow.filter(isNetwork));
  }

  /**
   * Checks an address without a look-up. The addresses of a name are checked when it is reached.
   *
   * @throws OutboundRefusedError
   */
  check(text: string): URL {
    if (!URL.canParse(text)) throw new OutboundRefusedError('is not an address');
    const url = new URL(text);
    const isSecure = url.protocol === 'https:';
    if (!isSecure && !(url.protocol === 'http:' && this.policy.http))
      throw new OutboundRefusedError(
        `must begin with ${this.policy.http ? 'https:// or http://' : 'https://'}`,
        url.protocol === 'http:' ? 'http' : undefined,
      );
    if (url.username !== '' || url.password !== '')
      throw new OutboundRefusedError('must not hold a user or a password');
    const port = url.port === '' ? (isSecure ? 443 : 80) : Number(url.port);
    if (!this.policy.ports.includes(port))
      throw new OutboundRefusedError(
        `goes to port ${port}; those that may be reached are ${this.policy.ports.join(', ')}`,
        'ports',
      );
    const host = hostOf(url);
    if (isIP(host) !== 0) this.#requireAllowed(host, host);
    return url;
  }

  /**
   * Sends one POST request.
   *
   * @param options.timeoutMs time limit of the answer; if only the status arrived in time, the text may be cut
   * @throws OutboundRefusedError when the address must not be reached: nothing was sent
   * @throws Error of the connection, or a `TimeoutError`
   */
  async post(
    text: string,
    options: {
      headers: Readonly<Record<string, string>>;
      body: string;
      timeoutMs: number;
      signal: AbortSignal;
    },
  ): Promise<OutboundAnswer> {
    const url = this.check(text);
    const signal = AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs)]);
    const addresses = await unlessAborted(this.#addressesOf(hostOf(url)), signal);
    const body = Buffer.from(options.body);
    return new Promise((resolve, reject) => {
      const { request } = url.protocol === 'https:' ? https : http;
      const sent = request(
        url,
        {
          method: 'POST',
          agent: false,
          headers: { ...options.headers, 'content-length': body.length },
          lookup: lookupOf(addresses),
          signal,
        },
        (answer) => {
          // From here on the status is known. An error of the connection only cuts the text.
          sent.off('error', fail).on('error', () => undefined);
          void readAnswer(answer).then(resolve);
        },
      );
      const fail = (error: Error): void => reject(signal.aborted ? (signal.reason as Error) : error);
      sent.on('error', fail);
      sent.end(body);
    });
  }

  /** @throws OutboundRefusedError */
  async #addressesOf(host: string): Promise<Address[]> {
    const family = isIP(host);
    const found = family === 0 ? await this.resolve(host) : [{ address: host, family }];
    for (const { address } of found) this.#requireAllowed(host, address);
    return found;
  }

  #requireAllowed(host: string, address: string): void {
    if (isPublicAddress(address) || this.#names.has(host.toLowerCase())) return;
    if (this.#networks.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')) return;
    throw new OutboundRefusedError(
      host === address
        ? `goes to ${address}, which is not on the public internet and not among what is allowed`
        : `goes to a machine that is not on the public internet (${host}) and not among what is allowed`,
      'allow',
    );
  }
}

/** Without the brackets of IPv6 and the dot of the root. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

/** Answers every look-up with the checked addresses. */
function lookupOf(addresses: readonly Address[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (first === undefined) callback(new Error('the host has no address'), '');
    else if (options.all === true) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}

/** Reads until the answer ends, exceeds its bound or runs out of time. */
async function readAnswer(answer: http.IncomingMessage): Promise<OutboundAnswer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      chunks.push(chunk.subarray(0, maxAnswerBytes - bytes));
      bytes += chunk.length;
      if (bytes >= maxAnswerBytes) break;
    }
  } catch {
    // The status has come, and is what counts.
  }
  answer.destroy();
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    text: Buffer.concat(chunks).toString('utf8'),
  };
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject);
  });
}
