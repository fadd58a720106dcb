import { decode } from '@nats-io/jwt';
import { describe, expect, it } from 'vitest';
import { AgentIssuer, agentIssuerKey } from '../src/agent-issuer.js';
import { agentCredentials, makeAgentKey } from '../src/agent-key.js';
import { makeKeys, readKeys, seedsOf, withNewAgentKey, type Keys } from '../src/index.js';
import { readOffer } from '../src/offer.js';
import { makePass } from '../src/pass.js';

const day = 86_400_000;
const minute = 60_000;
const now = Date.parse('2026-03-01T10:00:00.000Z');
const before = makeKeys();
const after = withNewAgentKey(before, now, { leadMs: minute, overlapMs: 7 * day });
const atOnce = withNewAgentKey(before, now, { leadMs: minute, overlapMs: 0 });

const [old, fresh] = [before.roles.agent, after.roles.agent];

const agentSeeds = (keys: Keys, at: number): string[] => seedsOf(keys, 'agent', at);

describe('the keys that admit agents', () => {
  it.each([
    ['before the new one signs', now + minute - 1, [old, fresh]],
    ['when the new one signs', now + minute, [fresh, old]],
    ['when the one before has ended', now + 7 * day, [fresh]],
  ])('are in order %s', (_, at, seeds) => expect(agentSeeds(after, at)).toEqual(seeds));

  it('are one when the key was never replaced, or ended at once', () => {
    expect(agentSeeds(before, now)).toEqual([old]);
    expect(agentSeeds(atOnce, now)).toEqual([atOnce.roles.agent]);
  });

  it('are read again as they were written, and a later end becomes no later', () => {
    expect(readKeys(JSON.stringify(after))).toEqual(after);
    const again = withNewAgentKey(after, now + day, { leadMs: 0, overlapMs: 30 * day });
    expect(again.agents?.before.map(({ until }) => until)).toEqual([
      new Date(now + 31 * day).toISOString(),
      new Date(now + 7 * day).toISOString(),
    ]);
    const stolen = withNewAgentKey(again, now + 2 * day, { leadMs: minute, overlapMs: 0 });
    expect(agentSeeds(stolen, now + 2 * day)).toEqual([stolen.roles.agent]);
  });
});

describe('a gateway', () => {
  let time = now;
  const gateway = (keys: Keys): AgentIssuer => new AgentIssuer(agentIssuerKey(keys), () => time);

  /** Credentials of an agent that joined at a time. */
  async function joined(keys: Keys, at: number): Promise<{ credentials: string; issuer: string }> {
    time = at;
    const key = makeAgentKey();
    const statement = await gateway(keys).statement(key.publicKey, 'bench_a', at + 365 * day);
    const credentials = agentCredentials(key, statement, before.authority.x);
    return { credentials, issuer: decode(statement).iss };
  }

  it('accepts agents of both keys until the end of the one before, and lets them renew after that', async () => {
    const early = await joined(before, now - day);
    const late = await joined(after, now + day);
    expect(late.issuer).not.toBe(early.issuer);
    const asks = (
      { credentials }: typeof early,
      purpose: 'broker' | 'check' | 'renew',
      at: number,
    ): unknown => gateway(after).holder(makePass(credentials, purpose, at), purpose, at);
    for (const agent of [early, late])
      expect(asks(agent, 'broker', now + day)).toMatchObject({ computer: 'bench_a' });
    expect(asks(late, 'broker', now + 8 * day)).toMatchObject({ computer: 'bench_a' });
    for (const purpose of ['broker', 'check'] as const)
      expect(asks(early, purpose, now + 8 * day)).toBe('of another service');
    expect(asks(early, 'renew', now + 8 * day)).toMatchObject({ computer: 'bench_a' });
  });

  it('signs what it offers for agents of both keys, and no longer for those of a key that has ended', async () => {
    const [early, late] = [await joined(before, now - day), await joined(after, now + day)];
    for (const { issuer } of [early, late])
      expect(readOffer(gateway(after).offer([], now + day), issuer, 0).packages).toEqual([]);
    const later = gateway(after).offer([], now + 8 * day);
    expect(readOffer(later, late.issuer, 0).packages).toEqual([]);
    expect(() => readOffer(later, early.issuer, 0)).toThrow('has not signed this offer');
  });

  it('shows no key in what it says of a damaged one', () => {
    const text = agentIssuerKey(after).replace('"until":"', '"until":"x');
    expect(() => new AgentIssuer(text)).toThrow('The key that admits agents (SVC_AGENT_ISSUER) is damaged.');
  });
});
