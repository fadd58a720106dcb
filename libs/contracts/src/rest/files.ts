import { Field, integer, orNull, text, time } from './fields/field.js';

/** A file that a task produced. */
export class FileRecord {
  @Field(text('Name that the task gave the file.', 'image.png')) name!: string;
  @Field(integer('Size in bytes.', 1024)) size!: number;
  @Field(text('SHA-256 of the content, hexadecimal.')) sha256!: string;
  /** `application/octet-stream` when the file extension is not known. */
  @Field(text('Media type that belongs to the file extension.', 'image/png')) media_type!: string;
}

/** A file that a task got from another task. */
export class InputFileRecord extends FileRecord {
  @Field(
    text(
      '`<task run>/<attempt>/<file name>`, with the id of the task run that produced the file.',
      '0190c0de-0000-7000-8000-000000000001/1/image.png',
    ),
  )
  id!: string;
}

/** A file with the task that produced it. */
export class TaskFileRecord extends FileRecord {
  @Field(text('Id of the task run that produced the file.')) task_run_id!: string;
  @Field(text('Name of the task.', 'score_color')) task!: string;
  @Field(text('Task type.', 'score_color')) type!: string;
  @Field(orNull(text('Protocol run of the task; null for an on-demand task.', 'mix_1')))
  protocol_run!: string | null;
  @Field(orNull(text('Campaign of the protocol run, if any.', 'sweep'))) campaign!: string | null;
  @Field(text('Label of the owner of the work.', 'ada')) owner!: string;
  @Field(integer('Number of the attempt that produced the file.', 1)) attempt!: number;
  @Field(time('When the task was created.')) created_at!: string;
}
