import type { AgentEnrolmentRow, AgentInvitationRow, GatewayStore } from '@lab/persistence';
import type { EnrolmentStore } from '../src/ports/stores.js';

type Store = GatewayStore['enrolments'];

/** Invitations and agents in memory. */
export class MemoryEnrolments implements EnrolmentStore {
  readonly keptInvitations: AgentInvitationRow[] = [];
  readonly keptAgents: AgentEnrolmentRow[] = [];

  async invite(invitation: Parameters<Store['invite']>[0]): Promise<void> {
    this.keptInvitations.unshift({ ...invitation, used: 0, withdrawn_at: null, withdrawn_by: null });
  }

  async invitation(id: string): Promise<AgentInvitationRow | undefined> {
    return this.keptInvitations.find((each) => each.id === id);
  }

  async invitations(limit: number): Promise<AgentInvitationRow[]> {
    return this.keptInvitations.filter((each) => each.withdrawn_at === null).slice(0, limit);
  }

  async withdraw(id: string, by: string, at: string): Promise<void> {
    const found = await this.invitation(id);
    if (found?.withdrawn_at === null) Object.assign(found, { withdrawn_at: at, withdrawn_by: by });
  }

  async join(...[invitation, applicant, approved, at]: Parameters<Store['join']>): ReturnType<Store['join']> {
    const same = await this.byKey(applicant.key);
    if (same !== undefined)
      return same.revoked_at !== null || same.computer !== applicant.computer ? 'revoked' : same;
    const invited = await this.invitation(invitation);
    if (invited === undefined || invited.used >= invited.uses) return 'spent';
    if ((await this.of(applicant.computer)) !== undefined) return 'taken';
    invited.used += 1;
    const row = {
      ...applicant,
      ...{ invitation_id: invitation, joined_at: at, valid_until: null },
      ...{ approved_at: approved ? at : null, approved_by: approved ? invited.created_by : null },
      ...{ revoked_at: null, revoked_by: null, reason: null },
    };
    this.keptAgents.push(row);
    return row;
  }

  async list({ revoked = false, limit }: Parameters<Store['list']>[0]): Promise<AgentEnrolmentRow[]> {
    return this.keptAgents.filter((each) => revoked || each.revoked_at === null).slice(0, limit);
  }

  async of(computer: string): Promise<AgentEnrolmentRow | undefined> {
    return this.keptAgents.find((each) => each.computer === computer && each.revoked_at === null);
  }

  async byKey(key: string): Promise<AgentEnrolmentRow | undefined> {
    return this.keptAgents.find((each) => each.key === key);
  }

  async approve(computer: string, by: string, at: string): Promise<AgentEnrolmentRow | undefined> {
    const found = await this.of(computer);
    if (found?.approved_at !== null) return undefined;
    return Object.assign(found, { approved_at: at, approved_by: by });
  }

  async issued(key: string, until: string, version: string): Promise<boolean> {
    const found = await this.byKey(key);
    if (found === undefined || found.revoked_at !== null || found.approved_at === null) return false;
    Object.assign(found, { valid_until: until, version });
    return true;
  }

  async revoke(...[computer, { by, reason, at }]: Parameters<Store['revoke']>): ReturnType<Store['revoke']> {
    const found = await this.of(computer);
    return found && Object.assign(found, { revoked_at: at, revoked_by: by, reason });
  }
}

/** Enrolment for servers of tests about other matters: no agent can join. */
export const noEnrolment = () => ({
  enrolments: new MemoryEnrolments(),
  enrolment: {
    issuer: undefined,
    authorities: undefined,
    publicUrl: 'http://127.0.0.1:8070',
    brokers: undefined,
  },
});
