import type { DeletionScope, DeletionState, HoldKind, RemovedCounts, WorkKind } from '@lab/contracts';

/** The deletion of ended work. The row stays after the work is gone. */
export interface DeletionRow {
  id: string;
  /** Id of the campaign, of the run without a campaign, or of the on-demand task. */
  workId: string;
  kind: WorkKind;
  name: string;
  owner: string;
  /** Laboratories of the work; empty: none, or not known. */
  labs: string[];
  what: DeletionScope;
  state: DeletionState;
  reason: string;
  by: string;
  at: number;
  /** When it begins. */
  dueAt: number;
  endedAt: number | null;
  endedBy: string | null;
  /** What was removed; null: it is not done. */
  removed: RemovedCounts | null;
}

/** A person forbids the deletion of work. */
export interface LegalHoldRow {
  id: string;
  kind: HoldKind;
  name: string;
  reason: string;
  by: string;
  at: number;
  releasedAt: number | null;
  releasedBy: string | null;
}
