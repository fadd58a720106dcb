import { describe, expect, it } from 'vitest';
import { agentIssuerKey, AgentIssuer } from '../src/agent-issuer.js';
import { agentCredentials, isProven, makeAgentKey, proveKey } from '../src/agent-key.js';
import { AuthorityCheck } from '../src/authority.js';
import { issueCredentials, makeKeys } from '../src/index.js';
import { makePass, passToleranceMs } from '../src/pass.js';

const now = 1_790_000_000_000;
const hour = 3_600_000;
const keys = makeKeys();
const issuer = new AgentIssuer(agentIssuerKey(keys));

async function credentials(computer = 'bench b', until = now + hour, by = issuer): Promise<string> {
  const key = makeAgentKey();
  return agentCredentials(key, await by.statement(key.publicKey, computer, until), by.authority);
}

describe('a pass', () => {
  it('says which agent made it, for one purpose and a short time', async () => {
    const pass = makePass(await credentials(), 'broker', now);
    expect(issuer.holder(pass, 'broker', now)).toEqual({
      computer: 'bench b',
      key: expect.stringMatching(/^U/),
    });
    expect(issuer.holder(pass, 'renew', now)).toBe('damaged');
    expect(issuer.holder(pass, 'broker', now + passToleranceMs + 1)).toBe('clock');
    expect(issuer.holder(pass, 'broker', now - passToleranceMs - 1)).toBe('clock');
    for (const text of [
      undefined,
      '',
      'Bearer x',
      'Agent',
      'Agent a b c',
      pass.slice(0, -8),
      pass.replace(String(now), 'x'),
    ])
      expect([text, issuer.holder(text, 'broker', now)]).toEqual([
        text,
        expect.stringMatching(/^(no pass|damaged)$/),
      ]);
  });

  it('of an expired statement only serves its renewal', async () => {
    const pass = makePass(await credentials('b', now - 1_000), 'renew', now);
    expect(issuer.holder(pass, 'renew', now)).toBe('expired');
    expect(issuer.holder(pass, 'renew', now, true)).toMatchObject({ computer: 'b' });
  });

  it('of another service, or of another role, is refused', async () => {
    const foreign = new AgentIssuer(agentIssuerKey(makeKeys()));
    const pass = makePass(await credentials('b', now + hour, foreign), 'broker', now);
    expect(issuer.holder(pass, 'broker', now)).toBe('of another service');
    const gateway = makePass(await issueCredentials(keys, 'gateway', 'g'), 'broker', now);
    expect(issuer.holder(gateway, 'broker', now)).toBe('of another service');
  });
});

it('credentials of a joined agent name the authority of the service', async () => {
  expect(AuthorityCheck.in(await credentials())).toBeDefined();
});

it('a key is proven for one text alone', () => {
  const key = makeAgentKey();
  const proof = proveKey(key, 'join abc');
  expect(isProven(key.publicKey, 'join abc', proof)).toBe(true);
  expect(isProven(key.publicKey, 'join abd', proof)).toBe(false);
  expect(isProven(makeAgentKey().publicKey, 'join abc', proof)).toBe(false);
  expect(isProven('x', 'join abc', proof)).toBe(false);
});

it('a damaged key of the issuer is refused without its text', () => {
  expect(() => new AgentIssuer('SECRET')).toThrow(
    'The key that admits agents (SVC_AGENT_ISSUER) is damaged.',
  );
});
