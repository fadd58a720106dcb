import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { rootCertificates } from 'node:tls';

/** How this computer reaches HTTP servers of the service. */
export interface HttpWay {
  /** PEM certificates of the authorities that certify the service. Undefined: those that Node knows. */
  readonly authorities?: string | undefined;
  /** True: nobody vouches for the server. Only for what is verified in another way. */
  readonly unverified?: boolean;
  /** Address of an HTTP proxy. Undefined: there is none. */
  readonly proxy?: string | undefined;
  /** Told when a server of the service has a certificate of another authority. */
  readonly onDistrust?: (() => void) | undefined;
}

/**
 * Begins a request. Another server than those of the service, such as one with a bucket, may also be certified by an authority
 * that Node knows.
 *
 * @param way applies to `https:` addresses
 * @param foreign whether the address may lead to another server
 */
export async function beginRequest(
  url: URL,
  way: HttpWay,
  options: RequestOptions,
  foreign = false,
): Promise<ClientRequest> {
  if (url.protocol !== 'https:') return httpRequest(url, options);
  const { authorities, proxy, unverified = false, onDistrust } = way;
  const request = httpsRequest(url, {
    ...options,
    ...(authorities === undefined ? {} : { ca: foreign ? [...rootCertificates, authorities] : authorities }),
    ...(unverified ? { rejectUnauthorized: false } : {}),
    ...(proxy === undefined ? {} : { agent: await proxyAgent(proxy) }),
  });
  if (onDistrust !== undefined)
    request.once('error', (error: NodeJS.ErrnoException) => {
      if (isOfAnotherAuthority(error)) onDistrust();
    });
  return request;
}

/** Whether a server was refused because its certificate is of an authority that is not trusted. */
export function isOfAnotherAuthority({ code }: { code?: string | undefined }): boolean {
  return /SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/.test(code ?? '');
}

async function proxyAgent(proxy: string) {
  const { HttpsProxyAgent } = await import('https-proxy-agent');
  return new HttpsProxyAgent(proxy);
}

/** An answer that is no success, or not one of a gateway. */
export class GatewayRefusal extends Error {
  constructor(
    message: string,
    readonly status: number,
    options: ErrorOptions = {},
  ) {
    super(message, options);
  }
}

const answerMs = 15_000;
const mostBytes = 262_144;

/** Sends requests to the gateway before there is a connection to the broker. */
export class GatewayDoor {
  /** @param address of the gateway, for example `https://lab-server:8443` */
  constructor(
    private readonly address: string,
    private readonly way: HttpWay,
  ) {}

  /** @throws GatewayRefusal with the sentence of the gateway; Error when it cannot be reached */
  async get(path: string): Promise<string> {
    return (await this.#send(path, 'GET')).body;
  }

  /** @returns the status and the answer as JSON. @throws as {@link get} */
  async post(path: string, body: object): Promise<{ status: number; answer: unknown }> {
    const { status, body: text } = await this.#send(path, 'POST', JSON.stringify(body));
    try {
      return { status, answer: JSON.parse(text) as unknown };
    } catch (error) {
      const what = `What answers at ${this.address} is not the service: it sends no JSON.`;
      throw new GatewayRefusal(what, status, { cause: error });
    }
  }

  /** The time of the gateway in milliseconds since 1970, without fractions of a second. @throws as {@link get} */
  async time(): Promise<number> {
    const { date } = await this.#send('/health/live', 'GET');
    if (!Number.isNaN(date)) return date;
    throw new Error('the gateway does not say what time it is');
  }

  async #send(
    path: string,
    method: string,
    body = '',
  ): Promise<{ status: number; body: string; date: number }> {
    const request = await beginRequest(new URL(`${this.address}${path}`), this.way, {
      method,
      timeout: answerMs,
      headers:
        body === '' ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    });
    request.once('timeout', () => request.destroy(new Error(`no answer within ${answerMs / 1_000} s`)));
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', resolve);
      request.once('error', reject);
      request.end(body);
    });
    const text = await textOf(response);
    const status = response.statusCode ?? 0;
    if (status >= 200 && status < 300)
      return { status, body: text, date: Date.parse(response.headers.date ?? '') };
    throw new GatewayRefusal(sentenceOf(text) ?? `the gateway answers with status ${status}`, status);
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  response.setEncoding('utf8');
  let text = '';
  for await (const chunk of response) {
    text += String(chunk);
    if (text.length > mostBytes) throw new Error('the answer is too long to be one of the gateway');
  }
  return text;
}

/** What failed, in words. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

/** The sentence in a problem document; undefined: the text is none. */
function sentenceOf(text: string): string | undefined {
  try {
    const { detail, errors } = JSON.parse(text) as {
      detail?: unknown;
      errors?: { path?: string; message?: string; hint?: string }[];
    };
    if (typeof detail !== 'string') return undefined;
    const faults = (errors ?? []).map(
      ({ message, hint }) => `${message ?? ''}${hint === undefined ? '' : ` (${hint})`}`,
    );
    return [detail, ...faults].join(' ');
  } catch {
    return undefined;
  }
}
