import { processRoles, type ProcessRole } from '@lab/contracts/broker';
import { makeAuthorityKey } from './authority.js';
import { createAccount, createOperator } from '@nats-io/nkeys';
import { z } from 'zod';
import { keyPairOf, seedOf } from './nkeys.js';

const seed = z.string().regex(/^S[OA][A-Z2-7]{56}$/, 'must be the seed of a key');

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

/** Public key of the account of the service. */
export function accountOf(keys: Keys): string {
  return keyPairOf(keys.account).getPublicKey();
}
