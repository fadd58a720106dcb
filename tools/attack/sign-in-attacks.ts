import type { Attack } from './attacks.js';
import type { Answer, Door } from './door.js';
import type { Group } from './http-scene.js';
import type { Signing } from './issuer.js';

/** Attacks on the sign-in of people at an identity provider: the authorization code flow (RFC 9700, 4). */

const evil = 'https://evil.example.org';

/** A browser that was sent to the issuer, and what it keeps of that. */
interface Begun {
  /** At the issuer. */
  address: URL;
  cookie: string;
}

const cookiesOf = ({ headers }: Answer): string[] =>
  (headers['set-cookie'] ?? []).map((each) => each.split(';')[0] ?? '');

/** The session that an answer gives, as a cookie. */
const sessionIn = (answer: Answer): string | undefined =>
  cookiesOf(answer).find((each) => /^(__Host-)?svc-session[^=]*=./.test(each));

async function begin(door: Door, query = ''): Promise<Begun> {
  const answer = await door.send('GET', `/sign-in${query}`);
  const [cookie] = cookiesOf(answer);
  const { location } = answer.headers;
  if (answer.status !== 303 || location === undefined || cookie === undefined)
    throw new Error(`a sign-in cannot begin: ${answer.status} ${answer.text.slice(0, 200)}`);
  return { address: new URL(location), cookie };
}

const comeBack = (door: Door, query: URLSearchParams | string, cookie = ''): Promise<Answer> =>
  door.send('GET', `/sign-in/done?${String(query)}`, cookie === '' ? {} : { cookie });

/** An attack that succeeds when the answer gives a session. */
const noSession = (name: string, send: () => Promise<Answer>): Attack => ({
  name: `H22 ${name}`,
  attempt: async () => {
    const answer = await send();
    // A limit of requests hides whether the service would have refused this one.
    if (answer.status === 429) throw new Error(`${name}: too many requests`);
    if (sessionIn(answer) !== undefined) return `a session was given: ${answer.status}`;
    return answer.status >= 400 && answer.status < 500
      ? undefined
      : `${answer.status} ${answer.text.slice(0, 200)}`;
  },
});

