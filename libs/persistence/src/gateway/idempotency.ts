import { randomUUID } from 'node:crypto';
import { sql, type Kysely, type RawBuilder } from 'kysely';
import { answered, rowsOf } from '../connection/index.js';
import type { Database, IdempotencyKeyRow, KeyName } from '../schema/index.js';

/** The answer to a request with a key. */
export interface KeptAnswer {
  status: number;
  /** Value of the header `Location`; null: the answer had none. */
  location: string | null;
  /** JSON text; null: the answer had no body, or its body is not kept. */
  body: string | null;
}

/**
 * The state of a key when a request arrives with it.
 *
 * `new`: the request is the first with the key, or the first since its answer was forgotten. `broken_off`: the same
 * request began before and has no answer, and the gateway that carried it out is gone. In both states the caller holds
 * the key from now on, and `submissionId` is the id of the submission, the same for the first request and its repeats.
 */
export type KeyState =
  | { state: 'new' | 'broken_off'; submissionId: string }
  | { state: 'in_progress' }
  | { state: 'other_request' }
  | { state: 'answered'; answer: KeptAnswer };

/** How long an answer is kept, in seconds. */
const keptS = 24 * 3_600;

/**
 * Idempotency keys and the answers given under them. The gateway that carries out a request holds its key by a lease
 * and renews the lease until there is an answer. When the holder dies, the lease ends and another gateway can take
 * the key.
 *
 * Every method rejects with ServiceError `store_unavailable` when the database does not answer.
 */
export class IdempotencyKeys {
  constructor(private readonly db: Kysely<Database>) {}

  /**
   * @param fingerprint of the whole request: with another fingerprint it is another request
   * @param holder id of the process that carries the request out
   * @param leaseS seconds for which the key is held
   */
  async take(name: KeyName, fingerprint: string, holder: string, leaseS: number): Promise<KeyState> {
    const { principal, route, key } = name;
    const [taken] = await rowsOf(
      this.db,
      sql<{ is_new: boolean; submission_id: string }>`
        insert into idempotency_key as k (principal, route, key, submission_id, fingerprint, begun_at, holder, held_until)
        values (${principal}, ${route}, ${key}, ${randomUUID()}, ${fingerprint}, now(), ${holder},
          now() + make_interval(secs => ${leaseS}))
        on conflict (principal, route, key) do update set
          fingerprint = excluded.fingerprint,
          holder = excluded.holder,
          held_until = excluded.held_until,
          submission_id = case when k.begun_at <= ${forgotten} then excluded.submission_id else k.submission_id end,
          begun_at = case when k.begun_at <= ${forgotten} then now() else k.begun_at end,
          status = null, location = null, body = null
        where k.begun_at <= ${forgotten}
          or (k.status is null and k.held_until <= now() and k.fingerprint = excluded.fingerprint)
        returning k.begun_at = now() as is_new, k.submission_id`,
    );
    if (taken !== undefined)
      return { state: taken.is_new ? 'new' : 'broken_off', submissionId: taken.submission_id };
    const [row] = await rowsOf(
      this.db,
      sql<IdempotencyKeyRow>`select * from idempotency_key where ${named(name)}`,
    );
    // The holder gave the key back in between. The caller may try again at once.
    if (row === undefined) return { state: 'in_progress' };
    if (row.fingerprint !== fingerprint) return { state: 'other_request' };
    const { status, location, body } = row;
    return status === null
      ? { state: 'in_progress' }
      : { state: 'answered', answer: { status, location, body } };
  }

  /** Renews the lease of all keys that a holder has and that have no answer. */
  async holdOn(holder: string, leaseS: number): Promise<void> {
    await this.#run(sql`
      update idempotency_key set held_until = now() + make_interval(secs => ${leaseS})
      where holder = ${holder} and status is null`);
  }

  /** Stores the answer, unless another process holds the key by now. */
  async answer(name: KeyName, holder: string, { status, location, body }: KeptAnswer): Promise<void> {
    await this.#run(sql`
      update idempotency_key set status = ${status}, location = ${location}, body = ${body}
      where ${held(name, holder)}`);
  }

  /** Removes a key whose request did nothing, as if it had never been sent. */
  async giveBack(name: KeyName, holder: string): Promise<void> {
    await this.#run(sql`delete from idempotency_key where ${held(name, holder)}`);
  }

  /** Releases a key whose outcome is unknown. It stays taken until its lease ends. */
  async letGo(name: KeyName, holder: string): Promise<void> {
    await this.#run(sql`update idempotency_key set holder = '' where ${held(name, holder)}`);
  }

  /** Removes keys that are older than 24 hours. @returns how many */
  forget(): Promise<number> {
    return this.#run(sql`delete from idempotency_key where begun_at <= ${forgotten}`);
  }

  /** @returns the number of rows that changed */
  async #run(statement: RawBuilder<unknown>): Promise<number> {
    return Number((await answered(statement.execute(this.db))).numAffectedRows ?? 0);
  }
}

const forgotten = sql`now() - make_interval(secs => ${keptS})`;

const named = ({ principal, route, key }: KeyName): RawBuilder<unknown> =>
  sql`principal = ${principal} and route = ${route} and key = ${key}`;

/** The key is held by this process and has no answer. */
const held = (name: KeyName, holder: string): RawBuilder<unknown> =>
  sql`${named(name)} and holder = ${holder} and status is null`;
