import { processRoles, type ProcessRole } from '@lab/contracts/broker';
import { makeAuthorityKey } from './authority.js';
import { createAccount, createOperator } from '@nats-io/nkeys';
import { z } from 'zod';
import { keyPairOf, seedOf } from './nkeys.js';

const seed = z.string().regex(/^S[OA][A-Z2-7]{56}$/, 'must be the seed of a key');

/** How the key that admits agents was replaced. */
export const agentHistory = z.strictObject({
  /** From when the present key signs. Until then the newest one before does. */
  since: z.iso.datetime(),
  /** Newest first, also those that have ended: an agent with credentials of such a key may renew them. */
  before: z.array(z.strictObject({ seed, until: z.iso.datetime() })).min(1),
});

const keysShape = z.strictObject({
  version: z.literal(1),
  /** Signs the accounts. */
  operator: seed,
  /** The account of the service: all its messages. */
  account: seed,
  /** The account of the broker itself. Whoever has it may change accounts. */
  system: seed,
  /** Signs what agents believe of the leading orchestrator alone, such as who has a device. */
  authority: z.strictObject({ d: z.string().length(43), x: z.string().length(43) }),
  /** For each role, the key that signs the credentials of its processes. The key alone decides their permissions. */
  roles: z.strictObject(
    Object.fromEntries(processRoles.map((role) => [role, seed])) as Record<ProcessRole, typeof seed>,
  ),
  /** How the key that admits agents was replaced. Absent: never. */
  agents: agentHistory.optional(),
});

/**
 * The private keys from which all rights on the broker follow. Whoever has them can make credentials of any process. Every
 * key is an Ed25519 key in the encoding of NATS (nkeys).
 */
export type Keys = z.infer<typeof keysShape>;

export function makeKeys(): Keys {
  return {
    version: 1,
    operator: seedOf(createOperator()),
    account: seedOf(createAccount()),
    system: seedOf(createAccount()),
    authority: makeAuthorityKey(),
    roles: Object.fromEntries(processRoles.map((role) => [role, seedOf(createAccount())])) as Keys['roles'],
  };
}

/** @throws Error in one sentence, without the text, when it does not hold the keys of a service */
export function readKeys(text: string): Keys {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw new Error('The file with the keys of the broker is no JSON.');
  }
  const { data, error } = keysShape.safeParse(given);
  if (data !== undefined) return data;
  const paths = error.issues.map(({ path }) => path.join('.') || 'the whole file');
  throw new Error(`The file with the keys of the broker is damaged: ${paths.join(', ')}.`);
}

/** Keys before the present one that are kept, so that computers that were off for long may renew. */
const mostBefore = 5;

/** The key that admits agents, and those before it. */
export type AgentKeys = Pick<Keys, 'agents'> & { roles: Pick<Keys['roles'], 'agent'> };

/**
 * The seeds of the keys that admit agents, of which the first signs at this time, and all are accepted.
 *
 * @param now milliseconds since 1970
 */
export function agentSeeds({ roles, agents }: AgentKeys, now: number): [string, ...string[]] {
  if (agents === undefined) return [roles.agent];
  const accepted = agents.before.flatMap((each) => (Date.parse(each.until) > now ? [each.seed] : []));
  const [last, ...earlier] = accepted;
  return Date.parse(agents.since) > now && last !== undefined
    ? [last, roles.agent, ...earlier]
    : [roles.agent, ...accepted];
}

/**
 * The keys with a new one that admits agents.
 *
 * @param leadMs how long the broker accepts the new key before it signs, in milliseconds
 * @param overlapMs how long the key before is accepted, in milliseconds; 0: it ends at once, and the new one signs at once
 */
export function withNewAgentKey(
  keys: Keys,
  now: number,
  { leadMs, overlapMs }: { leadMs: number; overlapMs: number },
): Keys {
  const iso = (ms: number): string => new Date(ms).toISOString();
  const end = now + overlapMs;
  const earlier = (keys.agents?.before ?? []).map(({ seed: each, until }) => ({
    seed: each,
    until: Date.parse(until) < end ? until : iso(end),
  }));
  return {
    ...keys,
    roles: { ...keys.roles, agent: seedOf(createAccount()) },
    agents: {
      since: iso(overlapMs === 0 ? now : now + leadMs),
      before: [{ seed: keys.roles.agent, until: iso(end) }, ...earlier].slice(0, mostBefore),
    },
  };
}

/** Public key of the account of the service. */
export function accountOf(keys: Keys): string {
  return keyPairOf(keys.account).getPublicKey();
}
