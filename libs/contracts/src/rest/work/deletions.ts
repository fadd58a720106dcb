import { Described, Field, Optional, choice, integer, list, orNull, text, time } from '../fields/field.js';
import { by, line, oneOf, recordName } from '../fields/inputs.js';
import { workKinds, type WorkKind } from './work.js';

/** What a deletion removes. `everything`: records and files. `files`: only files; the records stay. */
export const deletionScopes = ['everything', 'files'] as const;
export type DeletionScope = (typeof deletionScopes)[number];

/**
 * `planned`: it waits, and can be taken back. `running`: it has begun, and ends by itself. `done`: all is removed.
 * `cancelled`: it was taken back before it began.
 */
export const deletionStates = ['planned', 'running', 'done', 'cancelled'] as const;
export type DeletionState = (typeof deletionStates)[number];

/** A person deletes work that has ended. */
export class DeletionRequest {
  @Field(line([1, 2_000], 'Reason, for the audit.', 'a test')) reason!: string;
  @Optional(
    oneOf(
      deletionScopes,
      '`everything` (default): records and files. `files`: only the files; the records stay with the size and SHA-256 of each.',
    ),
  )
  what?: DeletionScope;
  @Optional(by()) by?: string;
}

/** What a deletion has removed. */
export class RemovedCounts {
  @Field(integer('Number of task runs.', 12, 0)) task_runs!: number;
  @Field(integer('Number of files.', 24, 0)) files!: number;
  @Field(integer('Size of the files in bytes.', 48_211, 0)) bytes!: number;
}

@Described(
  'The deletion of a campaign, a protocol run or an on-demand task. It stays after the work is gone.',
)
export class DeletionRecord {
  @Field(text('Id of the deletion.', '0190c0de-0000-7000-8000-00000000000f')) id!: string;
  @Field(choice(workKinds, 'What is deleted.')) kind!: WorkKind;
  @Field(text('Name of the work.', 'doubling')) name!: string;
  @Field(text('Id of the work.', '0190c0de-0000-7000-8000-000000000001')) work_id!: string;
  @Field(text('Owner of the work.', 'ada')) owner!: string;
  @Field(list(text(undefined, 'color_lab'), 'Laboratories of the work; empty: none, or not known.'))
  labs!: string[];
  @Field(choice(deletionScopes, '`files`: the records stay.')) what!: DeletionScope;
  @Field(
    choice(
      deletionStates,
      '`planned`: it waits and can be taken back. `running`: it has begun. `done`: all is removed. `cancelled`: it was taken back.',
    ),
  )
  state!: DeletionState;
  @Field(text('Reason.', 'a test')) reason!: string;
  @Field(text('Person who asked for it; `service`: it follows from the age of the work.', 'ada')) by!: string;
  @Field(time('When it was asked for.')) created_at!: string;
  @Field(time('When it begins.')) due_at!: string;
  @Field(orNull(time('When it was done or cancelled.'))) ended_at!: string | null;
  @Field(orNull(text('Person who cancelled it.', 'ada'))) ended_by!: string | null;
  @Field(orNull(RemovedCounts)) removed!: RemovedCounts | null;
}

/** What a legal hold covers. */
export const holdKinds = [...workKinds, 'owner', 'lab'] as const;
export type HoldKind = (typeof holdKinds)[number];

/** A person forbids deletions (`POST /api/legal-holds`). */
export class LegalHoldRequest {
  @Field(
    oneOf(
      holdKinds,
      'What the hold covers: a campaign, a protocol run, the on-demand tasks of a name, all work of an owner or of a laboratory.',
    ),
  )
  kind!: HoldKind;
  @Field(recordName('Name of the work, the owner or the laboratory.', 'doubling')) name!: string;
  @Field(line([1, 2_000], 'Reason.', 'audit of 2026')) reason!: string;
  @Optional(by()) by?: string;
}

@Described('A legal hold: while it is in force, the work that it covers cannot be deleted.')
export class LegalHoldRecord {
  @Field(text('Id of the hold.', '0190c0de-0000-7000-8000-00000000000e')) id!: string;
  @Field(choice(holdKinds, 'What the hold covers.')) kind!: HoldKind;
  @Field(text('Name of the work, the owner or the laboratory.', 'doubling')) name!: string;
  @Field(text('Reason.', 'audit of 2026')) reason!: string;
  @Field(text('Person who added it.', 'ada')) by!: string;
  @Field(time('When it was added.')) created_at!: string;
  @Field(orNull(time('When it was released; null: it is in force.'))) released_at!: string | null;
  @Field(orNull(text('Person who released it.', 'ada'))) released_by!: string | null;
  @Field(
    list(
      text(undefined, 'doubling'),
      'Names of covered work whose deletion had begun when the hold was added.',
    ),
  )
  too_late!: string[];
}
