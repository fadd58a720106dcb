import { freePort } from '@lab/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  identityClient,
  startIdentityProvider,
  type IdentityProvider,
} from '../../../../tools/shared/identity-provider.js';
import { BearerAuthentication } from '../../src/access/authentication.js';
import { OidcSignIn, type SignInOptions } from '../../src/access/oidc-sign-in.js';
import { ProvenPersons } from '../../src/access/proven-persons.js';
import { TokenAuthentication } from '../../src/access/token-authentication.js';
import { memoryLog, startHarness, type Harness } from '../twins.js';

const { id: clientId, secret: clientSecret } = identityClient;
let gateway: Harness;
let provider: IdentityProvider;
let persons: ProvenPersons;
let url: string;
/** Keys of attempts; a service that was started anew with another secret cannot read those of before. */
let secret = 'the secret of this service, of 32 characters';

const options = (): SignInOptions => ({
  settings: {
    ...{ issuer: provider.issuer, audience: 'lab', roles_claim: 'roles', name_claim: 'sub' },
    ...{ token_days: 30, proof_hours: 24 },
    client: { id: clientId, name: 'the university', scopes: ['openid'] },
  },
  ...{ clientSecret, redirectUri: `${url}/sign-in/done`, secret: () => secret, log: memoryLog() },
  persons: {
    hear: (...proof) => persons.hear(...proof),
    refresh: (people) => persons.refresh(people),
  },
});

beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  provider = await startIdentityProvider(`${url}/sign-in/done`);
  gateway = await startHarness(
    { port, limits: { wrongTokensPerMinute: 1_000 } },
    undefined,
    (tokens) => {
      persons = new ProvenPersons(tokens);
      const own = new TokenAuthentication(tokens, persons, 24 * 3_600_000, memoryLog(), 3_600_000);
      return new BearerAuthentication(own, undefined);
    },
    { signIn: new OidcSignIn(options()) },
  );
});
afterAll(async () => {
  await gateway.server.close();
  await provider.close();
});
beforeEach(() => {
  provider.person = { sub: 'sue', roles: ['operator'], refuses: false };
  secret = 'the secret of this service, of 32 characters';
});

/** A browser: it keeps cookies by origin, and follows redirects when it is told to. */
class Browser {
  readonly cookies = new Map<string, Map<string, string>>();

  async get(address: string): Promise<Response> {
    const { origin } = new URL(address);
    const own = this.cookies.get(origin) ?? new Map<string, string>();
    this.cookies.set(origin, own);
    const cookie = [...own].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(address, { redirect: 'manual', headers: { cookie } });
    for (const given of response.headers.getSetCookie()) {
      const [pair = ''] = given.split(';');
      const at = pair.indexOf('=');
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(given)) own.delete(pair.slice(0, at));
      else own.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  }

  /** Follows redirects until an address of the gateway. @returns that address, which is not asked yet */
  async untilBack(address: string): Promise<string> {
    let next = address;
    for (let hops = 0; hops < 10; hops += 1) {
      const response = await this.get(next);
      const location = response.headers.get('location');
      if (location === null) throw new Error(`${next} answered ${response.status}: ${await response.text()}`);
      next = new URL(location, next).href;
      if (next.startsWith(url)) return next;
    }
    throw new Error('the redirects do not end');
  }

  async signIn(): Promise<Response> {
    return this.get(await this.untilBack(`${url}/sign-in`));
  }

  me(): Promise<Response> {
    return this.get(`${url}/api/me`);
  }
}

/** That nobody is signed in, and why. */
async function expectRefusal(
  browser: Browser,
  response: Response,
  status: number,
  text: string,
): Promise<void> {
  expect(response.status).toBe(status);
  expect(await response.text()).toContain(text);
  expect((await browser.me()).status).toBe(401);
}

