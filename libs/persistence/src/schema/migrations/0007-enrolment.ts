import { sql, type Kysely, type Migration } from 'kysely';

/** Invitations of computers, and the keys of the agents that joined. */
const enrolmentSchema = `
create table agent_invitation (
  id text collate "C" primary key,
  secret_hash text not null,
  computer text not null,
  lab text,
  uses integer not null,
  used integer not null default 0,
  needs_approval boolean not null,
  created_at timestamptz not null,
  created_by text not null,
  expires_at timestamptz not null,
  withdrawn_at timestamptz,
  withdrawn_by text
);
create table agent_enrolment (
  key text collate "C" primary key,
  computer text not null,
  invitation_id text collate "C" not null references agent_invitation (id),
  address text not null,
  version text not null,
  joined_at timestamptz not null,
  approved_at timestamptz,
  approved_by text,
  valid_until timestamptz,
  revoked_at timestamptz,
  revoked_by text,
  reason text
);
create unique index agent_enrolment_computer on agent_enrolment (computer) where revoked_at is null;
create index agent_enrolment_revoked on agent_enrolment (revoked_at) where revoked_at is not null;
`;

export const enrolment: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(enrolmentSchema).execute(db);
  },
};
