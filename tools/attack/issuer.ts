import { createHash, createHmac, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** The name of the signature that a token claims, and the key that makes it. */
export interface Signing {
  alg?: string;
  /** Absent: the key of the issuer. */
  key?: KeyObject | string;
  header?: object;
}

/** A code that waits to be exchanged. */
interface Code {
  /** Of PKCE. */
  challenge: string | null;
  redirectUri: string | null;
  idToken: string;
}

/** An OpenID Connect issuer on this computer, which signs any claims, and forges tokens too. Its codes keep all rules. */
export class Issuer {
  readonly #pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  readonly #stranger = generateKeyPairSync('rsa', { modulusLength: 2048 });

  /** Whether somebody has sent a request to `/hook`. */
  hooked = false;

  readonly #codes = new Map<string, Code>();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {
    const key = { ...this.#pair.publicKey.export({ format: 'jwk' }), kid: 'own', alg: 'RS256', use: 'sig' };
    const foreign = { ...this.#stranger.publicKey.export({ format: 'jwk' }), kid: 'own', alg: 'RS256' };
    const parts = {
      ...{ issuer: url, jwks_uri: `${url}/keys`, authorization_endpoint: `${url}/authorize` },
      ...{ token_endpoint: `${url}/token`, authorization_response_iss_parameter_supported: true },
    };
    server.on('request', (request, reply) => {
      const { url: path } = request;
      if (path === '/hook') this.hooked = true;
      const answer = (status: number, body: object): void => {
        reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      };
      if (path === '/token') {
        void this.#exchange(request).then(
          (tokens) => answer(200, tokens),
          () => answer(400, { error: 'invalid_grant' }),
        );
        return;
      }
      const keys = path === '/keys' ? [key] : path === '/stolen' ? [foreign] : undefined;
      answer(200, keys === undefined ? parts : { keys });
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
    const signed = `${part({ alg, typ: 'JWT', kid: 'own', ...header })}.${part(all)}`;
    if (alg === 'none') return `${signed}.`;
    const signature =
      typeof key === 'string'
        ? createHmac('sha256', key).update(signed).digest()
        : sign('sha256', Buffer.from(signed), key);
    return `${signed}.${signature.toString('base64url')}`;
  }

  /**
   * Somebody signs in at the address to which the service sent a browser.
   *
   * @param claims of the ID token, in place of those of an honest issuer
   * @returns the query with which the browser goes back
   */
  signIn(address: URL, claims: object = {}, signing: Signing = {}): URLSearchParams {
    const asked = address.searchParams;
    const code = randomBytes(16).toString('hex');
    const idToken = this.token(
      { aud: asked.get('client_id'), nonce: asked.get('nonce'), ...claims },
      signing,
    );
    this.#codes.set(code, {
      ...{ challenge: asked.get('code_challenge'), redirectUri: asked.get('redirect_uri'), idToken },
    });
    return new URLSearchParams({ code, state: asked.get('state') ?? '', iss: this.url });
  }

  /** Gives the tokens for a code: once, to who began the sign-in, for the address of the beginning. */
  async #exchange(request: IncomingMessage): Promise<object> {
    const asked = new URLSearchParams(await text(request));
    const name = asked.get('code') ?? '';
    const code = this.#codes.get(name);
    this.#codes.delete(name);
    const verifier = createHash('sha256')
      .update(asked.get('code_verifier') ?? '')
      .digest('base64url');
    if (code === undefined || code.challenge !== verifier || code.redirectUri !== asked.get('redirect_uri'))
      throw new Error('the code is not of this client');
    return { access_token: 'of no use here', token_type: 'Bearer', expires_in: 60, id_token: code.idToken };
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
