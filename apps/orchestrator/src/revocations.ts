import { ServiceError } from '@lab/contracts';
import { updateAccount, type BrokerAccess } from '@lab/messaging';
import type { Log } from '@lab/ports';
import { brokerIdentity, readKeys, systemCredentials } from '@lab/trust';

/** Reads the keys of revoked agents, with the time of each revocation in ISO 8601. */
export interface RevokedAgents {
  revokedAgents(): Promise<{ key: string; at: string }[]>;
}

/** Has the broker refuse the agents that are revoked. The database is the truth; the broker has a copy. */
export class Revocations {
  /** @param keys text of the keys of the broker; undefined: this orchestrator has none */
  constructor(
    private readonly agents: RevokedAgents,
    private readonly broker: BrokerAccess,
    private readonly keys: string | undefined,
    private readonly log: Log,
  ) {}

  /**
   * Gives the broker the whole list. May be repeated.
   *
   * @returns how many keys it refuses now
   * @throws ServiceError `wrong_state` without the keys of the broker; errors of the database and of the broker
   */
  async apply(): Promise<number> {
    const revoked = await this.agents.revokedAgents();
    if (revoked.length === 0) return 0;
    if (this.keys === undefined)
      throw new ServiceError(
        'wrong_state',
        'the leading orchestrator has no keys of the broker (SVC_BROKER_KEYS), so it cannot cut off an agent',
      );
    const keys = readKeys(this.keys);
    const since = Object.fromEntries(revoked.map(({ key, at }) => [key, Math.ceil(Date.parse(at) / 1_000)]));
    const identity = await brokerIdentity(keys, since);
    const [, statement] = [...identity.accounts].find(([key]) => key !== identity.systemAccount) ?? [];
    await updateAccount(this.broker, await systemCredentials(keys), statement ?? '');
    this.log.info('the broker refuses revoked agents', { agents: revoked.length });
    return revoked.length;
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
