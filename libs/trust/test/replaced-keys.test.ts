import { decode, type Account } from '@nats-io/jwt';
import { describe, expect, it } from 'vitest';
import { AgentIssuer, agentIssuerKey } from '../src/agent-issuer.js';
import { acceptedIn, Authority, AuthorityCheck, authorityKeysIn } from '../src/authority.js';
import { brokerIdentity } from '../src/broker-identity.js';
import { codeKeyIn, codeKeyOf } from '../src/code-manifest.js';
import {
  accountOf,
  authorityRing,
  issueCredentials,
  makeKeys,
  readKeys,
  seedsOf,
  withNewAuthority,
  withNewProcessKeys,
  type Keys,
} from '../src/index.js';
import { ringText } from '../src/key-ring.js';
import { keyPairOf } from '../src/nkeys.js';
import { followServiceKeys, keptServiceKeys, type KnownServiceKeys } from '../src/service-keys.js';

const day = 86_400_000;
const now = Date.now();
const iso = (ms: number): string => new Date(ms).toISOString();
const first = makeKeys();
const overlap = { overlapMs: 2 * day, leadMs: day };
const second = withNewAuthority(first, now, overlap);
const pinned: KnownServiceKeys = { keys: [{ x: first.authority.x, until: null }] };
const links = (keys: Keys): readonly string[] => keys.authorities?.links ?? [];

describe('a new authority', () => {
  it('signs after the lead time, and the one before is believed until its end', () => {
    const text = ringText(authorityRing(second));
    const signs = (at: number): string => Authority.from(text, 'key', () => at).publicKey;
    expect([signs(now), signs(now + day)]).toEqual([first.authority.x, second.authority.x]);
    const gateway = (at: number): string => new AgentIssuer(agentIssuerKey(second), () => at).authority;
    expect([gateway(now), gateway(now + day)]).toEqual([first.authority.x, second.authority.x]);
  });

  it('is known to whoever has pinned the one before, with the end of that one', () => {
    const list = followServiceKeys(links(second), pinned, now);
    expect(list?.keys).toEqual([
      { x: second.authority.x, until: null },
      { x: first.authority.x, until: iso(now + 2 * day) },
    ]);
    expect(acceptedIn(list?.keys ?? [], now + 2 * day)).toEqual([second.authority.x]);
    expect(keptServiceKeys(JSON.stringify(list))).toEqual(list);
    // Who has joined since learns of the end as well.
    expect(followServiceKeys(links(second), { keys: [{ x: second.authority.x, until: null }] }, now)).toEqual(
      list,
    );
  });

  it('is believed by somebody who was off for three replacements, of which one took place at once', () => {
    const third = withNewAuthority(second, now + 40 * day, { overlapMs: 0 });
    const fourth = withNewAuthority(third, now + 50 * day, overlap);
    const believed = followServiceKeys(links(fourth), pinned, now + 60 * day)?.keys ?? [];
    expect(acceptedIn(believed, now + 60 * day)).toEqual([fourth.authority.x]);
    expect(new AgentIssuer(agentIssuerKey(fourth)).links).toEqual(links(fourth));
    expect(readKeys(JSON.stringify(fourth))).toEqual(fourth);
  });

  it('is not believed when somebody else, or a key that has ended, names it', () => {
    const thief = withNewAuthority({ ...makeKeys(), authority: first.authority }, now + day, overlap);
    const stranger = withNewAuthority(makeKeys(), now, overlap);
    const atOnce = withNewAuthority(first, now, { overlapMs: 0 });
    const known = followServiceKeys(links(atOnce), pinned, now);
    expect(acceptedIn(known?.keys ?? [], now)).toEqual([atOnce.authority.x]);
    for (const lines of [links(thief), links(stranger), ['', 'a.b', '<html>']])
      expect(followServiceKeys(lines, known ?? pinned, now)).toBeUndefined();
    expect(followServiceKeys(links(stranger), pinned, now)).toBeUndefined();
    // The list before is no news.
    expect(
      followServiceKeys(links(second), followServiceKeys(links(second), pinned, now) ?? pinned, now),
    ).toBe(undefined);
  });

  it('made while the clock stood before the last one is still the newer one', () => {
    const third = withNewAuthority(second, now - 30 * day, overlap);
    const known = followServiceKeys(links(second), pinned, now) ?? pinned;
    expect(followServiceKeys(links(third), known, now)?.keys[0]?.x).toBe(third.authority.x);
  });

  it('is in the credentials of agents beside the one before, which they believe until its end', async () => {
    const credentials = await issueCredentials(second, 'agent', 'bench_a');
    expect(authorityKeysIn(credentials)).toEqual([
      { x: first.authority.x, until: iso(now + 2 * day) },
      { x: second.authority.x, until: null },
    ]);
    expect(codeKeyIn(credentials)).toBe(codeKeyOf(first.authority.x));
    let at = now;
    const check = AuthorityCheck.in(credentials, () => at);
    const [old, fresh] = [first, second].map(({ authority }) => new Authority(authority).sign({ a: 1 }));
    const reads = (): unknown[] => [old, fresh].map((signed) => check?.read(signed ?? ''));
    expect(reads()).toEqual([{ a: 1 }, { a: 1 }]);
    at = now + 2 * day;
    expect(reads()).toEqual([undefined, { a: 1 }]);
  });
});

describe('new keys of the processes', () => {
  const renewed = withNewProcessKeys(first, now, { overlapMs: day });

  /** Public keys that the broker accepts for the account of the service. */
  async function accepted(keys: Keys, at: number): Promise<string[]> {
    const { accounts } = await brokerIdentity(keys, {}, at);
    const { nats } = decode<Account>(accounts.get(accountOf(keys)) ?? '');
    return (nats.signing_keys ?? []).map((each) => (typeof each === 'string' ? each : each.key));
  }

  it('sign at once, and the broker accepts those before until their end', async () => {
    const publicOf = (keys: Keys, role: 'gateway' | 'tool'): string =>
      keyPairOf(keys.roles[role]).getPublicKey();
    for (const role of ['gateway', 'tool'] as const) {
      const [old, fresh] = [publicOf(first, role), publicOf(renewed, role)];
      expect(old).not.toBe(fresh);
      const credentials = await issueCredentials(renewed, role, 'g');
      const [, statement = ''] = /JWT-----\s+(\S+)/.exec(credentials) ?? [];
      expect(decode(statement).iss).toBe(fresh);
      expect(await accepted(renewed, now)).toEqual(expect.arrayContaining([old, fresh]) as unknown);
      expect(await accepted(renewed, now + day)).not.toContain(old);
    }
  });

  it('leave the key that admits agents alone, and are read again as they were written', () => {
    expect(renewed.roles.agent).toBe(first.roles.agent);
    expect(readKeys(JSON.stringify(renewed))).toEqual(renewed);
    const atOnce = withNewProcessKeys(renewed, now, { overlapMs: 0 });
    expect(seedsOf(atOnce, 'orchestrator', now)).toEqual([atOnce.roles.orchestrator]);
  });
});
