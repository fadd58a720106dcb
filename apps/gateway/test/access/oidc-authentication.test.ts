import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isServiceError } from '@lab/contracts';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { memoryLog } from '../twins.js';
import { OidcAuthentication } from '../../src/access/oidc-authentication.js';

type Keys = Awaited<ReturnType<typeof generateKeyPair>>;

const pairs = {} as Record<'RS256' | 'ES256' | 'EdDSA' | 'PS256' | 'stranger' | 'next', Keys>;
let server: Server;
let issuer: string;
let served: object[];
let discovered: Record<string, unknown>;
let asked: string[];
/** Answers that replace the usual ones, by path. */
let played: Map<string, (reply: ServerResponse) => void>;

beforeAll(async () => {
  for (const alg of ['RS256', 'ES256', 'EdDSA', 'PS256'] as const) pairs[alg] = await generateKeyPair(alg);
  pairs.stranger = await generateKeyPair('RS256');
  pairs.next = await generateKeyPair('ES256');
  server = createServer((request, reply) => {
    asked.push(request.url ?? '');
    const play = played.get(request.url ?? '');
    if (play !== undefined) return play(reply);
    const body = request.url === '/keys' ? { keys: served } : discovered;
    reply
      .writeHead(request.url === '/elsewhere' ? 302 : 200, { location: '/keys' })
      .end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(
  () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    }),
);

beforeEach(async () => {
  asked = [];
  heard = [];
  played = new Map();
  discovered = { issuer, jwks_uri: `${issuer}/keys` };
  served = await Promise.all(
    (['RS256', 'ES256', 'EdDSA', 'PS256'] as const).map(async (alg) => ({
      ...(await exportJWK(pairs[alg].publicKey)),
      kid: alg,
      alg,
    })),
  );
});

const settings = () => ({
  ...{ issuer, audience: 'lab', roles_claim: 'roles', name_claim: 'sub' },
  ...{ token_days: 30, proof_hours: 24 },
});

/** What tokens proved, in order. */
let heard: unknown[][] = [];
const persons = { hear: (...proof: unknown[]) => void heard.push(proof) };

function authentication(given: Partial<ConstructorParameters<typeof OidcAuthentication>[0]> = {}) {
  return new OidcAuthentication({ ...settings(), ...given }, persons, memoryLog());
}

interface Signing {
  alg?: string;
  kid?: string;
  key?: Parameters<SignJWT['sign']>[0];
  /** Seconds from now. */
  expires?: number;
}

function signed(
  claims: JWTPayload = {},
  { alg = 'RS256', kid = alg, key = pairs[alg as 'RS256'].privateKey, expires = 60 }: Signing = {},
): Promise<string> {
  const now = Math.floor(Date.now() / 1_000);
  return new SignJWT({ iss: issuer, aud: 'lab', sub: 'ada', exp: now + expires, ...claims })
    .setProtectedHeader({ alg, kid })
    .sign(key);
}

async function refusal(token: string, by = authentication()): Promise<[string, string]> {
  try {
    await by.principalOf(token);
  } catch (error) {
    if (isServiceError(error)) return [error.code, error.message];
    throw error;
  }
  throw new Error('the token was taken');
}

describe('a token of the issuer', () => {
  it.each(['RS256', 'ES256', 'EdDSA'])('signed with %s is accepted', async (alg) => {
    expect(await authentication().principalOf(await signed({ roles: ['viewer'] }, { alg }))).toEqual({
      name: `ada@${issuer}`,
      kind: 'oidc',
      grants: [{ role: 'viewer' }],
      issuer,
      subject: 'ada',
    });
  });

  it('names a person by the issuer too, and knows the person by the claim sub', async () => {
    const by = authentication({ name_claim: 'email' });
    const person = await by.principalOf(await signed({ email: 'ada@example.org', sub: '4711' }));
    expect(person).toMatchObject({ name: `ada@example.org@${issuer}`, issuer, subject: '4711' });
    const long = await refusal(await signed({ email: 'a'.repeat(190) }), by);
    expect(long).toEqual(['unauthorized', 'The claim "email" of the token is too long for a name.']);
  });

  it('proves the person and the roles at the time of its signature, and never later than now', async () => {
    const now = Math.floor(Date.now() / 1_000);
    await authentication().principalOf(await signed({ iat: now - 100, roles: ['viewer'] }));
    await authentication().principalOf(await signed({ iat: now + 4 }));
    await authentication().principalOf(await signed());
    const person = { issuer, subject: 'ada' };
    expect(heard[0]).toEqual([person, (now - 100) * 1_000, [{ role: 'viewer' }]]);
    for (const [, at] of heard.slice(1)) {
      expect(at).toBeLessThanOrEqual(Date.now());
      expect(at).toBeGreaterThanOrEqual(now * 1_000);
    }
    await expect(authentication().principalOf(await signed({ exp: now - 60 }))).rejects.toThrow();
    expect(heard).toHaveLength(3);
  });

  it('is not looked at when its address has sent too many wrong ones, unless it was accepted before', async () => {
    const by = authentication();
    const token = await signed();
    const admit = (): void => {
      throw new Error('too many');
    };
    await expect(by.principalOf(token, admit)).rejects.toThrow('too many');
    expect(asked).toEqual([]);
    await by.principalOf(token);
    expect((await by.principalOf(token, admit)).subject).toBe('ada');
    await expect(by.principalOf(await signed({ jti: 'other' }), admit)).rejects.toThrow('too many');
  });

  it('may have several audiences and be up to 5 s late', async () => {
    const by = authentication();
    expect((await by.principalOf(await signed({ aud: ['other', 'lab'] })))?.name).toBe(`ada@${issuer}`);
    expect((await by.principalOf(await signed({}, { expires: -2 })))?.name).toBe(`ada@${issuer}`);
  });

  it('signed with a new key is accepted after the gateway fetched the keys again', async () => {
    const by = authentication();
    await by.principalOf(await signed());
    served.push({ ...(await exportJWK(pairs.next.publicKey)), kid: 'next', alg: 'ES256' });
    const token = await signed({}, { alg: 'ES256', kid: 'next', key: pairs.next.privateKey });
    // The gateway fetches keys at most every 30 s, so the token stays unknown until then.
    expect((await refusal(token, by))[0]).toBe('unauthorized');
    expect(asked.filter((path) => path === '/keys')).toHaveLength(1);
    expect((await authentication().principalOf(token))?.name).toBe(`ada@${issuer}`);
  });

  it.each<[string, JWTPayload, Signing, string]>([
    ['of another audience', { aud: 'shop' }, {}, 'The claim "aud" of the token is not what it must be.'],
    ['of no audience', { aud: undefined }, {}, 'The claim "aud" of the token is not what it must be.'],
    [
      'of another issuer',
      { iss: 'https://evil.org' },
      {},
      'The claim "iss" of the token is not what it must be.',
    ],
    ['that has expired', {}, { expires: -6 }, 'The token has expired.'],
    ['that never expires', { exp: undefined }, {}, 'The claim "exp" of the token is not what it must be.'],
    ['of nobody', { sub: undefined }, {}, 'The claim "sub" of the token is not what it must be.'],
    [
      'not valid yet',
      { nbf: Math.floor(Date.now() / 1_000) + 600 },
      {},
      'The claim "nbf" of the token is not what it must be.',
    ],
    ['of an unknown key', {}, { kid: 'unknown' }, 'The issuer did not sign this token.'],
    ['with a path for a key', {}, { kid: '../../etc/passwd' }, 'The issuer did not sign this token.'],
    ['signed with PS256', {}, { alg: 'PS256' }, 'The issuer did not sign this token.'],
    [
      'with a line break for a name',
      { sub: 'a\nb' },
      {},
      'The token has no claim "sub" that could be a name.',
    ],
  ])('%s is refused', async (_, claims, signing, message) => {
    expect(await refusal(await signed(claims, signing))).toEqual(['unauthorized', message]);
  });

  it('signed by somebody else under the key name of the issuer is refused', async () => {
    const token = await signed({}, { key: pairs.stranger.privateKey });
    expect((await refusal(token))[0]).toBe('unauthorized');
  });

  it('without a signature is refused', async () => {
    const unsigned = new UnsecuredJWT({ iss: issuer, aud: 'lab', sub: 'ada' })
      .setExpirationTime('1m')
      .encode();
    expect((await refusal(unsigned))[0]).toBe('unauthorized');
    const [, claims] = (await signed()).split('.');
    for (const alg of ['none', 'None', '']) {
      const header = Buffer.from(JSON.stringify({ alg, kid: 'RS256' })).toString('base64url');
      expect((await refusal(`${header}.${claims}.`))[0]).toBe('unauthorized');
    }
  });

  it.each(['HS256', 'HS512'])('signed with %s and a public key as the secret is refused', async (alg) => {
    const secret = new TextEncoder().encode(await exportSPKI(pairs.RS256.publicKey));
    const token = await signed({}, { alg, kid: 'RS256', key: secret });
    expect((await refusal(token))[0]).toBe('unauthorized');
  });

  it('is refused after a change', async () => {
    const [header, claims = '', signature] = (await signed({ roles: ['viewer'] })).split('.');
    const raised = {
      ...(JSON.parse(Buffer.from(claims, 'base64url').toString()) as object),
      roles: ['admin'],
    };
    const token = `${header}.${Buffer.from(JSON.stringify(raised)).toString('base64url')}.${signature}`;
    expect((await refusal(token))[0]).toBe('unauthorized');
  });

  it('that contains a key or the address of a key is refused, and nothing is fetched', async () => {
    const jwk = await exportJWK(pairs.stranger.publicKey);
    const token = await new SignJWT({ iss: issuer, aud: 'lab', sub: 'ada' })
      .setExpirationTime('1m')
      .setProtectedHeader({ alg: 'RS256', jwk, jku: `${issuer}/evil`, x5u: `${issuer}/evil` })
      .sign(pairs.stranger.privateKey);
    expect((await refusal(token))[0]).toBe('unauthorized');
    expect(asked).not.toContain('/evil');
  });
});

describe('roles', () => {
  const grantsOf = async (claims: JWTPayload, given: Parameters<typeof authentication>[0] = {}) =>
    (await authentication(given).principalOf(await signed(claims)))?.grants;

  it.each<[unknown, object[]]>([
    ['operator', [{ role: 'operator' }]],
    [
      ['operator:color_lab', 'lab_admin:a:b'],
      [
        { role: 'operator', lab: 'color_lab' },
        { role: 'lab_admin', lab: 'a:b' },
      ],
    ],
    [['root', 'ADMIN', 'admin:color_lab', 'operator:', 7, null, '__proto__'], []],
    [{ admin: true }, []],
    [undefined, []],
  ])('are read from %j', async (value, grants) => {
    expect(await grantsOf({ roles: value })).toEqual(grants);
  });

  it('are found inside a claim and mean only what the configuration says', async () => {
    const given = {
      roles_claim: 'realm_access.roles',
      roles: { staff: ['viewer', 'operator:color_lab'], boss: ['admin'] },
    };
    expect(await grantsOf({ realm_access: { roles: ['staff', 'admin', 'toString'] } }, given)).toEqual([
      { role: 'viewer' },
      { role: 'operator', lab: 'color_lab' },
    ]);
    expect(await grantsOf({ roles: ['boss'] }, given)).toEqual([]);
  });

  it('may stand in a claim whose name is an address', async () => {
    const roles_claim = 'https://lab.example.org/roles';
    expect(await grantsOf({ [roles_claim]: ['viewer'] }, { roles_claim })).toEqual([{ role: 'viewer' }]);
  });
});

describe('an issuer', () => {
  it('that names another issuer is refused until it names itself', async () => {
    const by = authentication();
    discovered = { issuer: 'https://evil.org', jwks_uri: `${issuer}/keys` };
    expect((await refusal(await signed(), by))[0]).toBe('service_unavailable');
    discovered = { issuer, jwks_uri: `${issuer}/keys` };
    expect((await by.principalOf(await signed()))?.name).toBe(`ada@${issuer}`);
  });

  it.each([{ jwks_uri: 'not an address' }, { jwks_uri: undefined }, { jwks_uri: 'ftp://127.0.0.1/keys' }])(
    'whose keys are at %j is reported as unavailable',
    async (given) => {
      Object.assign(discovered, given);
      expect((await refusal(await signed()))[0]).toBe('service_unavailable');
    },
  );

  it('that redirects is not followed', async () => {
    discovered.jwks_uri = `${issuer}/elsewhere`;
    expect((await refusal(await signed()))[0]).toBe('service_unavailable');
    expect(asked).not.toContain('/keys');
  });

  it('that does not answer admits nobody', async () => {
    const away = authentication({ issuer: 'http://127.0.0.1:1' });
    expect((await refusal(await signed(), away))[0]).toBe('service_unavailable');
  });

  describe.each(['/.well-known/openid-configuration', '/keys'])('with wrong answers at %s', (path) => {
    const patienceMs = 1_000;

    it('of endless length is read only up to the limit, and its connection ends', async () => {
      let sent = 0;
      const ended = new Promise<void>((resolve) => {
        played.set(path, (reply) => {
          const piece = Buffer.alloc(65_536, ' ');
          const more = (): void => {
            while (!reply.destroyed && reply.write(piece)) sent += piece.length;
          };
          reply.on('drain', more).on('close', resolve);
          reply.writeHead(200, { 'content-type': 'application/json' });
          more();
        });
      });
      expect((await refusal(await signed()))[0]).toBe('service_unavailable');
      await ended;
      // The buffers of a connection hold the bytes that were already sent.
      expect(sent).toBeLessThan(32_000_000);
    });

    it('of an impossible length is refused at once', async () => {
      played.set(path, (reply) => {
        reply.writeHead(200, { 'content-length': 10_000_000_000 }).write(Buffer.alloc(300_000, ' '));
      });
      expect((await refusal(await signed()))[0]).toBe('service_unavailable');
    });

    it.each<[string, (reply: ServerResponse) => void]>([
      ['never', () => undefined],
      [
        'a byte at a time',
        (reply) => {
          const timer = setInterval(() => reply.write(' '), 50);
          reply.on('close', () => clearInterval(timer));
        },
      ],
    ])('%s is abandoned after its time limit', async (_, play) => {
      played.set(path, play);
      const by = new OidcAuthentication(settings(), persons, memoryLog(), patienceMs);
      expect((await refusal(await signed(), by))[0]).toBe('service_unavailable');
    });

    it.each([
      '',
      'null',
      '[]',
      '7',
      '{"keys": null}',
      '{"keys": [null]}',
      '{"keys": {"length": 1}}',
      '<html>',
      '['.repeat(100_000),
    ])('with %.20j admits nobody and reveals only that it is unavailable', async (text) => {
      played.set(path, (reply) => void reply.writeHead(200).end(text));
      expect((await refusal(await signed()))[0]).toBe('service_unavailable');
    });

    it.each([201, 204, 404, 500])('with %i is not believed', async (status) => {
      played.set(path, (reply) => void reply.writeHead(status).end(JSON.stringify({ keys: served })));
      expect((await refusal(await signed()))[0]).toBe('service_unavailable');
    });
  });

  it('without usable keys is not asked again because of a token', async () => {
    served = [
      { kty: 'RSA', kid: 'RS256', alg: 'RS256', n: 'AQAB', e: 'AQAB' },
      { kty: 'oct', kid: 'HS256', k: 'c2VjcmV0' },
      { kty: 7, kid: {} },
    ];
    const [code] = await refusal(await signed());
    expect(['unauthorized', 'service_unavailable']).toContain(code);
  });
});
