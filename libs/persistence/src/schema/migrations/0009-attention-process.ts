import { sql, type Kysely, type Migration } from 'kysely';

/** Attention items about processes of the service, beside those about tasks, devices and agents. */
export const attentionProcess: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql
      .raw(
        `alter table attention drop constraint attention_kind_check,
          add constraint attention_kind_check check (kind in ('task', 'device', 'agent', 'process'))`,
      )
      .execute(db);
  },
};
