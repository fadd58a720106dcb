/** What is known of the backup of the service. Times are in milliseconds since 1970. */
export interface BackupState {
  /** Everything that was committed before is in the backup; null: there is no backup yet. */
  reachedAt: number | null;
  /** Why the backup waits, in words; null: it does not, or its process has said nothing. */
  trouble: string | null;
}

/** A backup this far behind would lose too much, in milliseconds. */
const lateAfterMs = 10 * 60_000;

/** A backup that is behind, and since when. */
export interface LateBackup extends BackupState {
  since: number;
}

/** How far the backup of the service is behind. It is kept in memory only: each leader is told anew. */
export class BackupWatch {
  #state: BackupState | undefined;
  #begun: number | undefined;

  /** Whether somebody has said how far the backup is. */
  get isKnown(): boolean {
    return this.#state !== undefined;
  }

  /** @param now a backup that does not exist yet is behind since the first report of this leader */
  report(state: BackupState, now: number): void {
    this.#begun ??= now;
    this.#state = state;
  }

  /** The backup if it is behind for too long; undefined: it is not, or nobody knows. */
  late(now: number): LateBackup | undefined {
    if (this.#state === undefined) return undefined;
    const since = this.#state.reachedAt ?? this.#begun ?? now;
    return now - since >= lateAfterMs ? { ...this.#state, since } : undefined;
  }
}
