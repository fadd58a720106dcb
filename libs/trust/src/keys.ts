import { processRoles, type ProcessRole } from '@lab/contracts/broker';
import { createAccount, createOperator } from '@nats-io/nkeys';
import { z } from 'zod';
import { Authority, makeAuthorityKey, type AuthorityKey, type PublicAuthorityKey } from './authority.js';
import {
  acceptedEntries,
  entriesInUse,
  ringOf,
  rotated,
  type KeyEntry,
  type KeyRing,
  type Overlap,
} from './key-ring.js';
import { keyPairOf, seedOf } from './nkeys.js';
import { signServiceKeys, writtenServiceKeys } from './service-keys.js';

const seed = z.string().regex(/^S[OA][A-Z2-7]{56}$/, 'must be the seed of a key');

/** Replacements of the authority that an agent may have missed, in signed lists. */
const mostLinks = 20;

/** How the key that admits agents was replaced. */
export const agentHistory = z.strictObject({
  /** From when the present key signs. Until then the newest one before does. */
  since: z.iso.datetime(),
  /** Newest first, also those that have ended: an agent with credentials of such a key may renew them. */
  before: z.array(z.strictObject({ seed, until: z.iso.datetime() })).min(1),
});

const roleSeeds = <Role extends ProcessRole>(roles: readonly Role[]) =>
  z.strictObject(Object.fromEntries(roles.map((role) => [role, seed])) as Record<Role, typeof seed>);

/** The roles of the processes of the service and of the tools of people. */
export type ServiceRole = Exclude<ProcessRole, 'agent'>;
const serviceRoles = processRoles.filter((role): role is ServiceRole => role !== 'agent');

const authorityPair = z.strictObject({ d: z.string().length(43), x: z.string().length(43) });

/** As {@link KeyRing}. */
const ring = <Key extends z.ZodType>(key: Key) => {
  const entry = z.strictObject({
    ...{ key, since: z.iso.datetime().nullable(), until: z.iso.datetime().nullable() },
  });
  return z.tuple([entry], entry);
};

const keysShape = z.strictObject({
  version: z.literal(1),
  /** Signs the accounts. */
  operator: seed,
  /** The account of the service: all its messages. */
  account: seed,
  /** The account of the broker itself. Whoever has it may change accounts. */
  system: seed,
  /** Signs what agents believe of the leading orchestrator alone, such as who has a device. */
  authority: authorityPair,
  /** For each role, the key that signs the credentials of its processes. The key alone decides their permissions. */
  roles: roleSeeds(processRoles),
  /** How the key that admits agents was replaced. Absent: never. */
  agents: agentHistory.optional(),
  /** The keys of the other roles, which are replaced together. The first is in `roles` too. Absent: they were never replaced. */
  processes: ring(roleSeeds(serviceRoles)).optional(),
  /** The authority and those before it. The first is in `authority` too. Absent: it was never replaced. */
  authorities: z
    .strictObject({
      keys: ring(authorityPair),
      /** What agents are told about the replacements, oldest first: see `followServiceKeys`. */
      links: z.array(z.string()).max(mostLinks),
    })
    .optional(),
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

/**
 * The seeds of the keys that sign the credentials of a role, of which the first signs at this time, and all are accepted.
 *
 * @param now milliseconds since 1970
 */
export function seedsOf(keys: Keys, role: ProcessRole, now: number): [string, ...string[]] {
  if (role === 'agent') return agentSeeds(keys, now);
  const [signing, ...others] = entriesInUse(processRing(keys), now);
  return [signing.key[role], ...others.map(({ key }) => key[role])];
}

/** The keys of all roles but agents. */
export function processRing({ processes, roles }: Keys): KeyRing<Record<ServiceRole, string>> {
  const { agent: _agent, ...others } = roles;
  return processes ?? ringOf(others);
}

/** The keys with new ones for all roles but agents. @param now milliseconds since 1970 */
export function withNewProcessKeys(keys: Keys, now: number, overlap: Overlap): Keys {
  const made = Object.fromEntries(serviceRoles.map((role) => [role, seedOf(createAccount())]));
  const next = made as Record<ServiceRole, string>;
  return {
    ...keys,
    roles: { ...keys.roles, ...next },
    processes: mutable(rotated(processRing(keys), next, now, overlap)),
  };
}

/** The authority, and those before it that are still believed. */
export const authorityRing = ({ authority, authorities }: Keys): KeyRing<AuthorityKey> =>
  authorities?.keys ?? ringOf(authority);

/** Public keys of the authority that are believed, the one that signs first. @param now milliseconds since 1970 */
export function authorityKeysOf(keys: Keys, now: number): [PublicAuthorityKey, ...PublicAuthorityKey[]] {
  const shown = ({ key, until }: KeyEntry<AuthorityKey>): PublicAuthorityKey => ({ x: key.x, until });
  const [signing, ...others] = entriesInUse(authorityRing(keys), now);
  return [shown(signing), ...others.map(shown)];
}

/** The keys with a new authority, and what agents are told about it. @param now milliseconds since 1970 */
export function withNewAuthority(keys: Keys, now: number, overlap: Overlap): Keys {
  const before = authorityRing(keys);
  const next = makeAuthorityKey();
  const after = rotated(before, next, now, overlap);
  const { links = [] } = keys.authorities ?? {};
  const [last] = links.slice(-1);
  // Agents refuse a list that is older than one they have seen, whatever the clock said meanwhile.
  const madeAt = Math.max(now, Date.parse(writtenServiceKeys(last ?? '')?.made_at ?? '1970-01-01') + 1);
  const believed = after.map(({ key, until }) => ({ x: key.x, until }));
  const signers = [...acceptedEntries(before, now).map(({ key }) => key), next];
  const signed = signers.map((key) => signServiceKeys(new Authority(key), believed, madeAt));
  return {
    ...keys,
    authority: next,
    authorities: { keys: mutable(after), links: [...links, ...signed].slice(-mostLinks) },
  };
}

const mutable = <Entry>([first, ...others]: readonly [Entry, ...Entry[]]): [Entry, ...Entry[]] => [
  first,
  ...others,
];

/** Public key of the account of the service. */
export function accountOf(keys: Keys): string {
  return keyPairOf(keys.account).getPublicKey();
}
