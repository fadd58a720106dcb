import { hash } from 'node:crypto';
import { personalAct, ServiceError, type Envelope, type PersonalAct } from '@lab/contracts';
import { Authority, AuthorityCheck, publicKeyIn } from './authority.js';
import { acceptedEntries, reading, ringIn } from './key-ring.js';

/** An act is accepted for this time after it was signed, in milliseconds. The clocks may differ by as much. */
const actFreshMs = 60_000;

const keyName = 'key for acts of people (SVC_ACT_KEY)';
const publicKeyName = 'public key for acts of people (SVC_ACT_PUBLIC_KEY)';

/** Signs the acts of people, in a gateway. */
export class ActSigner {
  readonly #authority: Authority;

  /**
   * @param key the private key, as the JSON of an `AuthorityKey` or of a ring of them; a function gives the present text
   * @param now the time, in milliseconds since 1970
   * @throws Error in one sentence, without the key, when it is damaged
   */
  constructor(
    key: string | (() => string),
    private readonly now: () => number,
  ) {
    this.#authority = Authority.from(key, keyName, now);
  }

  /** @param act with the body itself in place of its digest */
  sign({ body, ...act }: Omit<PersonalAct, 'at_ms' | 'body'> & { body: unknown }): string {
    const statement: PersonalAct = { ...act, body: digestOf(body), at_ms: this.now() };
    return this.#authority.sign(statement);
  }
}

/** Verifies the acts of people, in an orchestrator. Each act passes once. */
export class ActCheck {
  readonly #authority: AuthorityCheck;
  /** Id of each message that passed to the time of its signature, oldest first. */
  readonly #passed = new Map<string, number>();

  /**
   * @param publicKey in base64url, or a ring of them; a function gives the present text
   * @param now the time, in milliseconds since 1970
   * @throws Error in one sentence when it is no key
   */
  constructor(
    publicKey: string | (() => string),
    private readonly now: () => number,
  ) {
    const ring = reading(typeof publicKey === 'string' ? () => publicKey : publicKey, (text) =>
      ringIn(text, publicKeyName, publicKeyIn),
    );
    ring();
    try {
      this.#authority = new AuthorityCheck(() => acceptedEntries(ring(), now()).map(({ key }) => key));
    } catch {
      throw new Error(`The ${publicKeyName} is damaged.`);
    }
  }

  /**
   * Demands that a gateway has signed this very request, a short time ago and for this leader.
   *
   * @param epoch of the leader that gets the request
   * @throws ServiceError `forbidden`; `service_unavailable` when it was signed for another leader
   */
  demand(
    { kind, id, body, act: signed }: Pick<Envelope, 'kind' | 'id' | 'body' | 'act'>,
    epoch: number,
  ): void {
    const act =
      signed === undefined ? undefined : personalAct.safeParse(this.#authority.readOnce(signed)).data;
    if (act === undefined) throw forbidden(kind, 'no gateway has signed it');
    if (act.kind !== kind || act.id !== id || act.body !== digestOf(body))
      throw forbidden(kind, 'the signature of the gateway is for another request');
    const named = nameIn(body);
    if (act.by !== null && named !== undefined && act.by !== named)
      throw forbidden(kind, `the gateway has signed it for ${act.by}, and not for ${named}`);
    const now = this.now();
    if (Math.abs(now - act.at_ms) > actFreshMs)
      throw forbidden(
        kind,
        `its signature is from ${new Date(act.at_ms).toISOString()}, and here it is ${new Date(now).toISOString()}; ` +
          'set the clocks of the computers of gateway and orchestrator',
      );
    if (act.epoch !== 0 && act.epoch !== epoch)
      throw new ServiceError(
        'service_unavailable',
        `${kind} was signed for the leader of epoch ${act.epoch}`,
      );
    this.#passOnce(kind, id, now);
  }

  #passOnce(kind: string, id: string, now: number): void {
    // An act from the future stays valid for twice as long.
    for (const [old, at] of this.#passed)
      if (now - at > 2 * actFreshMs) this.#passed.delete(old);
      else break;
    if (this.#passed.has(id)) throw forbidden(kind, 'it was sent before');
    this.#passed.set(id, now);
  }
}

/** The same text on both sides, because JSON keeps the order of the fields. */
function digestOf(body: unknown): string {
  return hash('sha256', JSON.stringify(body) ?? '', 'base64url');
}

function nameIn(body: unknown): string | undefined {
  return typeof body === 'object' && body !== null && 'by' in body && typeof body.by === 'string'
    ? body.by
    : undefined;
}

function forbidden(kind: string, why: string): ServiceError {
  return new ServiceError('forbidden', `${kind} is an act of a person: ${why}`);
}
