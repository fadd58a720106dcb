import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PipelineSettings } from '@lab/runtime';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PipelineIssuers } from '../../src/pipelines/index.js';
import { byTokens } from '../tokens.js';
import { expectProblem, memoryLog, startHarness, type Harness } from '../twins.js';

type Keys = Awaited<ReturnType<typeof generateKeyPair>>;

const pairs = {} as Record<'RS256' | 'ES256' | 'stranger' | 'next', Keys>;
let server: Server;
let issuer: string;
let served: object[];
/** Answers that replace the usual ones, by path. */
let played: Map<string, (reply: ServerResponse) => void>;
let asked: string[];
let gateway: Harness;
let last = 0;

const audience = 'https://lab-server:8070';
const discovery = '/.well-known/openid-configuration';

/** What GitHub says of a push to the main branch, in a job of the environment "lab". */
const push = {
  sub: 'repo:our-org/our-labs:environment:lab',
  repository: 'our-org/our-labs',
  ref: 'refs/heads/main',
  event_name: 'push',
  environment: 'lab',
  sha: '9fceb02d0ae598e95dc970b74767f19372d61af8',
  run_id: '1658821493',
};

const settings = (): PipelineSettings => ({
  ...{ issuer, audience, token_minutes: 15 },
  rules: [
    {
      claims: { repository: ['our-org/our-labs'], ref: ['refs/heads/main'], event_name: ['push'] },
      roles: ['deployer:wet_lab'],
    },
    {
      claims: { repository: ['our-org/*'], ref: ['refs/heads/release/*', 'refs/tags/v*'] },
      roles: ['deployer:wet_lab', 'deployer:dry_lab'],
    },
  ],
});

