import { once } from 'node:events';
import { request } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { connectBus } from '@lab/messaging';
import { makeKeys, type Keys } from '@lab/trust';
import { AgentIssuer, agentIssuerKey } from '@lab/trust/agent-issuer';
import { agentCredentials, joinText, makeAgentKey, proveKey } from '@lab/trust/agent-key';
import { keyPairOf, partsOf } from '@lab/trust/nkeys';
import { OfferFault, offerToleranceMs, readOffer, type SignedOffer } from '@lab/trust/offer';
import { makePass, type PassPurpose } from '@lab/trust/pass';
import type { Attack } from './attacks.js';
import { Door, type Answer } from './door.js';
import type { People } from './http-scene.js';
import { listAttacksOf } from './list-attacks.js';

/** A service that lets computers join, and what the attacker has of it. */
export interface EnrolmentScene {
  url: string;
  people: People;
  /** Keys of the service. Only what is said of an attack is in the hands of the attacker. */
  keys: Keys;
}

interface Invitation {
  id: string;
  secret: string;
}

type Body = Record<string, unknown>;

/**
 * Attacks on the way in which computers join: without rights, with invitations that are of no use, with the keys and passes of
 * others, and from a place between a computer and the service. Each comes from an address of its own.
 */
export function enrolmentAttacksOf(scene: EnrolmentScene): Attack[] {
  const { url, people, keys } = scene;
  let last = 0;
  const door = (): Door => new Door(url, `10.9.0.${(last += 1)}`);

  const invite = async (body: Body): Promise<Invitation> => {
    const { text } = await door().as(people.root, 'POST', '/api/invitations', body);
    const [, id = '', secret = ''] = String((JSON.parse(text) as Body)['token']).split('.');
    return { id, secret };
  };
  const applicant = ({ id, secret }: Invitation, more: Body = {}, key = makeAgentKey()): Body => ({
    ...{ id, secret, version: '0', key: key.publicKey, proof: proveKey(key, joinText(id, key.publicKey)) },
    ...more,
  });
  const post = (path: string, body: Body): Promise<Answer> =>
    door().send('POST', path, { 'content-type': 'application/json' }, JSON.stringify(body));
  const join = (body: Body): Promise<Answer> => post('/agents/join', body);
  const credentialsOf = async (issuer: Keys, computer: string, endsIn = 3_600_000): Promise<string> => {
    const key = makeAgentKey();
    const signer = new AgentIssuer(agentIssuerKey(issuer));
    return agentCredentials(
      key,
      await signer.statement(key.publicKey, computer, Date.now() + endsIn),
      signer.authority,
    );
  };
  const member = async (computer: string): Promise<string> => {
    const key = makeAgentKey();
    const { text } = await join(applicant(await invite({ computer }), {}, key));
    const { statement, authority } = JSON.parse(text) as { statement: string; authority: string };
    return agentCredentials(key, statement, authority);
  };
  const passOf = (credentials: string, purpose: PassPurpose, agoMs = 0): string =>
    makePass(credentials, purpose, Date.now() - agoMs);
  const revoked = async (computer: string): Promise<string> => {
    const credentials = await member(computer);
    await door().as(people.root, 'POST', `/api/enrolments/${computer}/revoke`, {});
    return credentials;
  };

  const forbidden = (name: string, send: () => Promise<Answer>): Attack => ({
    name: `joining: ${name}`,
    attempt: async () => {
      const { status, text } = await send();
      return status >= 400 && status < 500 ? undefined : `${status} ${text.slice(0, 200)}`;
    },
  });
  /** The answer must be about rights: another refusal, such as that nothing has the name, comes after the check of rights. */
  const withoutRight = (name: string, send: () => Promise<Answer>): Attack => ({
    name: `joining: ${name}`,
    attempt: async () => {
      const { status, text } = await send();
      return status === 401 || status === 403 ? undefined : `${status} ${text.slice(0, 200)}`;
    },
  });
  const unconnected = (name: string, pass: () => Promise<string | undefined>): Attack => ({
    name: `joining: a connection to the broker ${name}`,
    attempt: async () => {
      const status = await upgraded(url, await pass());
      return status === 101 ? 'connected' : undefined;
    },
  });

  const linux = {
    ...{ name: 'svc-agent-9.9.9-linux-x64.tar.gz', version: '9.9.9', platform: 'linux-x64' },
    ...{ size: 1, sha256: '0'.repeat(64) },
  };
  const offered = async (): Promise<SignedOffer> =>
    JSON.parse((await door().send('GET', '/agents/packages')).text) as SignedOffer;
  /** An agent of this service, which has seen the offer of now, must not believe what comes instead. */
  const unbelieved = (name: string, instead: () => Promise<SignedOffer> | SignedOffer): Attack => ({
    name: `joining: an offer of packages ${name}`,
    attempt: async () => {
      const [, payload = ''] = partsOf(await credentialsOf(keys, 'x20')).statement.split('.');
      const { iss } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { iss: string };
      readOffer(await offered(), iss, Date.now());
      try {
        return `the agent believes ${JSON.stringify(readOffer(await instead(), iss, Date.now()))}`;
      } catch (error) {
        if (error instanceof OfferFault) return undefined;
        throw error;
      }
    },
  });
  const own = new AgentIssuer(agentIssuerKey(keys));

  const administration: [string, string, Body?][] = [
    ['POST', '/api/invitations', { computer: 'bench_x' }],
    ['GET', '/api/invitations'],
    ['DELETE', '/api/invitations/AAAAAAAAAAAA'],
    ['GET', '/api/enrolments'],
    ['POST', '/api/enrolments/bench_b/approve', {}],
    ['POST', '/api/enrolments/bench_b/revoke', {}],
  ];
  return [
    ...administration.flatMap(([method, path, body]) => [
      withoutRight(`${method} ${path} without a token`, () =>
        door().send(method, path, {}, body === undefined ? undefined : JSON.stringify(body)),
      ),
      ...(['eve', 'ada', 'olga', 'stranger'] as const).map((name) =>
        withoutRight(`${method} ${path} as ${name}`, () => door().as(people[name], method, path, body)),
      ),
    ]),
    forbidden('without an invitation', () => join(applicant({ id: 'AAAAAAAAAAAA', secret: 'A'.repeat(43) }))),
    forbidden('with a guessed secret', async () =>
      join(applicant({ ...(await invite({ computer: 'x1' })), secret: 'A'.repeat(43) })),
    ),
    forbidden('with a token that was used', async () => {
      // Under another name each, or the name alone would be the reason of the refusal.
      const invitation = await invite({ computer: 'v*', uses: 2 });
      for (const computer of ['v1', 'v2']) await join(applicant(invitation, { computer }));
      return join(applicant(invitation, { computer: 'v3' }));
    }),
    forbidden('with a token that was withdrawn', async () => {
      const invitation = await invite({ computer: 'x3' });
      await door().as(people.root, 'DELETE', `/api/invitations/${invitation.id}`);
      return join(applicant(invitation));
    }),
    forbidden('under another name than the invited one', async () =>
      join(applicant(await invite({ computer: 'x4' }), { computer: 'svc_computer' })),
    ),
    forbidden('under a name outside of the pattern', async () =>
      join(applicant(await invite({ computer: 'y*', uses: 5 }), { computer: 'bench_b' })),
    ),
    forbidden('under the name of a computer that has joined', async () => {
      await member('z1');
      return join(applicant(await invite({ computer: 'z*', uses: 5 }), { computer: 'z1' }));
    }),
    forbidden('with the public key of somebody else', async () =>
      join(applicant(await invite({ computer: 'x5' }), { key: makeAgentKey().publicKey })),
    ),
    forbidden('with the public key of another role', async () => {
      const seed = makeKeys().roles.agent;
      const ofRole = { publicKey: keyPairOf(seed).getPublicKey(), seed };
      return join(applicant(await invite({ computer: 'x6' }), {}, ofRole));
    }),
    {
      name: 'joining: before an administrator has approved it',
      attempt: async () => {
        const { status, text } = await join(applicant(await invite({ computer: 'x7', approval: true })));
        return status === 202 && !text.includes('statement') ? undefined : `${status} ${text}`;
      },
    },
    {
      name: 'joining: eight at once with an invitation for two',
      attempt: async () => {
        const invitation = await invite({ computer: 'w*', uses: 2 });
        const computers = Array.from({ length: 8 }, (_, index) => `w${index}`);
        const answers = await Promise.all(
          computers.map((computer) => join(applicant(invitation, { computer }))),
        );
        const joined = answers.filter(({ status }) => status === 200).length;
        return joined <= 2 ? undefined : `${joined} joined`;
      },
    },
    forbidden('renewal with a pass of another service', async () =>
      post('/agents/renew', { pass: passOf(await credentialsOf(makeKeys(), 'x9'), 'renew'), version: '0' }),
    ),
    forbidden('renewal with a signed key that has never joined', async () =>
      post('/agents/renew', { pass: passOf(await credentialsOf(keys, 'x9'), 'renew'), version: '0' }),
    ),
    forbidden('renewal with a pass for the broker', async () =>
      post('/agents/renew', { pass: passOf(await member('x10'), 'broker'), version: '0' }),
    ),
    forbidden('renewal with an old pass', async () =>
      post('/agents/renew', { pass: passOf(await member('x11'), 'renew', 600_000), version: '0' }),
    ),
    forbidden('renewal by a revoked agent', async () =>
      post('/agents/renew', { pass: passOf(await revoked('x12'), 'renew'), version: '0' }),
    ),
    unconnected('without a pass', () => Promise.resolve(undefined)),
    unconnected('with the token of an administrator', () => Promise.resolve(`Bearer ${people.root}`)),
    unconnected('with a pass of another service', async () =>
      passOf(await credentialsOf(makeKeys(), 'x13'), 'broker'),
    ),
    unconnected('with an expired statement', async () =>
      passOf(await credentialsOf(keys, 'x14', -1_000), 'broker'),
    ),
    unconnected('with an old pass', async () => passOf(await member('x15'), 'broker', 600_000)),
    unconnected('with a pass for renewal', async () => passOf(await member('x16'), 'renew')),
    unconnected('by a revoked agent', async () => passOf(await revoked('x17'), 'broker')),
    forbidden('a package outside of the folder', () =>
      // More steps than the folder has parents, so that the file is there wherever the folder is.
      door().send('GET', `/agents/packages/${'..%2F'.repeat(16)}etc%2Fpasswd`),
    ),
    forbidden('a package at an absolute path', () => door().send('GET', '/agents/packages/%2Fetc%2Fpasswd')),
    unbelieved('signed by another service', () =>
      new AgentIssuer(agentIssuerKey(makeKeys())).offer([linux], Date.now()),
    ),
    unbelieved('signed with the key of another role', () =>
      new AgentIssuer(agentIssuerKey({ ...keys, roles: { ...keys.roles, agent: keys.roles.gateway } })).offer(
        [linux],
        Date.now(),
      ),
    ),
    unbelieved('that was changed on its way', async () => {
      const { manifest, signature } = await offered();
      const offer = JSON.parse(Buffer.from(manifest, 'base64url').toString()) as object;
      const changed = JSON.stringify({ ...offer, packages: [linux] });
      return { manifest: Buffer.from(changed).toString('base64url'), signature };
    }),
    unbelieved('that is repeated after a newer one', () =>
      own.offer([linux], Date.now() - offerToleranceMs - 1_000),
    ),
    unbelieved('with a path outside in place of a name', () =>
      own.offer([{ ...linux, name: '../../../etc/cron.d/x' }], Date.now()),
    ),
    unbelieved('with a path outside in place of a version', () =>
      own.offer([{ ...linux, version: '9.9.9/../../..' }], Date.now()),
    ),
    ...listAttacksOf(keys),
    {
      name: 'T1: an address tls:// reaches a server without TLS',
      attempt: () => secretsSentTo('tls:', { tls_required: false }, keys),
    },
    {
      name: 'T2: somebody in between says that the broker needs no TLS',
      attempt: () => secretsSentTo('tls:', { tls_required: false, tls_available: false }, keys),
    },
    {
      name: 'T3: an address nats:// leads to another computer',
      attempt: async () => {
        const credentials = await credentialsOf(keys, 'x18');
        const connecting = connectBus({
          ...{ url: 'nats://192.0.2.1:4222', role: 'agent', name: 'x18', credentials, connectTimeoutMs: 1 },
        });
        const outcome = await connecting.then(
          () => 'connected',
          (error: { code?: string }) => error.code,
        );
        return outcome === 'bad_request' ? undefined : `the client tried: ${String(outcome)}`;
      },
    },
  ];
}

