import type { Grant } from '@lab/contracts';
import type { IssuerPerson, ProvenPerson } from '@lab/persistence';
import type { TokenStore } from '../ports/index.js';

/** What the latest signed token of a person proved. */
export interface Proof {
  /** Time at which the issuer signed the token, in milliseconds since 1970. */
  at: number;
  /** The roles that the issuer gives the person. */
  grants: readonly Grant[];
}

interface Kept extends Proof {
  person: IssuerPerson;
  /** The proof that the database has. */
  stored: Proof | undefined;
}

/** Maximum number of people in memory. The one whose proof came first leaves first, and is read again when needed. */
const capacity = 10_000;
/** A proof with the same roles is stored at most this often, in milliseconds. */
const storeMs = 60_000;

/**
 * The people of an issuer, with the time and the roles of their latest signed token. Signed tokens and the database tell
 * about them. It makes no query during a request: {@link refresh} reads and writes what has changed.
 */
export class ProvenPersons {
  readonly #kept = new Map<string, Kept>();

  constructor(private readonly tokens: Pick<TokenStore, 'proven' | 'provenOf'>) {}

  /** The latest proof; undefined: none is in memory. */
  proofOf(person: IssuerPerson): Proof | undefined {
    return this.#kept.get(keyOf(person));
  }

  /** Takes what a signed token proves. */
  hear({ issuer, subject }: IssuerPerson, at: number, grants: readonly Grant[]): void {
    const key = keyOf({ issuer, subject });
    const known = this.#kept.get(key);
    if (known !== undefined && known.at > at) return;
    this.#keep(key, { person: { issuer, subject }, at, grants, stored: known?.stored });
  }

  /** Reads the proof of a person that is not in memory. @throws ServiceError `store_unavailable` */
  async lookUp(person: IssuerPerson): Promise<void> {
    if (this.#kept.has(keyOf(person))) return;
    this.#learn(await this.tokens.provenOf([person]));
  }

  /**
   * Stores new proofs, and reads those of the given people that other gateways have heard.
   *
   * @throws ServiceError `store_unavailable`
   */
  async refresh(persons: readonly IssuerPerson[]): Promise<void> {
    const changed = [...this.#kept.values()].filter(
      ({ at, grants, stored }) =>
        stored === undefined ||
        at - stored.at >= storeMs ||
        (at > stored.at && JSON.stringify(grants) !== JSON.stringify(stored.grants)),
    );
    const proofs = changed.map(({ at, grants }) => ({ at, grants }));
    await this.tokens.proven(
      changed.map(({ person, at, grants }) => ({
        ...person,
        proven_at: new Date(at).toISOString(),
        grants: [...grants],
      })),
    );
    changed.forEach((each, index) => (each.stored = proofs[index]));
    this.#learn(await this.tokens.provenOf(persons));
  }

  #learn(rows: readonly ProvenPerson[]): void {
    for (const { issuer, subject, proven_at, grants } of rows) {
      const key = keyOf({ issuer, subject });
      const stored = { at: Date.parse(proven_at), grants };
      const known = this.#kept.get(key);
      if (known !== undefined && known.at >= stored.at) known.stored = stored;
      else this.#keep(key, { person: { issuer, subject }, ...stored, stored });
    }
  }

  #keep(key: string, kept: Kept): void {
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    if (this.#kept.size <= capacity) return;
    const [first] = this.#kept.keys();
    if (first !== undefined) this.#kept.delete(first);
  }
}

function keyOf({ issuer, subject }: IssuerPerson): string {
  return JSON.stringify([issuer, subject]);
}
