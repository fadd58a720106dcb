import type { Grant } from '@lab/contracts';
import { sql, type Kysely, type RawBuilder } from 'kysely';
import { answered, rowsOf } from '../connection/index.js';
import type { AccessTokenRow, Database } from '../schema/index.js';

export type NewAccessToken = Omit<AccessTokenRow, 'last_used_at' | 'revoked_at' | 'revoked_by'>;

/** The owner of tokens: a name of this service, or a person of an issuer. */
export type TokenOwner = { name: string } | IssuerPerson;

/** A person as an issuer knows them. */
export interface IssuerPerson {
  issuer: string;
  subject: string;
}

/** What the latest signed token of a person proved. */
export interface ProvenPerson extends IssuerPerson {
  /** ISO 8601. */
  proven_at: string;
  grants: Grant[];
}

/** Selects a page of access tokens, newest first. */
export interface TokenPage {
  /** Only tokens of this owner. */
  of?: TokenOwner;
  limit: number;
  /** Last token of the page before. */
  after?: Pick<AccessTokenRow, 'created_at' | 'id'>;
}

/** Access tokens. Every method rejects with ServiceError `store_unavailable` when the database does not answer. */
export class AccessTokens {
  constructor(private readonly db: Kysely<Database>) {}

  async add(token: NewAccessToken): Promise<void> {
    await this.#insert(token);
  }

  /** Adds a token for a signed one. @returns false: the signed one was exchanged before, and no token is added */
  async addExchanged(token: NewAccessToken & { exchanged: string }): Promise<boolean> {
    return (await this.#insert(token)) === 1;
  }

  /** @returns the number of added rows: none for a signed token that was exchanged before */
  async #insert({ grants, pipeline, ...rest }: NewAccessToken): Promise<number> {
    const added = await answered(
      this.db
        .insertInto('access_token')
        .values({
          ...rest,
          grants: sql`${JSON.stringify(grants)}::jsonb`,
          pipeline: pipeline === null ? null : sql`${JSON.stringify(pipeline)}::jsonb`,
          last_used_at: null,
          revoked_at: null,
          revoked_by: null,
        })
        .onConflict((conflict) => conflict.column('exchanged').where('exchanged', 'is not', null).doNothing())
        .returning('id')
        .execute(),
    );
    return added.length;
  }

  /**
   * Adds a session that began with another token. The session ends with that token.
   *
   * @param fromHash hash of that token; one that is not stored is a token of an issuer
   * @returns when the session ends, ISO 8601; undefined: that token was revoked, and there is no session
   */
  async addSession(session: NewAccessToken, fromHash: string): Promise<string | undefined> {
    const { id, hash, prefix, kind, name, note, grants, created_at, created_by, issuer, subject } = session;
    const added = await rowsOf(
      this.db,
      sql<{ expires_at: string }>`
        with source as (select id, expires_at, revoked_at from access_token where hash = ${fromHash} for share)
        insert into access_token
          (id, hash, prefix, kind, name, note, grants, created_at, created_by, issuer, subject, made_from, expires_at)
        select ${id}, ${hash}, ${prefix}, ${kind}, ${name}, ${note}, ${JSON.stringify(grants)}::jsonb,
          ${created_at}::timestamptz, ${created_by}, ${issuer}, ${subject}, (select id from source),
          least(${session.expires_at}::timestamptz, (select expires_at from source))
        where not exists (select from source where revoked_at is not null)
        returning expires_at`,
    );
    return added[0]?.expires_at;
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

  list({ of, limit, after }: TokenPage): Promise<AccessTokenRow[]> {
    const conditions = [
      ...(of === undefined ? [] : [ownedBy(of)]),
      ...(after === undefined
        ? []
        : [sql`(created_at, id) < (${after.created_at}::timestamptz, ${after.id})`]),
    ];
    const where = conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`;
    return this.#all(sql`${where} order by created_at desc, id desc limit ${limit}`);
  }

  /** Revokes a token and the sessions that began with it. @returns the ids of those that were not revoked before */
  async revoke(id: string, by: string, at: string): Promise<string[]> {
    const revoked = await rowsOf(
      this.db,
      sql<{ id: string }>`update access_token set revoked_at = ${at}, revoked_by = ${by}
        where (id = ${id} or made_from = ${id}) and revoked_at is null returning id`,
    );
    return revoked.map(({ id: each }) => each);
  }

  /** Revokes all tokens of a name, and of the same person of an issuer under earlier names. @returns their ids */
  async revokeAllOf(name: string, by: string, at: string): Promise<string[]> {
    const revoked = await rowsOf(
      this.db,
      sql<{ id: string }>`update access_token set revoked_at = ${at}, revoked_by = ${by}
        where revoked_at is null and (name = ${name} or (issuer, subject) in (
          select issuer, subject from access_token owned where owned.name = ${name} and owned.issuer is not null))
        returning id`,
    );
    return revoked.map(({ id }) => id);
  }

  /** What is known of persons of issuers. */
  async provenOf(persons: readonly IssuerPerson[]): Promise<ProvenPerson[]> {
    if (persons.length === 0) return [];
    return rowsOf(
      this.db,
      sql<ProvenPerson>`
        select issuer, subject, proven_at, grants from issuer_person
        where (issuer, subject) in (select * from unnest(
          ${persons.map(({ issuer }) => issuer)}::text[], ${persons.map(({ subject }) => subject)}::text[]))`,
    );
  }

  /** Stores what signed tokens proved, unless the database knows of later ones. */
  async proven(persons: readonly ProvenPerson[]): Promise<void> {
    if (persons.length === 0) return;
    await answered(
      sql`
        insert into issuer_person as known (issuer, subject, proven_at, grants)
        select issuer, subject, proven_at, grants
        from jsonb_to_recordset(${JSON.stringify(persons)}::jsonb)
          as person (issuer text, subject text, proven_at timestamptz, grants jsonb)
        on conflict (issuer, subject) do update set proven_at = excluded.proven_at, grants = excluded.grants
        where known.proven_at <= excluded.proven_at`.execute(this.db),
    );
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

function ownedBy(of: TokenOwner): RawBuilder<unknown> {
  return 'name' in of
    ? sql`(name = ${of.name} and issuer is null)`
    : sql`(issuer = ${of.issuer} and subject = ${of.subject})`;
}
