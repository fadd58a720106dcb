import { Field, integer, Optional, text } from './fields/field.js';

/** One fault of an input: where it is, what is wrong, and what would be right. */
export class Fault {
  @Field(text('Path inside the document or body.', 'tasks[2].devices.mixer')) path!: string;
  @Field(text('Stable identifier of the rule that is broken.', 'unknown_device_type')) code!: string;
  @Field(text('What is wrong.')) message!: string;
  @Optional(text('What would be right.')) hint?: string | undefined;
  @Optional(text('Definition file, relative to the user directory.', 'demo/tasks/mix/task.yml'))
  file?: string | undefined;
  @Optional(integer('Line in that file, from 1.', 12)) line?: number | undefined;
  @Optional(integer('Column in that line, from 1.', 3)) column?: number | undefined;
}
