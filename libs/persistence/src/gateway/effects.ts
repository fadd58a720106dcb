import type { RecordedEffect } from '@lab/contracts';
import { sql, type Kysely } from 'kysely';
import { answered } from '../connection/index.js';
import { asStorable, asStorableJson, type Database } from '../schema/index.js';

/** The calls of devices that may change something. Rejects with ServiceError `store_unavailable` without the database. */
export class EffectLog {
  constructor(private readonly db: Kysely<Database>) {}

  /**
   * Stores calls of the devices of one computer, each once, and replaces characters that PostgreSQL cannot store.
   *
   * @param offsetMs milliseconds by which the clock of the computer is ahead of that of this process
   */
  async append(computer: string, offsetMs: number, effects: readonly RecordedEffect[]): Promise<void> {
    const rows = JSON.stringify(effects.map((effect) => asStorableJson(effect as object as Row)));
    await answered(
      sql`select effect_append(${asStorable(computer)}, ${offsetMs}, ${rows}::jsonb)`.execute(this.db),
    );
  }
}

type Row = Parameters<typeof asStorableJson>[0];
