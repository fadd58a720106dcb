import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeKeys } from '@lab/trust';
import { AgentIssuer, agentIssuerKey } from '@lab/trust/agent-issuer';
import { agentCredentials, makeAgentKey } from '@lab/trust/agent-key';
import { Authority } from '@lab/trust/authority';
import { signAuthorities, type AuthorityEntry } from '@lab/trust/authority-list';
import { makeCertificateAuthority } from '@lab/trust/certificates';
import { certificatesIn } from '@lab/trust/fingerprint';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { GatewayDoor, ServiceAuthorities } from '../../src/joining/index.js';
import { StandIn, type Answer } from './stand-in.js';

const keys = makeKeys();
const other = makeKeys();
const now = Date.now();
const iso = (ms: number): string => new Date(ms).toISOString();
/** The service after its authority was replaced. */
let gateway: StandIn;
let before: string;
let credentials: string;
let folder: string;
let lines: string[];

beforeAll(async () => {
  gateway = await StandIn.start();
  before = (await makeCertificateAuthority('before', now)).certificate;
  const key = makeAgentKey();
  const issuer = new AgentIssuer(agentIssuerKey(keys));
  credentials = agentCredentials(
    key,
    await issuer.statement(key.publicKey, 'bench_a', now + 1e9),
    issuer.authority,
  );
});
afterAll(() => gateway.stop());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lab-authorities-'));
  writeFileSync(join(folder, 'ca.pem'), before);
  lines = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

const opened = (at = now): ServiceAuthorities => {
  const opened = ServiceAuthorities.of(
    {
      ...{ dataDir: folder, gateway: gateway.url, proxy: undefined, credentials: () => credentials },
      ...{ log: { info: (text) => lines.push(text), warn: (text) => lines.push(text) }, now: () => at },
    },
    file('ca.pem'),
  );
  if (opened === undefined) throw new Error('the authorities are not those of the agent');
  return opened;
};
const file = (name: string): string => readFileSync(join(folder, name), 'utf8');
const offering = (answer: Answer): void => void (gateway.answers['/agents/authorities'] = () => answer);
const signed = (madeAt: number, entries: AuthorityEntry[], signer = keys): string =>
  signAuthorities(new Authority(signer.authority), entries, madeAt);
const present = (): AuthorityEntry => ({ certificate: gateway.authority.certificate, until: null });

it('a list that the service has signed is taken over a connection that nobody vouches for, and kept', async () => {
  const authorities = opened();
  const way = {
    get authorities() {
      return authorities.trusted;
    },
  };
  const door = new GatewayDoor(gateway.url, way);
  await expect(door.get('/health/live')).rejects.toThrow();
  offering({ body: signed(now, [present(), { certificate: before, until: iso(now + 60_000) }]) });
  await authorities.learn();
  await door.get('/health/live');
  const both = certificatesIn(gateway.authority.certificate + before);
  expect([authorities.trusted, file('ca.pem'), opened().trusted]).toEqual([both, both, both]);
  expect(lines).toEqual(['the service has new certificate authorities']);
  // The one before ends at its time, also while the agent runs.
  expect(opened(now + 60_000).trusted).toBe(certificatesIn(gateway.authority.certificate));
});

it('a list of somebody else changes nothing, and is reported once', async () => {
  const authorities = opened();
  for (const body of [signed(now, [present()], other), 'no list', '<html>', '.'].flatMap((each) => [
    each,
    each,
  ])) {
    offering({ body });
    await authorities.learn();
  }
  expect([authorities.trusted, file('ca.pem')]).toEqual([before, before]);
  expect(lines).toEqual([expect.stringContaining('has not signed; somebody may be in between')]);
});

it('an older list than one that was seen changes nothing, also after a restart', async () => {
  offering({ body: signed(now, [present()]) });
  await opened().learn();
  const taken = file('ca.pem');
  lines = [];
  offering({ body: signed(now - 1_000, [{ certificate: before, until: null }]) });
  const authorities = opened();
  await authorities.learn();
  expect([authorities.trusted, file('ca.pem')]).toEqual([taken, taken]);
  expect(lines).toEqual([expect.stringContaining('repeats a list of certificate authorities')]);
});

it('a service that has never replaced its authority, or does not answer, changes nothing', async () => {
  const authorities = opened();
  offering({ status: 404, body: { detail: 'never' } });
  await authorities.learn();
  expect(lines).toEqual([]);
  offering('broken');
  await authorities.learn();
  expect(lines).toEqual([
    expect.stringContaining('the certificate authorities of the service are not known'),
  ]);
  expect(authorities.trusted).toBe(before);
});

it('a refused certificate makes the agent ask, and not again at once', async () => {
  offering({ body: signed(now, [present()]) });
  const authorities = opened();
  const door = new GatewayDoor(gateway.url, {
    authorities: before,
    onDistrust: () => authorities.doubt(),
  });
  gateway.asked.length = 0;
  for (let attempt = 0; attempt < 3; attempt += 1)
    await expect(door.get('/health/live')).rejects.toThrow(/certificate/);
  await expect.poll(() => authorities.trusted).toBe(certificatesIn(gateway.authority.certificate));
  expect(gateway.paths).toEqual(['/agents/authorities']);
});

it('authorities that somebody configured in another place are left alone', () => {
  const options = { dataDir: folder, gateway: gateway.url, proxy: undefined, credentials: () => credentials };
  const log = { info: () => undefined, warn: () => undefined };
  expect(ServiceAuthorities.of({ ...options, log }, gateway.authority.certificate)).toBeUndefined();
  expect(ServiceAuthorities.of({ ...options, log }, undefined)).toBeUndefined();
});