describe('a person', () => {
  it('signs in at the issuer, and gets a session with the roles of the ID token', async () => {
    const browser = new Browser();
    const response = await browser.signIn();
    expect(response.status).toBe(200);
    const given = response.headers.getSetCookie();
    expect(given).toHaveLength(2);
    expect(given[0]).toMatch(
      /^svc-session-\d+=svc_ses_[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
    );
    expect(given[1]).toMatch(/^svc-sign-in-\d+=; Path=\/; HttpOnly; SameSite=Lax; Max-Age=0$/);
    expect(await (await browser.me()).json()).toEqual({
      ...{ name: `sue@${provider.issuer}`, kind: 'token', grants: [{ role: 'operator' }] },
      ...{ issuer: provider.issuer, subject: 'sue' },
    });
    expect(gateway.tokens.kept.at(-1)).toMatchObject({ kind: 'session', subject: 'sue', revoked_at: null });
  });

  it('loses the session when somebody revokes it, or the roles when the issuer takes them', async () => {
    const browser = new Browser();
    await browser.signIn();
    persons.hear({ issuer: provider.issuer, subject: 'sue' }, Date.now() + 1_000, []);
    expect(await (await browser.me()).json()).toMatchObject({ grants: [] });
    const id = gateway.tokens.kept.at(-1)?.id ?? '';
    gateway.authentication.forget(id);
    await gateway.tokens.revoke(id, 'root', new Date().toISOString());
    expect((await browser.me()).status).toBe(401);
  });

  it('without a role here is told so, and gets no session', async () => {
    provider.person.roles = ['guest'];
    const browser = new Browser();
    await expectRefusal(browser, await browser.signIn(), 403, 'gives you no role here');
  });

  it('who does not want to is told so', async () => {
    provider.person.refuses = true;
    const browser = new Browser();
    await expectRefusal(browser, await browser.signIn(), 401, 'You did not sign in');
  });
});

describe('the way to the issuer', () => {
  it('has PKCE, state, nonce and the configured address to return to, whatever the request says', async () => {
    const response = await fetch(`${url}/sign-in?redirect_uri=https://evil.example&return=//evil.example`, {
      redirect: 'manual',
      headers: { 'x-forwarded-host': 'evil.example' },
    });
    expect(response.status).toBe(303);
    const address = new URL(response.headers.get('location') ?? '');
    expect(address.origin).toBe(provider.issuer);
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      ...{ response_type: 'code', client_id: clientId, redirect_uri: `${url}/sign-in/done` },
      ...{ scope: 'openid', code_challenge_method: 'S256' },
    });
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(address.searchParams.get(name)).toMatch(/^[\w-]{43}$/);
    const cookie = response.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^svc-sign-in-\d+=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/);
    for (const name of ['state', 'nonce']) expect(cookie).not.toContain(address.searchParams.get(name));
  });

  it('says so when the issuer does not answer, and works again once it does', async () => {
    const { issuer } = provider;
    const away = new OidcSignIn({
      ...options(),
      settings: { ...options().settings, issuer: 'http://127.0.0.1:9' },
    });
    await expect(away.begin()).rejects.toMatchObject({ code: 'service_unavailable' });
    await expect(new OidcSignIn(options()).begin()).resolves.toMatchObject({
      address: expect.stringContaining(issuer) as string,
    });
  });
});

