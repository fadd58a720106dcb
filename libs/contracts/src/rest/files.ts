import { fileMatches, type FileMatch } from '../vocabulary.js';
import { choice, Described, Field, integer, Optional, orNull, text, time } from './fields/field.js';
import { by, line, recordName } from './fields/inputs.js';

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

@Described('A file that an instrument wrote into a folder of its computer.')
export class DeviceFileRecord extends FileRecord {
  @Field(text('Identifier of the file.', '5f0c1d0e9a7b4c3d2e1f0a9b8c7d6e5f')) id!: string;
  @Field(text('Laboratory of the device.', 'color_lab')) lab!: string;
  @Field(text('Name of the device within the laboratory.', 'station_1')) device!: string;
  @Field(text('Computer of the device.', 'svc_computer')) computer!: string;
  @Field(text('Path below the folder of the instrument.', 'run_7/plate.csv')) path!: string;
  @Field(time('When the instrument made it, by the clock of the computer less its offset.')) made_at!: string;
  @Field(time('When it was changed last, by the same clock.')) modified_at!: string;
  @Field(time('When the service had all of it.')) stored_at!: string;
  @Field(
    orNull(
      choice(
        fileMatches,
        'How its attempt was found: by the time, by the name of the file, or a person said it. Null: it belongs to no attempt.',
      ),
    ),
  )
  matched!: FileMatch | null;
  @Field(orNull(text('Person who attached it; null: nobody did.', 'ada'))) attached_by!: string | null;
  @Field(orNull(text('Why that person attached it.', 'typed the wrong sample id'))) reason!: string | null;
  @Field(orNull(text('Attempt that it belongs to; null: none.'))) attempt_id!: string | null;
  @Field(orNull(text('Task run of that attempt.'))) task_run_id!: string | null;
  @Field(orNull(text('Name of the task.', 'measure'))) task!: string | null;
  @Field(orNull(text('Protocol run of the task, if any.', 'mix_1'))) protocol_run!: string | null;
  @Field(orNull(text('Campaign of the protocol run, if any.', 'sweep'))) campaign!: string | null;
  @Field(orNull(time('When its deletion begins; null: nobody deletes it.'))) delete_due_at!: string | null;
  @Field(orNull(text('Person who deletes it, or `service`.', 'ada'))) delete_by!: string | null;
  @Field(orNull(text('Why it is deleted.', 'a test of the camera'))) delete_reason!: string | null;
}

/** Deletes a loose file of a device (`POST /api/labs/{lab_id}/devices/{device_id}/files/{file_id}/delete`). */
export class DeviceFileDeletion {
  @Field(line([1, 2_000], 'Reason.', 'a test of the camera')) reason!: string;
  @Optional(by()) by?: string;
}

/** Attaches a file of a device to a task (`POST /api/labs/{lab_id}/devices/{device_id}/files/{file_id}/attach`). */
export class DeviceFileAttachment {
  @Field(recordName('Name of the task. The file belongs to its latest attempt then.', 'measure'))
  task!: string;
  @Optional(recordName('Protocol run of the task. Absent: the task is an on-demand task.', 'mix_1'))
  protocol_run?: string;
  @Field(line([1, 2_000], 'Reason.', 'typed the wrong sample id')) reason!: string;
  @Optional(by()) by?: string;
}
