import { createHmac, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The name of the signature that a token claims, and the key that makes it. */
export interface Signing {
  alg?: string;
  /** Absent: the key of the issuer. */
  key?: KeyObject | string;
  header?: object;
}

/** An OpenID Connect issuer on this computer, which signs any claims, and forges tokens too. */
export class Issuer {
  readonly #pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  readonly #stranger = generateKeyPairSync('rsa', { modulusLength: 2048 });

  /** Whether somebody has sent a request to `/hook`. */
  hooked = false;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {
    const key = { ...this.#pair.publicKey.export({ format: 'jwk' }), kid: 'own', alg: 'RS256', use: 'sig' };
    const foreign = { ...this.#stranger.publicKey.export({ format: 'jwk' }), kid: 'own', alg: 'RS256' };
    server.on('request', ({ url: path }, reply) => {
      if (path === '/hook') this.hooked = true;
      const keys = path === '/keys' ? [key] : path === '/stolen' ? [foreign] : undefined;
      const body = keys === undefined ? { issuer: url, jwks_uri: `${url}/keys` } : { keys };
      reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  }

  static async start(): Promise<Issuer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Issuer(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  get publicKey(): string {
    return this.#pair.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  }

  get strangersKey(): KeyObject {
    return this.#stranger.privateKey;
  }

  /** A token of this issuer that is valid for a minute, with other claims or another signature. */
  token(claims: object, { alg = 'RS256', key = this.#pair.privateKey, header = {} }: Signing = {}): string {
    const now = Math.floor(Date.now() / 1_000);
    const all = { iss: this.url, aud: 'lab', sub: 'sue', iat: now, exp: now + 60, ...claims };
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${part({ alg, typ: 'JWT', kid: 'own', ...header })}.${part(all)}`;
    if (alg === 'none') return `${text}.`;
    const signature =
      typeof key === 'string'
        ? createHmac('sha256', key).update(text).digest()
        : sign('sha256', Buffer.from(text), key);
    return `${text}.${signature.toString('base64url')}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
