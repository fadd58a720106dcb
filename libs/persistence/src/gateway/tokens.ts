import { sql, type Kysely, type RawBuilder } from 'kysely';
import { answered, rowsOf } from '../connection/index.js';
import type { AccessTokenRow, Database } from '../schema/index.js';

export type NewAccessToken = Omit<AccessTokenRow, 'last_used_at' | 'revoked_at' | 'revoked_by'>;

/** Selects a page of access tokens, newest first. */
export interface TokenPage {
  /** Only tokens of this name. */
  name?: string;
  limit: number;
  /** Last token of the page before. */
  after?: Pick<AccessTokenRow, 'created_at' | 'id'>;
}

/** Access tokens. Every method rejects with ServiceError `store_unavailable` when the database does not answer. */
export class AccessTokens {
  constructor(private readonly db: Kysely<Database>) {}

  async add(token: NewAccessToken): Promise<void> {
    const { grants, ...rest } = token;
    await answered(
      this.db
        .insertInto('access_token')
        .values({
          ...rest,
          grants: sql`${JSON.stringify(grants)}::jsonb`,
          last_used_at: null,
          revoked_at: null,
          revoked_by: null,
        })
        .execute(),
    );
  }

  async byHash(hash: string): Promise<AccessTokenRow | undefined> {
    return (await this.#all(sql`where hash = ${hash}`))[0];
  }

  async byId(id: string): Promise<AccessTokenRow | undefined> {
    return (await this.#all(sql`where id = ${id}`))[0];
  }

  /** Which of these tokens are revoked. */
  async revokedOf(ids: readonly string[]): Promise<string[]> {
    if (ids.length === 0) return [];
    const rows = await this.#all(sql`where id = any(${ids}) and revoked_at is not null`);
    return rows.map(({ id }) => id);
  }

  list({ name, limit, after }: TokenPage): Promise<AccessTokenRow[]> {
    const conditions = [
      ...(name === undefined ? [] : [sql`name = ${name}`]),
      ...(after === undefined
        ? []
        : [sql`(created_at, id) < (${after.created_at}::timestamptz, ${after.id})`]),
    ];
    const where = conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`;
    return this.#all(sql`${where} order by created_at desc, id desc limit ${limit}`);
  }

  /** Revokes a token, unless it is revoked already. @returns whether this call revoked it */
  async revoke(id: string, by: string, at: string): Promise<boolean> {
    const revoked = await rowsOf(
      this.db,
      sql`update access_token set revoked_at = ${at}, revoked_by = ${by}
        where id = ${id} and revoked_at is null returning id`,
    );
    return revoked.length > 0;
  }

  /** Stores when tokens were last used. @param lastUse by id, ISO 8601 */
  async used(lastUse: ReadonlyMap<string, string>): Promise<void> {
    if (lastUse.size === 0) return;
    await answered(
      sql`
        update access_token set last_used_at = used.at
        from unnest(${[...lastUse.keys()]}::text[], ${[...lastUse.values()]}::timestamptz[]) used (id, at)
        where access_token.id = used.id and (last_used_at is null or last_used_at < used.at)`.execute(
        this.db,
      ),
    );
  }

  #all(which: RawBuilder<unknown>): Promise<AccessTokenRow[]> {
    return rowsOf(this.db, sql<AccessTokenRow>`select * from access_token ${which}`);
  }
}
