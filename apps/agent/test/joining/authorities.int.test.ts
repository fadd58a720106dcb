import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeKeys, withNewAuthority, type Keys } from '@lab/trust';
import { AgentIssuer, agentIssuerKey } from '@lab/trust/agent-issuer';
import { agentCredentials, makeAgentKey } from '@lab/trust/agent-key';
import { Authority } from '@lab/trust/authority';
import { signAuthorities, type AuthorityEntry } from '@lab/trust/authority-list';
import { makeCertificateAuthority } from '@lab/trust/certificates';
import { certificatesIn } from '@lab/trust/fingerprint';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GatewayDoor, ServiceTrust } from '../../src/joining/index.js';
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

const opened = (at = now, configured: string | undefined = file('ca.pem')): ServiceTrust =>
  new ServiceTrust({
    ...{
      dataDir: folder,
      gateway: gateway.url,
      proxy: undefined,
      credentials: () => credentials,
      configured,
    },
    log: { info: (text) => lines.push(text), warn: (text) => lines.push(text) },
    now: () => at,
  });
const file = (name: string): string => readFileSync(join(folder, name), 'utf8');
const offering = (answer: Answer): void => void (gateway.answers['/agents/authorities'] = () => answer);
const signed = (madeAt: number, entries: AuthorityEntry[], signer = keys): string =>
  signAuthorities(new Authority(signer.authority), entries, madeAt);
const present = (): AuthorityEntry => ({ certificate: gateway.authority.certificate, until: null });

it('a list that the service has signed is taken over a connection that nobody vouches for, and kept', async () => {
  const trust = opened();
  const way = {
    get authorities() {
      return trust.authorities;
    },
  };
  const door = new GatewayDoor(gateway.url, way);
  await expect(door.get('/health/live')).rejects.toThrow();
  offering({ body: signed(now, [present(), { certificate: before, until: iso(now + 60_000) }]) });
  await trust.learn();
  await door.get('/health/live');
  const both = certificatesIn(gateway.authority.certificate + before);
  expect([trust.authorities, file('ca.pem'), opened().authorities]).toEqual([both, both, both]);
  expect(lines).toEqual(['the service has new certificate authorities']);
  // The one before ends at its time, also while the agent runs.
  expect(opened(now + 60_000).authorities).toBe(certificatesIn(gateway.authority.certificate));
});

it('a list of somebody else changes nothing, and is reported once', async () => {
  const trust = opened();
  for (const body of [signed(now, [present()], other), 'no list', '<html>', '.'].flatMap((each) => [
    each,
    each,
  ])) {
    offering({ body });
    await trust.learn();
  }
  expect([trust.authorities, file('ca.pem')]).toEqual([before, before]);
  expect(lines).toEqual([expect.stringContaining('has not signed; somebody may be in between')]);
});

it('an older list than one that was seen changes nothing, also after a restart', async () => {
  offering({ body: signed(now, [present()]) });
  await opened().learn();
  const taken = file('ca.pem');
  lines = [];
  offering({ body: signed(now - 1_000, [{ certificate: before, until: null }]) });
  const trust = opened();
  await trust.learn();
  expect([trust.authorities, file('ca.pem')]).toEqual([taken, taken]);
  expect(lines).toEqual([expect.stringContaining('repeats a list of certificate authorities')]);
});

it('a service that has never replaced its authority, or does not answer, changes nothing', async () => {
  const trust = opened();
  offering({ status: 404, body: { detail: 'never' } });
  await trust.learn();
  expect(lines).toEqual([]);
  offering('broken');
  await trust.learn();
  expect(lines).toEqual([expect.stringContaining('what the service has replaced is not known anew')]);
  expect(trust.authorities).toBe(before);
});

it('a refused certificate makes the agent ask, and not again at once', async () => {
  offering({ body: signed(now, [present()]) });
  const trust = opened();
  const door = new GatewayDoor(gateway.url, {
    authorities: before,
    onDistrust: () => void trust.doubt(),
  });
  gateway.asked.length = 0;
  for (let attempt = 0; attempt < 3; attempt += 1)
    await expect(door.get('/health/live')).rejects.toThrow(/certificate/);
  await expect.poll(() => trust.authorities).toBe(certificatesIn(gateway.authority.certificate));
  expect(gateway.paths).toEqual(['/agents/authorities']);
});

it('authorities that somebody configured in another place are left alone', async () => {
  offering({ body: signed(now, [present()]) });
  const own = opened(now, gateway.authority.certificate);
  await own.learn();
  expect([own.authorities, file('ca.pem')]).toEqual([gateway.authority.certificate, before]);
  expect(opened(now, '').authorities).toBe('');
  expect(lines).toEqual([]);
});

describe('a new key of the service', () => {
  const next = withNewAuthority(keys, now, { overlapMs: 10_000, leadMs: 5_000 });
  const atOnce = withNewAuthority(next, now, { overlapMs: 0 });
  const lists = (of: Keys): string[] => of.authorities?.links ?? [];

  it('is believed beside the one before until the end of that one, also after a restart', async () => {
    const trust = opened();
    expect(trust.keys).toEqual([keys.authority.x]);
    offering({ body: lists(next).join('\n') });
    await trust.learn();
    const both = [next.authority.x, keys.authority.x];
    expect([trust.keys, opened().keys]).toEqual([both, both]);
    expect(opened(now + 10_000).keys).toEqual([next.authority.x]);
    expect(lines).toEqual(['the service has a new key']);
    await trust.learn();
    expect(lines).toHaveLength(1);
  });

  it('at once ends the one before, and signs the certificate authorities from then on', async () => {
    const trust = opened();
    offering({ body: [...lists(atOnce), signed(now, [present()], atOnce)].join('\n') });
    await trust.learn();
    expect(trust.keys).toEqual([atOnce.authority.x]);
    expect(trust.authorities).toBe(certificatesIn(gateway.authority.certificate));
    // A thief has the key before.
    const forged = withNewAuthority({ ...other, authority: keys.authority }, now + 60_000, { overlapMs: 0 });
    offering({
      body: [...lists(forged), signed(now + 60_000, [{ certificate: before, until: null }])].join('\n'),
    });
    lines = [];
    await trust.learn();
    expect([trust.keys, trust.authorities]).toEqual([
      [atOnce.authority.x],
      certificatesIn(gateway.authority.certificate),
    ]);
    expect(lines).toEqual([expect.stringContaining('has not signed; somebody may be in between')]);
    expect(opened().authorities).toBe(certificatesIn(gateway.authority.certificate));
  });

  it('of somebody else is not believed', async () => {
    const trust = opened();
    offering({ body: lists(withNewAuthority(other, now, { overlapMs: 0 })).join('\n') });
    await trust.learn();
    expect(trust.keys).toEqual([keys.authority.x]);
  });

  it('that cannot be written is believed by this process, which says so', async () => {
    const trust = opened();
    mkdirSync(join(folder, 'service-keys'));
    offering({ body: lists(atOnce).join('\n') });
    await trust.learn();
    expect(trust.keys).toEqual([atOnce.authority.x]);
    expect(lines).toEqual([
      'the service has a new key',
      expect.stringContaining('what the service has replaced cannot be written'),
    ]);
  });
});