describe('an answer of the issuer', () => {
  const rejected = 'did not ask to sign in here';
  const unfit = 'does not fit';

  it('counts in the browser that asked for it alone', async () => {
    const attacker = new Browser();
    const theirs = await attacker.untilBack(`${url}/sign-in`);
    const stranger = new Browser();
    await expectRefusal(stranger, await stranger.get(theirs), 401, rejected);
    // A victim who is about to sign in is not signed in as somebody else.
    const victim = new Browser();
    await victim.untilBack(`${url}/sign-in`);
    await expectRefusal(victim, await victim.get(theirs), 401, unfit);
  });

  it('counts once', async () => {
    const browser = new Browser();
    const back = await browser.untilBack(`${url}/sign-in`);
    const kept = new Map(browser.cookies.get(url));
    expect((await browser.get(back)).status).toBe(200);
    browser.cookies.set(url, new Map());
    await expectRefusal(browser, await browser.get(back), 401, rejected);
    // Not even a browser that kept its cookie gets a second session: the issuer takes a code once.
    browser.cookies.set(url, new Map(kept));
    await expectRefusal(browser, await browser.get(back), 401, unfit);
  });

  it.each([
    ['another state', (query: URLSearchParams) => query.set('state', 'x'.repeat(43))],
    ['no state', (query: URLSearchParams) => query.delete('state')],
    ['no code', (query: URLSearchParams) => query.delete('code')],
    ['another code', (query: URLSearchParams) => query.set('code', 'x'.repeat(43))],
    ['another issuer', (query: URLSearchParams) => query.set('iss', 'https://evil.example')],
    ['two states', (query: URLSearchParams) => query.append('state', 'x'.repeat(43))],
  ])('with %s is refused', async (_name, change) => {
    const browser = new Browser();
    const back = new URL(await browser.untilBack(`${url}/sign-in`));
    change(back.searchParams);
    await expectRefusal(browser, await browser.get(back.href), 401, unfit);
  });

  it('is refused when the cookie is forged or of another service', async () => {
    const browser = new Browser();
    const back = await browser.untilBack(`${url}/sign-in`);
    secret = 'the secret of another service, as long as this';
    await expectRefusal(browser, await browser.get(back), 401, rejected);
    const [name = ''] = [...(browser.cookies.get(url)?.keys() ?? ['svc-sign-in'])];
    browser.cookies.set(url, new Map([[name, 'eyJhbGciOiJub25lIn0.e30.']]));
    await expectRefusal(browser, await browser.get(back), 401, rejected);
  });

  it('with the nonce or the verifier of another attempt is refused', async () => {
    const signIn = new OidcSignIn(options());
    const [mine, other] = [await signIn.begin(), await signIn.begin()];
    const query = async (address: string): Promise<string> =>
      new URL(await new Browser().untilBack(address)).search;
    const swapped = new URL(mine.address);
    // The state fits, so that the verifier alone decides.
    swapped.searchParams.set(
      'code_challenge',
      new URL(other.address).searchParams.get('code_challenge') ?? '',
    );
    await expect(signIn.complete(await query(swapped.href), mine.proof)).rejects.toMatchObject({
      code: 'unauthorized',
    });
    const again = new URL(mine.address);
    again.searchParams.set('nonce', new URL(other.address).searchParams.get('nonce') ?? '');
    await expect(signIn.complete(await query(again.href), mine.proof)).rejects.toMatchObject({
      code: 'unauthorized',
    });
    await expect(signIn.complete(await query(mine.address), mine.proof)).resolves.toMatchObject({
      subject: 'sue',
    });
  });

  it('for another client is refused', async () => {
    const other = new OidcSignIn({
      ...options(),
      settings: { ...options().settings, client: { id: 'other', scopes: ['openid'] } },
    });
    const { proof } = await other.begin();
    const mine = await new OidcSignIn(options()).begin();
    const query = new URL(await new Browser().untilBack(mine.address)).search;
    await expect(other.complete(query, proof)).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('reveals nothing of the secret, and shows nothing that somebody wrote into the address', async () => {
    const browser = new Browser();
    await browser.untilBack(`${url}/sign-in`);
    const response = await browser.get(
      `${url}/sign-in/done?error=server_error&error_description=${encodeURIComponent('<script>alert(1)</script>')}`,
    );
    const text = await response.text();
    expect(text).not.toMatch(/script>alert|alert\(1\)/);
    expect(text + JSON.stringify(gateway.log.lines)).not.toContain(clientSecret);
  });
});

it('is bounded by address, as wrong tokens are', async () => {
  const port = await freePort();
  const bounded = await startHarness(
    { port, limits: { wrongTokensPerMinute: 2 } },
    undefined,
    () => gateway.authentication,
    { signIn: new OidcSignIn(options()) },
  );
  try {
    const answers: number[] = [];
    for (let tries = 0; tries < 4; tries += 1)
      answers.push((await fetch(`${bounded.url}/sign-in/done?code=x&state=y`)).status);
    expect(answers).toEqual([401, 401, 429, 429]);
  } finally {
    await bounded.server.close();
  }
});
