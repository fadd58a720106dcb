import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Up to which id lines may have been removed: whoever reads on behind a line learns whether some are missing. Nobody is told
 * of new lines: a notification would have commits of the engine wait for those of lines, which are many and can wait.
 */
const changes = `
create table log_horizon (
  only_row boolean primary key default true check (only_row),
  pruned_through bigint not null
);
insert into log_horizon (pruned_through)
select coalesce(min(id) - 1, (select case when is_called then last_value else 0 end from log_line_id_seq))
from log_line;
`;

export const logHorizon: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(changes).execute(db);
  },
};
