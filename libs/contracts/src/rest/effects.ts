import type { JsonObject, JsonValue } from '../json.js';
import { effectStates, type EffectState } from '../vocabulary.js';
import { z } from 'zod';
import {
  Described,
  Field,
  choice,
  described,
  flag,
  free,
  number,
  object,
  orNull,
  text,
  time,
  type TypeOf,
} from './fields/field.js';
import { codeRuntime, type CodeRuntime } from './work/code-runtime.js';

/** The kinds of functions whose calls are recorded. */
export const effectKinds = ['effect', 'idempotent'] as const;
export type EffectKind = (typeof effectKinds)[number];

const effectError = object(
  {
    code: text('Code of the error.', 'device_error'),
    message: text('What went wrong.', 'the gripper is not closed'),
    effect: text('What is known of the effect: `none`, `maybe` or `done`.', 'maybe'),
  },
  'Why the call failed; null: it did not.',
);

/**
 * Times are ISO 8601 in UTC, by the clock of the computer of the device less the offset of that clock.
 */
@Described('A call of a function that may change something, as the agent of the device recorded it.')
export class EffectRecord {
  @Field(text('Identifier of the call.', '0190c0de-0000-7000-8000-00000000000b/1')) id!: string;
  @Field(text('Laboratory of the device.', 'color_lab')) lab!: string;
  @Field(text('Name of the device within the laboratory.', 'robot_arm')) device!: string;
  @Field(text('Computer of the device.', 'svc_computer')) computer!: string;
  @Field(text('Function that was called.', 'move')) function!: string;
  @Field(choice(effectKinds, '`idempotent`: the call may be repeated.')) kind!: EffectKind;
  @Field(free<JsonObject>('Arguments with the defaults of those that were left out. Secret ones are `***`.'))
  arguments!: JsonObject;
  @Field(
    choice(
      effectStates,
      '`running`: no end is known yet. `unknown`: whether it took effect cannot be known. `not_begun`: it was withdrawn before the device got it.',
    ),
  )
  state!: EffectState;
  @Field(
    described<JsonValue>(
      'What the function returned; null: nothing, or the call did not end so. A long value is cut.',
      () => z.json() as z.ZodType<JsonValue>,
    ),
  )
  result!: JsonValue;
  @Field(orNull(effectError)) error!: TypeOf<typeof effectError> | null;
  @Field(orNull(text('Person who called; null: a task called.', 'ada'))) person!: string | null;
  @Field(orNull(text('Attempt that called; null: a person called.'))) attempt_id!: string | null;
  @Field(orNull(text('Name of the task that called.', 'mix_colors'))) task!: string | null;
  @Field(orNull(text('Protocol run of that task.', 'mix_1'))) protocol_run!: string | null;
  @Field(orNull(text('Campaign of that protocol run.', 'sweep'))) campaign!: string | null;
  @Field(time('When the call began.')) began_at!: string;
  @Field(orNull(time('When the call ended; null: no end is known.'))) ended_at!: string | null;
  @Field(number('Milliseconds by which the clock of the computer was ahead when the record was stored.', 12))
  clock_offset_ms!: number;
  @Field(orNull(text('Content hash of the code of the device; null: not known.'))) code_hash!: string | null;
  @Field(orNull(codeRuntime)) runtime!: CodeRuntime | null;
  @Field(orNull(text('Package of that code.', 'color_lab'))) package!: string | null;
  @Field(orNull(text('Version of the package when the code was loaded.', '1.4.0'))) package_version!:
    string | null;
  @Field(
    orNull(
      text('Git commit of the package when the code was loaded.', '9fceb02d0ae598e95dc970b74767f19372d61af8'),
    ),
  )
  package_commit!: string | null;
  @Field(orNull(flag('Whether files of the package differed from that commit.')))
  package_modified!: boolean | null;
}