beforeAll(async () => {
  pairs.RS256 = await generateKeyPair('RS256');
  pairs.ES256 = await generateKeyPair('ES256');
  pairs.stranger = await generateKeyPair('RS256');
  pairs.next = await generateKeyPair('ES256');
  server = createServer((request, reply) => {
    asked.push(request.url ?? '');
    const play = played.get(request.url ?? '');
    if (play !== undefined) return play(reply);
    const body = request.url === '/keys' ? { keys: served } : { issuer, jwks_uri: `${issuer}/keys` };
    reply.writeHead(200).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await gateway.server.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const jwk = async (name: 'RS256' | 'ES256' | 'next', alg = name as string): Promise<object> => ({
  ...(await exportJWK(pairs[name].publicKey)),
  ...{ kid: name, alg },
});

/** Each test has a gateway of its own: neither wrong tokens nor keys of the issuer are remembered. */
beforeEach(async () => {
  [asked, played] = [[], new Map()];
  served = await Promise.all([jwk('RS256'), jwk('ES256')]);
  await gateway?.server.close();
  gateway = await startHarness({}, undefined, byTokens, {
    pipelines: new PipelineIssuers([settings()], memoryLog(), 1_000),
  });
});

interface Signing {
  alg?: string;
  kid?: string;
  key?: Parameters<SignJWT['sign']>[0];
}

async function signed(
  claims: JWTPayload = {},
  { alg = 'RS256', kid = alg, key = pairs[alg as 'RS256'].privateKey }: Signing = {},
): Promise<string> {
  last += 1;
  const now = Math.floor(Date.now() / 1_000);
  const all = {
    iss: issuer,
    aud: audience,
    iat: now,
    exp: now + 300,
    jti: `job-${last}`,
    ...push,
    ...claims,
  };
  return new SignJWT(all).setProtectedHeader({ alg, kid }).sign(key);
}

const exchange = (subject_token: string, more: object = {}) =>
  gateway.send('POST', '/api/tokens/exchange', {
    ...{ grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange', subject_token },
    ...{ subject_token_type: 'urn:ietf:params:oauth:token-type:jwt', ...more },
  });

async function refusal(token: string): Promise<[number, string]> {
  const { status, body } = await exchange(token);
  return [status, String(body.detail)];
}

const wrong = (claim: string): string => `The claim "${claim}" of the token is not what it must be.`;

describe('a signed token of a pipeline', () => {
  it.each(['RS256', 'ES256'])(
    'with %s is exchanged for a token of minutes with the roles of the rules',
    async (alg) => {
      const { status, body, headers } = await exchange(await signed({}, { alg }));
      expect(status).toBe(200);
      expect(body).toEqual({
        access_token: expect.stringMatching(/^svc_svc_[\w-]{43}$/),
        issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        token_type: 'Bearer',
        expires_in: 900,
        id: gateway.tokens.kept[0]?.id,
        grants: [{ role: 'deployer', lab: 'wet_lab' }],
      });
      expect(headers.get('cache-control')).toContain('no-store');
      const [row] = gateway.tokens.kept;
      expect(Date.parse(row?.expires_at ?? '') - Date.parse(row?.created_at ?? '')).toBe(900_000);
    },
  );

  it('is named in the audit with all that it proves, and so is each act with the token', async () => {
    const origin = {
      ...{ issuer, subject: push.sub, repository: push.repository, ref: push.ref },
      ...{ commit: push.sha, run: push.run_id },
    };
    const { body } = await exchange(await signed());
    const name = `our-org/our-labs@${issuer}`;
    expect(gateway.audit.entries).toMatchObject([
      {
        ...{ by: name, kind: 'oidc', action: 'POST /api/tokens/exchange' },
        detail: { token: body['id'], status: 200, pipeline: origin },
      },
    ]);
    expect(JSON.stringify(gateway.audit.entries)).not.toContain(body['access_token']);
    const headers = { authorization: `Bearer ${String(body['access_token'])}` };
    const me = await gateway.send('GET', '/api/me', undefined, headers);
    expect(me.body).toMatchObject({ name, kind: 'token', pipeline: origin });
    await gateway.send('POST', '/api/packages/wet/activate', { sha256: 'folder', expect: 'none' }, headers);
    expect(gateway.audit.entries[1]).toMatchObject({ by: name, detail: { pipeline: origin } });
  });

  it('of GitLab names project, branch, commit and pipeline', async () => {
    const claims = {
      ...{ sub: 'project_path:our-org/our-labs:ref_type:branch:ref:main', repository: undefined },
      ...{ project_path: 'our-org/our-labs', ref: 'main', run_id: undefined, pipeline_id: 77 },
    };
    gateway.server.close().catch(() => undefined);
    const rules = [{ claims: { project_path: ['our-org/our-labs'] }, roles: ['deployer:wet_lab'] }];
    gateway = await startHarness({}, undefined, byTokens, {
      pipelines: new PipelineIssuers([{ ...settings(), rules }], memoryLog()),
    });
    expect((await exchange(await signed(claims))).status).toBe(200);
    expect(gateway.tokens.kept[0]).toMatchObject({
      pipeline: { repository: 'our-org/our-labs', ref: 'main', run: '77' },
    });
  });

  it('has the roles of every rule that it keeps, each once, and a star stays within a part', async () => {
    const grantsFor = async (claims: JWTPayload): Promise<unknown> =>
      (await exchange(await signed(claims))).body['grants'];
    const both = [
      { role: 'deployer', lab: 'wet_lab' },
      { role: 'deployer', lab: 'dry_lab' },
    ];
    expect(await grantsFor({ ref: 'refs/heads/release/1.2', repository: 'our-org/others' })).toEqual(both);
    expect(await grantsFor({ ref: 'refs/tags/v' })).toEqual(both);
    expect(await grantsFor({ ref: 'refs/heads/release/1/2' })).toBeUndefined();
    expect(await grantsFor({ ref: 'refs/heads/release/1:2' })).toBeUndefined();
  });

  it.each<[string, JWTPayload]>([
    ['of another repository', { repository: 'our-org/our-labs2' }],
    ['of a repository that ends alike', { repository: 'evil/our-org/our-labs' }],
    ['of another branch', { ref: 'refs/heads/main/2' }],
    ['of a branch with a line break', { ref: 'refs/heads/main\n' }],
    ['of a pull request', { event_name: 'pull_request' }],
    ['without an event', { event_name: undefined }],
    ['with a list in place of a text', { repository: ['our-org/our-labs'] }],
  ])('%s gets nothing, and is told what its token says', async (_, claims) => {
    const [status, detail] = await refusal(await signed(claims));
    expect(status).toBe(403);
    expect(detail).toMatch(
      /^No rule of auth\.pipelines gives this pipeline a role\. Its token says: sub "repo:/,
    );
    expect(gateway.tokens.kept).toEqual([]);
    expect(gateway.audit.entries).toEqual([]);
  });

  it('is exchanged once', async () => {
    const token = await signed();
    const statuses = await Promise.all(
      [token, token, token].map(async (each) => (await exchange(each)).status),
    );
    expect(statuses.sort()).toEqual([200, 401, 401]);
    const [, detail] = await refusal(token);
    expect(detail).toBe(
      'This token was exchanged before. Get another one from the issuer: each can be exchanged once.',
    );
    // The same job may not sign another token under the same id either. Without an id, the token itself counts once.
    expect((await refusal(await signed({ jti: `job-${last}` })))[0]).toBe(401);
    const nameless = await signed({ jti: undefined });
    expect([(await exchange(nameless)).status, (await exchange(nameless)).status]).toEqual([200, 401]);
  });
});

describe('a token is refused', () => {
  const now = (): number => Math.floor(Date.now() / 1_000);

  it.each<[string, () => JWTPayload, string]>([
    ['that has expired', () => ({ exp: now() - 60 }), 'The token has expired.'],
    ['without an end', () => ({ exp: undefined }), wrong('exp')],
    ['that is not valid yet', () => ({ nbf: now() + 60 }), wrong('nbf')],
    ['that was signed hours ago', () => ({ iat: now() - 4_000 }), 'The token has expired.'],
    ['that will be signed', () => ({ iat: now() + 60 }), wrong('iat')],
    ['without the time of its signature', () => ({ iat: undefined }), wrong('iat')],
    ['for another audience', () => ({ aud: 'https://shop.example.org' }), wrong('aud')],
    ['for a second audience, too', () => ({ aud: [audience, 'https://shop.example.org'] }), wrong('aud')],
    ['without an audience', () => ({ aud: undefined }), wrong('aud')],
    ['without a subject', () => ({ sub: undefined }), wrong('sub')],
    ['with an id that is no text', () => ({ jti: 7 as unknown as string }), wrong('jti')],
  ])('%s', async (_, claims, detail) => {
    expect(await refusal(await signed(claims()))).toEqual([401, detail]);
    expect(gateway.tokens.kept).toEqual([]);
  });

  const notSigned = [401, 'The issuer did not sign this token.'];

  it('that a stranger signed, under whatever key id', async () => {
    const key = pairs.stranger.privateKey;
    expect(await refusal(await signed({}, { key }))).toEqual(notSigned);
    expect(await refusal(await signed({}, { key, kid: 'unknown' }))).toEqual(notSigned);
  });

  it('without a signature', async () => {
    const claims = { iss: issuer, aud: audience, iat: now(), exp: now() + 300, ...push };
    const [status] = await refusal(new UnsecuredJWT(claims).encode());
    expect(status).toBe(401);
  });

  it('whose signature is made with the public key as a password', async () => {
    const secret = new TextEncoder().encode(await exportSPKI(pairs.RS256.publicKey));
    expect(await refusal(await signed({}, { alg: 'HS256', kid: 'RS256', key: secret }))).toEqual(notSigned);
  });

  it('whose key is of another algorithm than it says', async () => {
    expect(await refusal(await signed({}, { alg: 'ES256', kid: 'RS256' }))).toEqual(notSigned);
  });

  it('whose claims were changed', async () => {
    const [header, , signature] = (await signed()).split('.');
    const claims = { iss: issuer, aud: audience, iat: now(), exp: now() + 300, ...push, run_id: 'mine' };
    const forged = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`;
    expect(await refusal(forged)).toEqual(notSigned);
  });

  it('of an issuer that is not trusted, and nobody is asked', async () => {
    const detail = 'The issuer of the token is none that this service trusts for pipelines (auth.pipelines).';
    expect(await refusal(await signed({ iss: 'https://evil.example.org' }))).toEqual([401, detail]);
    expect(await refusal(await signed({ iss: `${issuer}/` }))).toEqual([401, detail]);
    expect(asked).toEqual([]);
  });

  it('that is no signed token', async () => {
    for (const text of ['x', 'a.b.c', `svc_svc_${'A'.repeat(43)}`])
      expect(await refusal(text)).toEqual([401, 'The subject token is no signed token (JWT).']);
  });

  it('that is shown as a token of this service', async () => {
    const headers = { authorization: `Bearer ${await signed()}` };
    expectProblem(await gateway.send('GET', '/api/me', undefined, headers), 401, 'unauthorized');
  });

  it('under other names than those of RFC 8693', async () => {
    expectProblem(await exchange(await signed(), { grant_type: 'password' }), 422, 'invalid');
    expectProblem(await exchange(await signed(), { scope: 'admin' }), 422, 'invalid');
    expectProblem(await exchange('x'.repeat(8_193)), 422, 'invalid');
  });

  it('and the security log counts it, without a part of it', async () => {
    const token = await signed({}, { key: pairs.stranger.privateKey });
    await exchange(token);
    await gateway.refusals.close();
    expect(gateway.refused.kept).toMatchObject([
      { kind: 'wrong_token', principal: '', action: 'POST /api/tokens/exchange', count: 1 },
    ]);
    expect(JSON.stringify([gateway.refused.kept, gateway.log.lines])).not.toContain(token.split('.')[2]);
  });
});

describe('the issuer', () => {
  it('is asked for its keys once, and again for a new key', async () => {
    for (let n = 0; n < 3; n += 1) expect((await exchange(await signed())).status).toBe(200);
    expect(asked).toEqual([discovery, '/keys']);
  });

  it('is not asked again and again because of unknown keys', async () => {
    for (let n = 0; n < 20; n += 1)
      await exchange(await signed({}, { kid: `invented-${n}`, key: pairs.stranger.privateKey }));
    expect(asked.filter((path) => path === '/keys').length).toBeLessThanOrEqual(2);
  });

  it.each([discovery, '/keys'])('that fails at %s lets nobody in, and is asked again later', async (path) => {
    for (const status of [500, 302]) {
      played.set(path, (reply) => void reply.writeHead(status, { location: '/keys' }).end());
      expectProblem(await exchange(await signed()), 503, 'service_unavailable');
    }
    played.clear();
    expect((await exchange(await signed())).status).toBe(200);
  });

  it.each([discovery, '/keys'])('that never answers at %s is given up', async (path) => {
    played.set(path, () => undefined);
    expectProblem(await exchange(await signed()), 503, 'service_unavailable');
  });

  it('whose keys are elsewhere without encryption is not believed', async () => {
    played.set(
      discovery,
      (reply) => void reply.end(JSON.stringify({ issuer, jwks_uri: 'http://keys.example.org/keys' })),
    );
    expectProblem(await exchange(await signed()), 503, 'service_unavailable');
  });
});

describe('an address', () => {
  it('that sends too many wrong tokens must wait, also with a right one', async () => {
    await gateway.server.close();
    gateway = await startHarness({ limits: { wrongTokensPerMinute: 3 } }, undefined, byTokens, {
      pipelines: new PipelineIssuers([settings()], memoryLog()),
    });
    for (let n = 0; n < 3; n += 1) expect((await exchange('x')).status).toBe(401);
    expectProblem(await exchange(await signed()), 429, 'too_many_requests');
    expect(asked).toEqual([]);
  });
});
