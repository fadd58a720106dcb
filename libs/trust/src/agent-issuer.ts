import { encodeToken } from '@lab/contracts/broker';
import { encodeUser } from '@nats-io/jwt';
import { fromPublic } from '@nats-io/nkeys';
import { z } from 'zod';
import { codeKeyOf } from './code-manifest.js';
import { agentHistory, agentSeeds, type Keys } from './keys.js';
import { keyPairOf } from './nkeys.js';
import { signOffer, type OfferedPackage, type SignedOffer } from './offer.js';
import { checkPass, type PassFault, type PassHolder, type PassPurpose } from './pass.js';

const shape = z.strictObject({
  /** Seed of the key that signs the credentials of agents. */
  seed: z.string().regex(/^SA[A-Z2-7]{56}$/),
  /** As in the keys of the broker. */
  agents: agentHistory.optional(),
  /** Public key of the account of the service. */
  account: z.string().regex(/^A[A-Z2-7]{55}$/),
  /** Public key of the authority, for agents: the newest. */
  authority: z.string().length(43),
  /** How the authority was replaced. Absent: never. */
  authorities: z
    .strictObject({
      /** Public keys, newest first, and since when each signs. */
      keys: z.array(z.strictObject({ x: z.string().length(43), since: z.iso.datetime().nullable() })).min(1),
      /** As in the keys of the broker. */
      links: z.array(z.string()),
    })
    .optional(),
});

/** What a gateway needs to admit agents, as JSON. It makes no process of another role. Secret. */
export function agentIssuerKey(keys: Keys): string {
  const { authorities } = keys;
  return JSON.stringify({
    seed: keys.roles.agent,
    ...(keys.agents === undefined ? {} : { agents: keys.agents }),
    account: keyPairOf(keys.account).getPublicKey(),
    authority: keys.authority.x,
    ...(authorities === undefined
      ? {}
      : {
          authorities: {
            keys: authorities.keys.map(({ key, since }) => ({ x: key.x, since })),
            links: authorities.links,
          },
        }),
  });
}

/** Admits agents: signs who an agent is, and recognises it again. */
export class AgentIssuer {
  readonly #key: z.infer<typeof shape>;
  readonly #publicKeys: ReadonlyMap<string, string>;

  /** @throws Error in one sentence, without the text, when it is not from {@link agentIssuerKey} */
  constructor(
    text: string,
    private readonly now: () => number = Date.now,
  ) {
    try {
      this.#key = shape.parse(JSON.parse(text));
      const seeds = [this.#key.seed, ...(this.#key.agents?.before ?? []).map((each) => each.seed)];
      this.#publicKeys = new Map(seeds.map((each) => [each, keyPairOf(each).getPublicKey()]));
    } catch {
      throw new Error('The key that admits agents (SVC_AGENT_ISSUER) is damaged.');
    }
  }

  /** Public key with which agents verify what the leading orchestrator signs at present. */
  get authority(): string {
    const begun = this.#key.authorities?.keys.find(
      ({ since }) => since === null || Date.parse(since) <= this.now(),
    );
    return begun?.x ?? this.#key.authority;
  }

  /** What agents are told about replacements of the authority: see `followServiceKeys`. Empty: it was never replaced. */
  get links(): readonly string[] {
    return this.#key.authorities?.links ?? [];
  }

  /** Public key with which agents verify code manifests of the service. */
  get codeKey(): string {
    return codeKeyOf(this.authority);
  }

  /**
   * Signs that a key belongs to the agent of a computer.
   *
   * @param key public key of a user in the encoding of NATS
   * @param until when the statement ends, in milliseconds since 1970
   * @throws Error when the key is none
   */
  statement(key: string, computer: string, until: number): Promise<string> {
    return encodeUser(
      encodeToken(computer),
      fromPublic(key),
      keyPairOf(this.#seeds(this.now())[0]),
      { issuer_account: this.#key.account },
      { scopedUser: true, exp: Math.floor(until / 1_000) },
    );
  }

  /** Signs which packages of the agent this service offers. See {@link readOffer}. */
  offer(packages: readonly OfferedPackage[], now: number): SignedOffer {
    return signOffer(packages, this.#seeds(now).map(keyPairOf), now);
  }

  /** See {@link checkPass}. */
  holder(
    header: string | undefined,
    purpose: PassPurpose,
    now: number,
    mayBeExpired = false,
  ): PassHolder | PassFault {
    // The key of an agent that renews is compared with the one that joined, so who signed about it matters no more.
    const seeds = purpose === 'renew' ? [...this.#publicKeys.keys()] : this.#seeds(now);
    const agents = seeds.map((each) => this.#publicKeys.get(each) ?? '');
    return checkPass(header, purpose, { account: this.#key.account, agents }, now, mayBeExpired);
  }

  /** The first signs, all are accepted. */
  #seeds(now: number): [string, ...string[]] {
    return agentSeeds({ roles: { agent: this.#key.seed }, agents: this.#key.agents }, now);
  }
}
