import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { orchestratorRequests, serviceRequests, ServiceError } from '@lab/contracts';
import { makeKeys, withNewAuthority } from '@lab/trust';
import { AgentIssuer, agentIssuerKey } from '@lab/trust/agent-issuer';
import { agentCredentials, joinText, makeAgentKey, proveKey } from '@lab/trust/agent-key';
import { makeCertificateAuthority } from '@lab/trust/certificates';
import { fingerprintOf } from '@lab/trust/fingerprint';
import { makePass } from '@lab/trust/pass';
import { MemoryEnrolments } from '../memory-enrolments.js';
import { expectProblem, startHarness, type Harness, type Reply } from '../twins.js';

const url = 'https://lab-server:8443';
const issuer = agentIssuerKey(makeKeys());
let authority: string;
/** What the service has signed about its authorities. */
let signed: string | undefined;
const authorities = { certificates: () => authority, signedList: () => signed };
let store: MemoryEnrolments;
let gateway: Harness;

const newAuthority = async (): Promise<string> =>
  (await makeCertificateAuthority('test', Date.now())).certificate;
beforeEach(async () => {
  authority = await newAuthority();
  signed = undefined;
  store = new MemoryEnrolments();
  gateway = await startHarness({}, undefined, undefined, {
    enrolments: store,
    enrolment: { issuer, authorities, publicUrl: url, brokers: undefined },
  });
  return () => gateway.server.close();
});

const invited = async (body: object = { computer: 'bench_b' }): Promise<{ id: string; secret: string }> => {
  const reply = await gateway.send('POST', '/api/invitations', body);
  expect(reply.status).toBe(201);
  const [, , id = '', secret = ''] =
    /^svc_join_([^.]+)\.([^.]+)\.(.+)$/.exec(String(reply.body['token'])) ?? [];
  return { id, secret };
};

const applicant = (
  { id, secret }: { id: string; secret: string },
  more: object = {},
  key = makeAgentKey(),
) => ({
  ...{ id, secret, version: '0.1.0', key: key.publicKey, proof: proveKey(key, joinText(id, key.publicKey)) },
  ...more,
});

const join = (body: object): Promise<Reply> => gateway.send('POST', '/agents/join', body);

describe('an invitation', () => {
  it('is one line for the computer, with the fingerprint of the authority', async () => {
    const reply = await gateway.send('POST', '/api/invitations', { computer: 'bench_b', expires_in_s: 600 });
    const { token, command } = reply.body as { token: string; command: string };
    expect(command).toBe(`svc-agent join ${url} ${token}`);
    expect(token.startsWith(`svc_join_${fingerprintOf(authority)}.`)).toBe(true);
    expect((await gateway.send('GET', '/agents/ca')).text).toBe(authority);
    const listed = await gateway.send('GET', '/api/invitations');
    expect(listed.text).toContain('"computer":"bench_b"');
    const secret = token.split('.').at(-1) ?? '';
    expect(listed.text).not.toContain(secret);
    expect(JSON.stringify(store.keptInvitations)).not.toContain(secret);
  });

  it('is not stored with the answers for repeated requests', async () => {
    const key = { 'idempotency-key': 'k1' };
    const first = await gateway.send('POST', '/api/invitations', { computer: 'bench_b' }, key);
    expect(first.status).toBe(201);
    const again = await gateway.send('POST', '/api/invitations', { computer: 'bench_b' }, key);
    expect(again.status).not.toBe(201);
    expect(again.text).not.toContain('svc_join_');
    expect(store.keptInvitations).toHaveLength(1);
  });

  it('names a computer that the laboratory declares', async () => {
    gateway.requests.on(orchestratorRequests.listAgents, () => ({
      agents: [{ computer: 'bench_b', labs: ['color_lab'] }] as never,
    }));
    await invited({ computer: 'bench_b', lab: 'color_lab' });
    const wrong = await gateway.send('POST', '/api/invitations', { computer: 'bench_c', lab: 'color_lab' });
    expectProblem(wrong, 422, 'invalid');
    expect(wrong.body.errors).toMatchObject([{ path: 'computer', hint: 'it declares bench_b' }]);
  });

  it('with a pattern is for several computers, and one without is for one', async () => {
    for (const body of [
      { computer: 'bench_*' },
      { computer: 'bench_b', uses: 2 },
      { computer: '' },
      { computer: 'b', expires_in_s: 1 },
    ])
      expectProblem(await gateway.send('POST', '/api/invitations', body), 422, 'invalid');
  });

  it('is refused while the agent of the computer is admitted', async () => {
    await join(applicant(await invited()));
    const again = await gateway.send('POST', '/api/invitations', { computer: 'bench_b' });
    expectProblem(again, 409, 'wrong_state');
    expect(again.body['detail']).toContain('svc agent revoke bench_b');
  });
});

