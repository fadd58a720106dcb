import { runStates, taskRunStates, type RunState, type TaskRunState } from '../states.js';
import { Described, Field, choice, flag, integer, list, orNull, text, time } from './fields/field.js';
import { campaignName, taskLabel } from './schedule.js';

/** A task that runs while a drain waits for it. */
export class DrainedTask {
  @Field(taskLabel) label!: string;
  @Field(orNull(text('Computer that runs the task.', 'bench_b'))) computer!: string | null;
  @Field(orNull(time('When the task started.'))) since!: string | null;
  @Field(
    orNull(
      time(
        'When the agent of the computer was last heard, if it is not heard at present: nobody knows what the task does. Null: the agent is heard.',
      ),
    ),
  )
  silent_since!: string | null;
}

/** A protocol run or an on-demand task that has begun and has not ended. */
export class DrainedWork {
  @Field(choice(['protocol_run', 'task'])) kind!: 'protocol_run' | 'task';
  @Field(text('Its name.', 'mix_1')) name!: string;
  @Field(
    choice(
      [...new Set([...runStates, ...taskRunStates])],
      '`needs_attention`: a person must decide before it goes on. `paused`: a person must resume it.',
    ),
  )
  state!: RunState | TaskRunState;
  @Field(orNull(time('When its first task started.'))) since!: string | null;
  @Field(list(DrainedTask, 'Its tasks that run. None: its next task waits.')) running!: DrainedTask[];
}

@Described('A drain: whether new work may begin, and the work that has begun and has not ended.')
export class DrainRecord {
  @Field(flag('True: no protocol run and no on-demand task begins until a person ends the drain.'))
  draining!: boolean;
  @Field(campaignName) campaign!: string | null;
  @Field(orNull(text('Person who began the drain.', 'ada'))) by!: string | null;
  @Field(orNull(time('When the drain began.'))) since!: string | null;
  @Field(flag('True: everything that has begun has ended.')) drained!: boolean;
  @Field(integer('Protocol runs and on-demand tasks that have begun and have not ended.', 2))
  unfinished_count!: number;
  @Field(list(DrainedWork, 'The earliest of them, at most 200.')) unfinished!: DrainedWork[];
}
