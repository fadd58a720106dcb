import { sql, type Kysely, type Migration } from 'kysely';

/** Tokens for which pipelines exchanged signed tokens. Each signed token is exchanged once, at whatever gateway. */
const pipelineTokensSchema = `
alter table access_token add column pipeline jsonb;
alter table access_token add column exchanged text collate "C";
create unique index access_token_exchanged on access_token (exchanged) where exchanged is not null;
`;

export const pipelineTokens: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(pipelineTokensSchema).execute(db);
  },
};