describe('a new certificate authority', () => {
  it('is in the fingerprint of the next token, beside the one before', async () => {
    const before = authority;
    authority = `${await newAuthority()}${before}`;
    const reply = await gateway.send('POST', '/api/invitations', { computer: 'bench_b' });
    expect(String(reply.body['token']).startsWith(`svc_join_${fingerprintOf(authority)}.`)).toBe(true);
    expect(fingerprintOf(authority)).not.toBe(fingerprintOf(before));
    expect((await gateway.send('GET', '/agents/ca')).text).toBe(authority);
  });

  it('is offered to computers that joined as the list that the service has signed', async () => {
    const none = await gateway.send('GET', '/agents/authorities');
    expectProblem(none, 404, 'not_found');
    expect(none.text).toContain('never replaced its key or its certificate authority');
    signed = 'signed.list';
    expect((await gateway.send('GET', '/agents/authorities')).text).toBe('signed.list');
  });

  it('is offered after the keys of the service, with the newest of which it is signed', async () => {
    const renewed = withNewAuthority(makeKeys(), Date.now(), { overlapMs: 60_000 });
    await gateway.server.close();
    gateway = await startHarness({}, undefined, undefined, {
      enrolments: store,
      enrolment: { issuer: agentIssuerKey(renewed), authorities, publicUrl: url, brokers: undefined },
    });
    const links = renewed.authorities?.links ?? [];
    expect((await gateway.send('GET', '/agents/authorities')).text).toBe(links.join('\n'));
    signed = 'signed.list';
    expect((await gateway.send('GET', '/agents/authorities')).text).toBe([...links, signed].join('\n'));
    expect((await join(applicant(await invited()))).body['authority']).toBe(renewed.authority.x);
  });
});

describe('joining', () => {
  it('gives the public code key of the service, and that of the lab if the service has one', async () => {
    const { codeKey } = new AgentIssuer(issuer);
    const { body } = await join(applicant(await invited()));
    expect([body['code_key'], 'lab_code_key' in body]).toEqual([codeKey, false]);
    const lab = `svc_code_${'x'.repeat(43)}`;
    const demanding = await startHarness({}, undefined, undefined, {
      enrolments: store,
      enrolment: { issuer, authorities, publicUrl: url, brokers: undefined, codeKey: lab },
    });
    try {
      const request = applicant(await invited({ computer: 'bench_c' }));
      const reply = await demanding.send('POST', '/agents/join', request);
      expect(reply.body).toMatchObject({ code_key: codeKey, lab_code_key: lab });
    } finally {
      await demanding.server.close();
    }
  });

  it('gives credentials that the gateway recognises, once', async () => {
    const invitation = await invited();
    const key = makeAgentKey();
    const reply = await join(applicant(invitation, {}, key));
    expect(reply.status).toBe(200);
    const { computer, statement, authority: signer, brokers } = reply.body as Record<string, string>;
    expect({ computer, brokers }).toEqual({
      computer: 'bench_b',
      brokers: 'wss://lab-server:8443/agents/broker',
    });
    const credentials = agentCredentials(key, statement ?? '', signer ?? '');
    expect(
      new AgentIssuer(issuer).holder(makePass(credentials, 'broker', Date.now()), 'broker', Date.now()),
    ).toEqual({
      computer: 'bench_b',
      key: key.publicKey,
    });
    expectProblem(await join(applicant(invitation)), 403, 'forbidden');
    // An answer that was lost can be had again.
    expect((await join(applicant(invitation, {}, key))).status).toBe(200);
    expect(store.keptAgents).toHaveLength(1);
  });

  it('needs the secret of an invitation in force, and the private key', async () => {
    const invitation = await invited();
    for (const wrong of [{ secret: `x${invitation.secret.slice(1)}` }, { id: 'AAAAAAAAAAAA' }])
      expectProblem(await join(applicant({ ...invitation, ...wrong })), 401, 'unauthorized');
    expectProblem(await join(applicant(invitation, { key: makeAgentKey().publicKey })), 422, 'invalid');
    expectProblem(await join(applicant(invitation, { computer: 'bench_c' })), 422, 'invalid');
    for (const body of [{}, [], { ...applicant(invitation), version: 7 }])
      expectProblem(await join(body), 422, 'invalid');
    const [kept] = store.keptInvitations;
    Object.assign(kept ?? {}, { expires_at: new Date(Date.now() - 1).toISOString() });
    expectProblem(await join(applicant(invitation)), 403, 'forbidden');
    expect(store.keptAgents).toHaveLength(0);
    const other = await invited();
    await gateway.send('DELETE', `/api/invitations/${other.id}`);
    expectProblem(await join(applicant(other)), 403, 'forbidden');
  });

  it('with a pattern takes the name that the computer says, if the pattern allows it', async () => {
    const invitation = await invited({ computer: 'bench_*', uses: 2 });
    for (const more of [{}, { computer: 'server' }, { computer: 'bench_*' }])
      expectProblem(await join(applicant(invitation, more)), 422, 'invalid');
    expect((await join(applicant(invitation, { computer: 'bench_1' }))).body['computer']).toBe('bench_1');
    expectProblem(await join(applicant(invitation, { computer: 'bench_1' })), 409, 'wrong_state');
    expect((await join(applicant(invitation, { computer: 'bench_2' }))).status).toBe(200);
    expectProblem(await join(applicant(invitation, { computer: 'bench_3' })), 403, 'forbidden');
  });

  it('with approval waits for an administrator', async () => {
    const invitation = await invited({ computer: 'bench_b', approval: true });
    const asked = applicant(invitation);
    expect((await join(asked)).status).toBe(202);
    expect((await join(asked)).status).toBe(202);
    expect((await gateway.send('POST', '/api/enrolments/bench_b/approve')).status).toBe(200);
    expect((await join(asked)).status).toBe(200);
    expectProblem(await gateway.send('POST', '/api/enrolments/bench_c/approve'), 404, 'not_found');
  });
});