/** The status of the answer to a request for a connection to the broker. */
async function upgraded(url: string, authorization: string | undefined): Promise<number> {
  const sent = request(`${url}/agents/broker`, {
    headers: {
      ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
      'sec-websocket-key': Buffer.alloc(16).toString('base64'),
      ...(authorization === undefined ? {} : { authorization }),
    },
  });
  return new Promise((resolve, reject) => {
    sent.once('error', reject);
    sent.once('upgrade', ({ statusCode }, socket) => {
      socket.destroy();
      resolve(statusCode ?? 0);
    });
    sent.once('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.end();
  });
}

/** Plays a broker, and collects what a client sends readable. @returns a credential that it sent */
async function secretsSentTo(scheme: 'tls:', info: object, keys: Keys): Promise<string | undefined> {
  let sent = '';
  const server = createServer((socket) => {
    socket.on('error', () => undefined /* the client gives up */);
    socket.on('data', (data) => (sent += data.toString('latin1')));
    socket.write(
      `INFO ${JSON.stringify({ version: '2.10.0', max_payload: 1_048_576, proto: 1, nonce: 'n', auth_required: true, ...info })}\r\n`,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const signer = new AgentIssuer(agentIssuerKey(keys));
  const key = makeAgentKey();
  const statement = await signer.statement(key.publicKey, 'x19', Date.now() + 60_000);
  const credentials = agentCredentials(key, statement, signer.authority);
  const url = `${scheme}//127.0.0.1:${port}`;
  await connectBus({ url, role: 'agent', name: 'x19', credentials, connectTimeoutMs: 1 }).then(
    (bus) => bus.close(),
    () => undefined,
  );
  server.close();
  return /CONNECT|eyJ/.test(sent) ? `the client sent ${sent.slice(0, 120)}` : undefined;
}
