import { rolloutStates, rolloutStepStates, type RolloutState, type RolloutStepState } from '../../states.js';
import {
  Described,
  Field,
  Optional,
  choice,
  integer,
  list,
  object,
  orNull,
  text,
  time,
  type TypeOf,
} from '../fields/field.js';
import { by, definedNames, line, recordName, whole } from '../fields/inputs.js';

/** Seconds between two rings of a rollout: the default, and the most. */
export const settleS = { usual: 600, most: 7 * 86_400 } as const;

/** Updates the agents of several computers (`POST /api/agent-rollouts`). */
export class RolloutSubmission {
  @Field(line([1, 100], 'Version to which the agents are updated. It may be older.', '0.2.0'))
  version!: string;
  @Optional(
    definedNames('Names of the computers. Default: all whose agent is connected and runs another version.', [
      'bench_a',
      'bench_b',
    ]),
  )
  computers?: string[];
  @Optional(recordName('The computer that is updated first. Default: the first by name.', 'bench_a'))
  canary?: string;
  @Optional(
    whole(
      [0, settleS.most],
      `Seconds between the last update of a ring and the first of the next, or the end of the rollout. Default ${settleS.usual}.`,
      600,
    ),
  )
  settle_s?: number;
  @Field(line([1, 2_000], 'Reason. The service shows it to everybody who waits.', 'release 0.2.0'))
  reason!: string;
  @Optional(by()) by?: string;
}

/** Why a person resumes or cancels a rollout. */
export class RolloutDecision {
  @Optional(line([0, 2_000], 'Reason, for the audit.', 'the disk has room again')) reason?: string;
  @Optional(by()) by?: string;
}

const step = object(
  {
    computer: text('Name of the computer.', 'bench_b'),
    ring: integer('Number of its ring, from 1.', 1),
    state: choice(rolloutStepStates),
    version_before: text('Version before the rollout.', '0.1.0'),
    platform: text('Operating system and processor.', 'linux-x64'),
    since: time('Since when it has this state.'),
    detail: orNull(text('What it waits for, or why it failed.', 'mix_1/mix_colors runs there')),
  },
  'How far the rollout is with a computer.',
);
export type RolloutStep = TypeOf<typeof step> & { state: RolloutStepState };

const leftOut = object({
  computer: text('Name of the computer.', 'bench_c'),
  reason: text('Why the rollout does not update it.', 'its agent does not say on which platform it runs'),
});

const halt = object(
  {
    computer: text('The computer in question.', 'bench_b'),
    reason: text('Why the rollout was halted.', 'bench_b did not come back within 300 s'),
    at: time('When it was halted.'),
  },
  'Why the rollout is halted; null: it is not.',
);

@Described(
  'A rollout: an update of the agents of several computers, ring by ring. Times are ISO 8601 in UTC.',
)
export class RolloutRecord {
  @Field(text('Unique identifier.', '0190c0de-0000-7000-8000-00000000000e')) id!: string;
  @Field(text('Version to which the agents are updated.', '0.2.0')) version!: string;
  @Field(choice(rolloutStates)) state!: RolloutState;
  @Field(text('Person who started it.', 'ada')) by!: string;
  @Field(text('Reason.', 'release 0.2.0')) reason!: string;
  @Field(integer('Seconds for which each ring is watched before the next one, or the end.', 0))
  settle_s!: number;
  @Field(time('When it was started.')) created_at!: string;
  @Field(orNull(time('When it was completed or cancelled.'))) ended_at!: string | null;
  @Field(orNull(text('Person who cancelled it; `service`: it was completed.', 'ada'))) ended_by!:
    string | null;
  @Field(orNull(halt)) halt!: TypeOf<typeof halt> | null;
  @Field(orNull(text('What it waits for; null: for nothing, or it is over.', 'the next ring begins later')))
  waits_for!: string | null;
  @Field(list(step, 'The computers, by ring and name.')) computers!: RolloutStep[];
  @Field(list(leftOut, 'Computers that the rollout does not update.')) left_out!: TypeOf<typeof leftOut>[];
}
