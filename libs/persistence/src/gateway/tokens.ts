import { sql, type Kysely } from 'kysely';
import { answered } from '../connection/index.js';
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
    return answered(
      this.db.selectFrom('access_token').selectAll().where('hash', '=', hash).executeTakeFirst(),
    );
  }

  async byId(id: string): Promise<AccessTokenRow | undefined> {
    return answered(this.db.selectFrom('access_token').selectAll().where('id', '=', id).executeTakeFirst());
  }

  /** Which of these tokens are revoked. */
  async revokedOf(ids: readonly string[]): Promise<string[]> {
    if (ids.length === 0) return [];
    const rows = await answered(
      this.db
        .selectFrom('access_token')
        .select('id')
        .where('id', '=', sql<string>`any(${ids})`)
        .where('revoked_at', 'is not', null)
        .execute(),
    );
    return rows.map(({ id }) => id);
  }

  async list({ name, limit, after }: TokenPage): Promise<AccessTokenRow[]> {
    let query = this.db
      .selectFrom('access_token')
      .selectAll()
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit);
    if (name !== undefined) query = query.where('name', '=', name);
    if (after !== undefined)
      query = query.where(sql<boolean>`(created_at, id) < (${after.created_at}::timestamptz, ${after.id})`);
    return answered(query.execute());
  }

  /** Revokes a token, unless it is revoked already. @returns whether this call revoked it */
  async revoke(id: string, by: string, at: string): Promise<boolean> {
    const { numUpdatedRows } = await answered(
      this.db
        .updateTable('access_token')
        .set({ revoked_at: at, revoked_by: by })
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .executeTakeFirst(),
    );
    return numUpdatedRows > 0n;
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
}
