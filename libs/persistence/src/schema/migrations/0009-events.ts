import { sql, type Kysely, type Migration } from 'kysely';

/**
 * How far events were removed. Of a database whose events were removed before this was noted, the sequences tell: what
 * is missing of an aggregate was before the first event that is left of it.
 */
const changes = `
create table outbox_horizon (
  only_row boolean primary key default true check (only_row),
  pruned_through bigint not null
);
insert into outbox_horizon (pruned_through)
select coalesce(max(first.id) - 1, 0)
from (select distinct on (aggregate) id, seq from outbox order by aggregate, seq) first where first.seq > 1;
`;

export const events: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(changes).execute(db);
  },
};
