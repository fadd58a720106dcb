import { createHash } from 'node:crypto';
import { ServiceError } from '@lab/contracts';
import { updateAccount, type BrokerAccess } from '@lab/messaging';
import type { Log, Timers } from '@lab/ports';
import { processRoles } from '@lab/contracts/broker';
import { brokerIdentity, readKeys, seedsOf, systemCredentials } from '@lab/trust';

/** How often the file with the keys is looked at, in milliseconds. */
const lookMs = 5_000;

/** Reads the keys of revoked agents, with the time of each revocation in ISO 8601. */
export interface RevokedAgents {
  revokedAgents(): Promise<{ key: string; at: string }[]>;
}

/**
 * Has the broker refuse the agents that are revoked, and accept the keys that admit processes at present. The database and the
 * file with the keys are the truth; the broker has a copy.
 */
export class Revocations {
  /** The keys that the broker was told to accept; undefined: nothing was told. */
  #told: string | undefined;
  /** The second, since 1970, in which the last statement was signed at the latest. */
  #signedBy = -1;
  /** Whether a server that was down may take the statement before the last one for the newer: both are of one second. */
  #unordered = false;

  /** @param keys gives the present text of the keys of the broker; undefined: this orchestrator has none */
  constructor(
    private readonly agents: RevokedAgents,
    private readonly broker: BrokerAccess,
    private readonly keys: (() => string) | undefined,
    private readonly log: Log,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * Gives the broker the whole list. May be repeated.
   *
   * @returns how many keys it refuses now
   * @throws ServiceError `wrong_state` without the keys of the broker; errors of the database and of the broker
   */
  async apply(): Promise<number> {
    const revoked = await this.agents.revokedAgents();
    const accepted = this.#accepted();
    // A broker knows the first key from its configuration.
    if (revoked.length === 0 && accepted?.wereReplaced !== true) return 0;
    if (this.keys === undefined)
      throw new ServiceError(
        'wrong_state',
        'the leading orchestrator has no keys of the broker (SVC_BROKER_KEYS), so it cannot cut off an agent',
      );
    const keys = readKeys(this.keys());
    const since = Object.fromEntries(revoked.map(({ key, at }) => [key, Math.ceil(Date.parse(at) / 1_000)]));
    const second = (): number => Math.floor(this.now() / 1_000);
    const begun = second();
    const identity = await brokerIdentity(keys, since, this.now());
    const isOrdered = begun > this.#signedBy;
    if (!isOrdered) this.#unordered = true;
    this.#signedBy = second();
    const [, statement] = [...identity.accounts].find(([key]) => key !== identity.systemAccount) ?? [];
    await updateAccount(this.broker, await systemCredentials(keys), statement ?? '');
    if (isOrdered) this.#unordered = false;
    this.#told = accepted?.stamp;
    if (revoked.length > 0) this.log.info('the broker refuses revoked agents', { agents: revoked.length });
    return revoked.length;
  }

  /**
   * Tells the broker when a key that admits processes is replaced, and when the one before ends. Repeats a statement when the one
   * before is of the same second, because servers of a cluster keep the statement with the later second.
   *
   * @param isLeading only the leading orchestrator tells it
   * @returns ends it
   */
  follow(timers: Timers, isLeading: () => boolean): () => void {
    let cancel = (): void => undefined;
    const again = (): void => void (cancel = timers.after(lookMs, () => void look().finally(again)));
    const look = async (): Promise<void> => {
      try {
        if (!isLeading()) return;
        if (this.#unordered) await this.apply();
        const accepted = this.#accepted();
        if (accepted?.wereReplaced !== true || accepted.stamp === this.#told) return;
        await this.apply();
        this.log.info('the broker accepts other keys that admit processes', { accepted: accepted.count });
      } catch (error) {
        this.log.error('the broker does not know which keys admit processes', { error });
      }
    };
    again();
    return () => cancel();
  }

  /** The keys that admit processes at present; undefined: this orchestrator does not know them. */
  #accepted(): { stamp: string; count: number; wereReplaced: boolean } | undefined {
    if (this.keys === undefined) return undefined;
    const keys = readKeys(this.keys());
    const seeds = processRoles.flatMap((role) => seedsOf(keys, role, this.now()));
    const stamp = createHash('sha256')
      .update([...seeds].sort().join())
      .digest('hex');
    return {
      stamp,
      count: seeds.length,
      wereReplaced: keys.agents !== undefined || keys.processes !== undefined,
    };
  }

  /** As {@link apply}, for a broker that may have forgotten. A failure is logged: the next connection repeats it. */
  async restore(): Promise<void> {
    try {
      await this.apply();
    } catch (error) {
      this.log.error('the broker does not know which agents are revoked', { error });
    }
  }
}