export const atTheSignIn: Group = ({ stack, issuer, otherIssuer }, door) => {
  const now = Math.floor(Date.now() / 1_000);
  const forged: [what: string, claims: object, signing?: Signing][] = [
    ['without a signature', {}, { alg: 'none' }],
    ['signed with the public key as a password', {}, { alg: 'HS256', key: issuer.publicKey }],
    ['signed by a stranger', {}, { key: issuer.strangersKey }],
    [
      'that names the keys of a stranger',
      {},
      { key: issuer.strangersKey, header: { jku: `${issuer.url}/stolen` } },
    ],
    ['for another client', { aud: 'shop' }],
    ['for programs', { aud: 'lab' }],
    ['for several clients, given to another one', { aud: ['page', 'shop'], azp: 'shop' }],
    ['of another issuer', { iss: evil }],
    ['of another trusted issuer', { iss: otherIssuer.url }],
    ['that has expired', { iat: now - 7_200, exp: now - 3_600 }],
    ['that does not end', { exp: undefined }],
    ['without the time of its signature', { iat: undefined }],
    ['that is not valid yet', { nbf: now + 3_600 }],
    ['without a nonce', { nonce: undefined }],
    ['with an invented nonce', { nonce: 'x'.repeat(43) }],
    ['that names nobody', { sub: undefined }],
    ['of somebody without a role', { roles: [] }],
  ];
  const withToken = async (claims: object, signing?: Signing): Promise<Answer> => {
    const browser = door();
    const { address, cookie } = await begin(browser);
    return comeBack(browser, issuer.signIn(address, { roles: ['viewer'], ...claims }, signing), cookie);
  };
  /** Comes back with a changed query. */
  const changed = (name: string, change: (query: URLSearchParams) => void): Attack =>
    noSession(`come back ${name}`, async () => {
      const browser = door();
      const { address, cookie } = await begin(browser);
      const query = issuer.signIn(address, { roles: ['viewer'] });
      change(query);
      return comeBack(browser, query, cookie);
    });
  return [
    {
      name: 'H22 control: a person signs in at the issuer, and gets a session with their role',
      attempt: async () => {
        const browser = door();
        const { address, cookie } = await begin(browser);
        const answer = await comeBack(browser, issuer.signIn(address, { roles: ['viewer'] }), cookie);
        const session = sessionIn(answer);
        if (session === undefined) return `no session was given: ${answer.status} ${answer.text}`;
        const { text } = await browser.send('GET', '/api/me', {
          ...{ cookie: session, 'x-svc-page': '1', 'sec-fetch-site': 'same-origin' },
        });
        const { grants } = JSON.parse(text) as { grants: unknown };
        return JSON.stringify(grants) === '[{"role":"viewer"}]' ? undefined : text;
      },
    },
    ...forged.map(([what, claims, signing]) =>
      noSession(`sign in with an ID token ${what}`, () => withToken(claims, signing)),
    ),
    noSession('sign in with an ID token of an earlier sign-in', async () => {
      const nonce = (await begin(door())).address.searchParams.get('nonce');
      return withToken({ nonce });
    }),
    changed('with another state', (query) => query.set('state', 'x'.repeat(43))),
    changed('without a state', (query) => query.delete('state')),
    changed('with two states', (query) => query.append('state', 'x'.repeat(43))),
    changed('with an invented code', (query) => query.set('code', 'x'.repeat(32))),
    changed('with two codes', (query) => query.append('code', 'x'.repeat(32))),
    changed('from another issuer', (query) => query.set('iss', evil)),
    changed('from another trusted issuer', (query) => query.set('iss', otherIssuer.url)),
    changed('from an issuer that does not say its name', (query) => query.delete('iss')),
    changed('with an ID token in place of a code', (query) => {
      query.delete('code');
      query.set('id_token', issuer.token({ aud: 'page', roles: ['admin'] }));
    }),
    noSession('come back with a code of another trusted issuer', async () => {
      const browser = door();
      const { address, cookie } = await begin(browser);
      const query = otherIssuer.signIn(address, { roles: ['admin'] });
      query.set('iss', issuer.url);
      return comeBack(browser, query, cookie);
    }),
    noSession('sign a victim in as the attacker, who has not begun to sign in', async () => {
      const { address } = await begin(door());
      return comeBack(door(), issuer.signIn(address, { roles: ['viewer'] }));
    }),
    noSession('sign a victim in as the attacker, who is signing in', async () => {
      const { address } = await begin(door());
      const victim = door();
      return comeBack(victim, issuer.signIn(address, { roles: ['viewer'] }), (await begin(victim)).cookie);
    }),
    noSession('use the stolen code of a victim in a sign-in of the attacker', async () => {
      const stolen = issuer.signIn((await begin(door())).address, { roles: ['admin'] });
      const thief = door();
      const own = await begin(thief);
      stolen.set('state', own.address.searchParams.get('state') ?? '');
      return comeBack(thief, stolen, own.cookie);
    }),
    noSession('use a code twice', async () => {
      const browser = door();
      const { address, cookie } = await begin(browser);
      const query = issuer.signIn(address, { roles: ['viewer'] });
      if (sessionIn(await comeBack(browser, query, cookie)) === undefined)
        throw new Error('the code is of no use');
      return comeBack(browser, query, cookie);
    }),
    {
      name: 'H22 use a code twice at the same moment',
      attempt: async () => {
        const browser = door();
        const { address, cookie } = await begin(browser);
        const query = issuer.signIn(address, { roles: ['viewer'] });
        const answers = await Promise.all([1, 2, 3].map(() => comeBack(browser, query, cookie)));
        const given = answers.filter((answer) => sessionIn(answer) !== undefined).length;
        return given === 1 ? undefined : `${given} sessions were given`;
      },
    },
    noSession('come back with a cookie that is not encrypted', async () => {
      const browser = door();
      const { address, cookie } = await begin(browser);
      const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
      const made = {
        verifier: 'x'.repeat(43),
        state: address.searchParams.get('state'),
        nonce: 'x',
        exp: now + 60,
      };
      const name = cookie.slice(0, cookie.indexOf('='));
      return comeBack(browser, issuer.signIn(address), `${name}=${part({ alg: 'none' })}.${part(made)}.`);
    }),
    noSession('use the ID token of the page as a token of the service', () =>
      door().as(issuer.token({ aud: 'page', roles: ['admin'] }), 'GET', '/api/tasks'),
    ),
    {
      name: 'H22 keep a session that the attacker knows, after the victim signs in',
      attempt: async () => {
        const victim = door();
        const { address, cookie } = await begin(victim);
        const { port } = new URL(stack.url);
        const known = `svc-session-${port}=svc_ses_${'x'.repeat(43)}`;
        const query = issuer.signIn(address, { roles: ['viewer'] });
        const given = sessionIn(await comeBack(victim, query, `${cookie}; ${known}`));
        if (given === undefined) throw new Error('the victim could not sign in');
        return given === known ? 'the session is the one that the attacker chose' : undefined;
      },
    },
    ...['redirect_uri', 'return', 'return_to', 'next', 'state'].map((name) => ({
      name: `H22 lead a person elsewhere with ${name}`,
      attempt: async () => {
        const browser = door();
        const query = new URLSearchParams({ [name]: evil });
        const { address, cookie } = await begin(browser, `?${String(query)}`);
        if (
          address.origin !== issuer.url ||
          new URL(address.searchParams.get('redirect_uri') ?? '').origin !== stack.url
        )
          return `it leads to ${address.href}`;
        const back = issuer.signIn(address, { roles: ['viewer'] });
        if (name !== 'state') back.set(name, evil);
        const { status, headers, text } = await comeBack(browser, back, cookie);
        const leads = headers.location ?? headers['refresh'];
        if (leads !== undefined) return `${status} leads to ${String(leads)}`;
        return text.includes(evil) ? 'the page names the address' : undefined;
      },
    })),
    {
      name: 'H22 lead the issuer back to another computer with a forged name of the service',
      attempt: async () => {
        for (const name of ['host', 'x-forwarded-host', 'forwarded']) {
          const value = name === 'forwarded' ? 'host=evil.example.org' : 'evil.example.org';
          const { headers } = await door().send('GET', '/sign-in', { [name]: value });
          if (String(headers.location).includes('evil')) return `${name}: it leads to ${headers.location}`;
        }
        return undefined;
      },
    },
    {
      name: 'H22 write a script into the page with the answer of the issuer',
      attempt: async () => {
        const script = '"><script>alert(1)</script>';
        const browser = door();
        const { address, cookie } = await begin(browser);
        const state = address.searchParams.get('state') ?? '';
        const query = new URLSearchParams({
          error: script,
          error_description: script,
          state,
          iss: issuer.url,
        });
        const { text } = await comeBack(browser, query, cookie);
        return text.includes('alert(1)') ? 'the script is in the page' : undefined;
      },
    },
  ];
};
