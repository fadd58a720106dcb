import { Described, Field, choice, integer, number, orNull, text } from '../fields/field.js';

/** Who uses what the service stores. */
export const usageKinds = ['owner', 'lab'] as const;
export type UsageKind = (typeof usageKinds)[number];

@Described('What an owner or a laboratory stores, and the quota for it.')
export class UsageRecord {
  @Field(
    choice(
      usageKinds,
      '`owner`: of work. `lab`: a laboratory; work of several laboratories counts for each.',
    ),
  )
  kind!: UsageKind;
  @Field(text('Name of the owner or the laboratory; empty: work without an owner.', 'ada')) name!: string;
  @Field(integer('Number of stored task runs, archived ones included.', 1_200, 0)) records!: number;
  @Field(integer('Number of stored files.', 2_400, 0)) files!: number;
  @Field(integer('Size of these files in bytes.', 48_211_000, 0)) bytes!: number;
  @Field(orNull(integer('Greatest number of task runs; null: no limit.', 2_000_000, 0)))
  max_records!: number | null;
  @Field(orNull(integer('Greatest size of the files in bytes; null: no limit.', 200_000_000_000, 0)))
  max_bytes!: number | null;
  @Field(
    orNull(number('Share of the limit that is used most; 1: it is used up. Null: there is no limit.', 0.25)),
  )
  share!: number | null;
}
