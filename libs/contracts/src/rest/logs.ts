import { Described, Field, choice, integer, orNull, text, time } from './fields/field.js';
import { logLevels, type LogLevel } from '../vocabulary.js';

/** What wrote a line: the code of a task, the code of a device, or the service, about lines that it had to drop. */
export const logSources = ['task', 'device', 'service'] as const;
export type LogSource = (typeof logSources)[number];

/** Most bytes of the message of a line, as UTF-8. */
export const longestLogMessage = 8_192;

@Described('A line that the code of a task or of a device wrote.')
export class LogLine {
  @Field(
    integer('Number of the line. It rises with every line, in the order of storage. It may have gaps.', 5120),
  )
  id!: number;
  @Field(time('When the line was written, by the clock of its computer.')) at!: string;
  @Field(choice(logLevels, 'Severity of the line.')) level!: LogLevel;
  @Field(
    choice(
      logSources,
      'What wrote the line: the code of a task, the code of a device, or the service. The service writes about lines that it had to drop.',
    ),
  )
  source!: LogSource;
  @Field(text('Computer on which the line was written.', 'svc_computer')) computer!: string;
  @Field(orNull(text('Laboratory of the device that wrote the line.'))) lab!: string | null;
  @Field(orNull(text('Name of the device that wrote the line.'))) device!: string | null;
  @Field(orNull(text('Id of the task run that wrote the line.'))) task_run_id!: string | null;
  @Field(orNull(text('Name of the task that wrote the line.', 'mix_colors'))) task!: string | null;
  @Field(orNull(text('Protocol run of that task.', 'mix_1'))) protocol_run!: string | null;
  @Field(orNull(text('Campaign of that protocol run.'))) campaign!: string | null;
  @Field(orNull(text('Id of the attempt that wrote the line.'))) attempt_id!: string | null;
  @Field(orNull(integer('Number of that attempt, from 1.', 1))) attempt!: number | null;
  @Field(text('The text; after 8 KiB it is cut.', 'dispensing 3.2 mL')) message!: string;
}