describe('an agent that joined', () => {
  const member = async (): Promise<{ credentials: string }> => {
    const key = makeAgentKey();
    const { body } = await join(applicant(await invited(), {}, key));
    return { credentials: agentCredentials(key, String(body['statement']), String(body['authority'])) };
  };
  const renew = (credentials: string, purpose: 'renew' | 'broker' = 'renew'): Promise<Reply> =>
    gateway.send('POST', '/agents/renew', {
      pass: makePass(credentials, purpose, Date.now()),
      version: '0.2.0',
    });

  it('renews its credentials with its key', async () => {
    const { credentials } = await member();
    const reply = await renew(credentials);
    expect(reply.status).toBe(200);
    expect(reply.body['computer']).toBe('bench_b');
    expect(store.keptAgents[0]?.version).toBe('0.2.0');
    expectProblem(await renew(credentials, 'broker'), 401, 'unauthorized');
  });

  it('gets nothing any more when it is revoked, and another may join', async () => {
    const { credentials } = await member();
    gateway.requests.on(serviceRequests.applyRevocations, () => ({ revoked: 1 }));
    const revoked = await gateway.send('POST', '/api/enrolments/bench_b/revoke', { reason: 'replaced' });
    expect(revoked.body).toMatchObject({
      computer: 'bench_b',
      reason: 'replaced',
      revoked_by: expect.any(String),
    });
    expectProblem(await renew(credentials), 403, 'forbidden');
    expect((await gateway.send('GET', '/api/enrolments')).text).toBe('[]');
    expect((await gateway.send('GET', '/api/enrolments?revoked=true')).text).toContain('"replaced"');
    expect((await join(applicant(await invited()))).status).toBe(200);
  });

  it('stays recorded as revoked when the broker was not told, and the request says so', async () => {
    await member();
    gateway.requests.on(serviceRequests.applyRevocations, () => {
      throw new ServiceError('service_unavailable', 'nobody leads');
    });
    expectProblem(await gateway.send('POST', '/api/enrolments/bench_b/revoke'), 503, 'service_unavailable');
    gateway.requests.on(serviceRequests.applyRevocations, () => ({ revoked: 1 }));
    expect((await gateway.send('POST', '/api/enrolments/bench_b/revoke')).status).toBe(200);
    expectProblem(await gateway.send('POST', '/api/enrolments/bench_x/revoke'), 404, 'not_found');
  });
});

describe('a gateway without the key that admits agents', () => {
  let without: Harness;
  beforeAll(async () => {
    without = await startHarness();
  });
  afterAll(() => without.server.close());

  it('says so', async () => {
    const reply = await without.send('POST', '/api/invitations', { computer: 'bench_b' });
    expectProblem(reply, 409, 'wrong_state');
    expect(reply.body['detail']).toContain('SVC_AGENT_ISSUER');
    expectProblem(await without.send('GET', '/agents/ca'), 404, 'not_found');
  });
});
