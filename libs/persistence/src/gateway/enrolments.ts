import { sql, type Kysely, type RawBuilder } from 'kysely';
import { answered, rowsOf } from '../connection/index.js';
import type { AgentEnrolmentRow, AgentInvitationRow, Database } from '../schema/index.js';

export type NewInvitation = Omit<AgentInvitationRow, 'used' | 'withdrawn_at' | 'withdrawn_by'>;

/** What an agent says of itself when it joins. */
export interface Applicant {
  /** Public key of the agent. */
  key: string;
  computer: string;
  /** Address from which it joins. */
  address: string;
  version: string;
}

/**
 * Why an agent cannot join. `spent`: the invitation was used as often as it may be. `taken`: another agent of the computer has
 * joined. `revoked`: this key was revoked.
 */
export type JoinFault = 'spent' | 'taken' | 'revoked';

/** Invitations, and the agents that joined. Every method rejects with `store_unavailable` when the database does not answer. */
export class Enrolments {
  constructor(private readonly db: Kysely<Database>) {}

  async invite(invitation: NewInvitation): Promise<void> {
    await answered(
      this.db
        .insertInto('agent_invitation')
        .values({ ...invitation, used: 0, withdrawn_at: null, withdrawn_by: null })
        .execute(),
    );
  }

  async invitation(id: string): Promise<AgentInvitationRow | undefined> {
    const rows = await rowsOf(
      this.db,
      sql<AgentInvitationRow>`select * from agent_invitation where id = ${id}`,
    );
    return rows[0];
  }

  /** The invitations that are not withdrawn, the newest first. */
  invitations(limit: number): Promise<AgentInvitationRow[]> {
    return rowsOf(
      this.db,
      sql<AgentInvitationRow>`
        select * from agent_invitation where withdrawn_at is null order by created_at desc, id limit ${limit}`,
    );
  }

  async withdraw(id: string, by: string, at: string): Promise<void> {
    await answered(
      sql`update agent_invitation set withdrawn_at = ${at}, withdrawn_by = ${by}
        where id = ${id} and withdrawn_at is null`.execute(this.db),
    );
  }

  /**
   * Records that an agent joined with an invitation. The same key may ask again, so that an answer that was lost can be
   * repeated.
   *
   * @param approved whether the agent may connect at once
   */
  async join(
    invitation: string,
    { key, computer, address, version }: Applicant,
    approved: boolean,
    at: string,
  ): Promise<AgentEnrolmentRow | JoinFault> {
    return answered(
      this.db.transaction().execute(async (tx) => {
        // The row lock puts the agents that use one invitation at once in an order.
        const { rows: invitations } = await sql<{ uses: number; used: number; created_by: string }>`
          select uses, used, created_by from agent_invitation where id = ${invitation} for update`.execute(
          tx,
        );
        const { rows: known } = await sql<AgentEnrolmentRow>`
          select * from agent_enrolment where key = ${key} or (computer = ${computer} and revoked_at is null)`.execute(
          tx,
        );
        const same = known.find((row) => row.key === key);
        if (same !== undefined)
          return same.revoked_at !== null || same.invitation_id !== invitation || same.computer !== computer
            ? 'revoked'
            : same;
        const [invited] = invitations;
        if (invited === undefined || invited.used >= invited.uses) return 'spent';
        if (known.length > 0) return 'taken';
        const { rows } = await sql<AgentEnrolmentRow>`
          insert into agent_enrolment (key, computer, invitation_id, address, version, joined_at, approved_at, approved_by)
          values (${key}, ${computer}, ${invitation}, ${address}, ${version}, ${at}, ${approved ? at : null},
            ${approved ? invited.created_by : null})
          on conflict do nothing returning *`.execute(tx);
        // Another invitation can have let in another agent of this computer at the same moment.
        if (rows[0] === undefined) return 'taken';
        await sql`update agent_invitation set used = used + 1 where id = ${invitation}`.execute(tx);
        return rows[0];
      }),
    );
  }

  /** The agents that joined and were not revoked, by computer; with `revoked` those too, the latest first. */
  list(options: { revoked?: boolean; limit: number }): Promise<AgentEnrolmentRow[]> {
    return options.revoked === true
      ? this.#all(sql`order by joined_at desc, key limit ${options.limit}`)
      : this.#all(sql`where revoked_at is null order by computer limit ${options.limit}`);
  }

  /** The agent of a computer that joined and was not revoked. */
  async of(computer: string): Promise<AgentEnrolmentRow | undefined> {
    return (await this.#all(sql`where computer = ${computer} and revoked_at is null`))[0];
  }

  async byKey(key: string): Promise<AgentEnrolmentRow | undefined> {
    return (await this.#all(sql`where key = ${key}`))[0];
  }

  /** @returns the agent as it is now; undefined: no agent of this computer waits for approval */
  async approve(computer: string, by: string, at: string): Promise<AgentEnrolmentRow | undefined> {
    const rows = await rowsOf(
      this.db,
      sql<AgentEnrolmentRow>`update agent_enrolment set approved_at = ${at}, approved_by = ${by}
        where computer = ${computer} and revoked_at is null and approved_at is null returning *`,
    );
    return rows[0];
  }

  /** Records until when the credentials of an agent are valid. @returns false: the agent was revoked meanwhile */
  async issued(key: string, until: string, version: string): Promise<boolean> {
    const rows = await rowsOf(
      this.db,
      sql`update agent_enrolment set valid_until = ${until}, version = ${version}
        where key = ${key} and revoked_at is null and approved_at is not null returning key`,
    );
    return rows.length > 0;
  }

  /** @returns the agent as it is now; undefined: no agent of this computer has joined */
  async revoke(
    computer: string,
    { by, reason, at }: { by: string; reason: string; at: string },
  ): Promise<AgentEnrolmentRow | undefined> {
    const rows = await rowsOf(
      this.db,
      sql<AgentEnrolmentRow>`update agent_enrolment set revoked_at = ${at}, revoked_by = ${by}, reason = ${reason}
        where computer = ${computer} and revoked_at is null returning *`,
    );
    return rows[0];
  }

  #all(which: RawBuilder<unknown>): Promise<AgentEnrolmentRow[]> {
    return rowsOf(this.db, sql<AgentEnrolmentRow>`select * from agent_enrolment ${which}`);
  }
}
