import { Controller, Get, Req, Res } from '@nestjs/common';
import {
  DeviceFileAttachment,
  DeviceFileDeletion,
  ServiceError,
  type DeviceFileRecord,
  type Page,
  type Principal,
} from '@lab/contracts';
import { deviceFileKey } from '@lab/object-store';
import type { DeletionObstacle } from '@lab/persistence';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Actor, type Acting, actorName, Caller, labFilter, Needs } from '../access/index.js';
import { ListQuery, type PageRequest } from '../lists/index.js';
import { committed, found, foundTask } from '../lookup/index.js';
import { DeviceFileStore, FileStore, RecordReader } from '../ports/index.js';
import { Action, Group, JsonBody, Operation, page, pathText, record } from '../routes/index.js';
import { fileAnswer, partialDownload, sendFile } from './file-answer.js';

const LabId = pathText('lab_id', { description: 'Name of the laboratory.', example: 'color_lab' });
const DeviceId = pathText('device_id', { description: 'Name of the device.', example: 'station_1' });
const FileId = pathText('file_id', {
  description: 'Id of the file.',
  example: '5f0c1d0e9a7b4c3d2e1f0a9b8c7d6e5f',
});

/** Why a file cannot be deleted. */
const obstacles: Readonly<Record<Exclude<DeletionObstacle, 'missing'>, (file: DeviceFileRecord) => string>> =
  {
    attached: ({ path, task }) =>
      `The file "${path}" belongs to the task "${task ?? ''}". It is deleted with the files of that work.`,
    planned: ({ path, delete_by: by, delete_due_at: at }) =>
      `The file "${path}" has a deletion already, by ${by ?? 'somebody'}, which begins at ${at ?? 'a later time'}.`,
    held: ({ path, lab }) =>
      `The file "${path}" cannot be deleted: a legal hold on the laboratory "${lab}" is in force.`,
  };

/** Files that instruments wrote into folders. */
@Group('Files')
@Needs('viewer', { lab: 'lab_id' })
@Controller('api')
export class DeviceFilesController {
  constructor(
    private readonly records: RecordReader,
    private readonly files: FileStore,
    private readonly deviceFiles: DeviceFileStore,
  ) {}

  @Needs('viewer', { lab: labFilter })
  @Operation(
    'List the files that instruments wrote',
    page('DeviceFileRecord', 'The newest first, by the time when the instrument made them.'),
    { description: 'Files that belong to an attempt, and loose ones.' },
  )
  @Get('device-files')
  async list(@ListQuery('device_files') request: PageRequest): Promise<Page<DeviceFileRecord>> {
    return request.pageOf(await this.records.list('device_files', request));
  }

  @Operation('Read a file of a device', record('DeviceFileRecord', 'The file.'), {
    problems: ['not_found', 'store_unavailable'],
  })
  @Get('labs/:lab_id/devices/:device_id/files/:file_id')
  find(@LabId() lab: string, @DeviceId() device: string, @FileId() id: string): Promise<DeviceFileRecord> {
    return this.#file(lab, device, id);
  }

  @Operation('Download a file of a device', fileAnswer('The bytes that the instrument wrote.'), {
    ...partialDownload,
    problems: ['not_found', ...partialDownload.problems],
  })
  @Get('labs/:lab_id/devices/:device_id/files/:file_id/content')
  async download(
    @LabId() lab: string,
    @DeviceId() device: string,
    @FileId() id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const file = await this.#file(lab, device, id);
    await sendFile(request, reply, file, (range) => this.files.get(deviceFileKey(file.id), range));
  }

  @Needs('operator', { lab: 'lab_id' })
  @Operation(
    'Attach a file of a device to a task',
    record('DeviceFileRecord', 'The file, which belongs to the latest attempt of the task now.'),
    {
      description:
        'The task must be one of the laboratory of the device. A file that belongs to another task is attached to this one instead. The record names the person and the reason. The output files of the task do not change.',
      problems: ['not_found', 'wrong_state'],
    },
  )
  @Action('labs/:lab_id/devices/:device_id/files/:file_id/attach')
  async attach(
    @LabId() lab: string,
    @DeviceId() device: string,
    @FileId() id: string,
    @JsonBody(DeviceFileAttachment, {
      run: {
        summary: 'To a task of a protocol run',
        value: { task: 'measure', protocol_run: 'mix_1', reason: 'typed the wrong sample id', by: 'ada' },
      },
    })
    { task: name, protocol_run: run, reason, by }: DeviceFileAttachment,
    @Caller() caller: Principal,
  ): Promise<DeviceFileRecord> {
    const file = await this.#file(lab, device, id);
    const task = await foundTask(this.records, { name, run });
    // The role is for the laboratory of the device, and says nothing about work of others.
    const labs = await this.records.labsOf('task_run', task.id);
    found(labs?.includes(lab) === true ? task : undefined, `task of the laboratory "${lab}"`, name);
    const attachment = { taskRunId: task.id, by: actorName(caller, by), reason };
    if (!(await this.deviceFiles.attach(file.id, { lab, name: device }, attachment))) {
      // Its deletion may have begun meanwhile.
      await this.#file(lab, device, id);
      throw new ServiceError(
        'wrong_state',
        `The task "${task.name}" has not begun, so no file belongs to it. Attach the file when it has.`,
      );
    }
    return committed(() => this.records.deviceFile(file.id), `the file "${file.id}"`);
  }

  @Needs('operator', { lab: 'lab_id' })
  @Operation(
    'Delete a loose file of a device',
    record('DeviceFileRecord', 'The file. Its deletion begins at `delete_due_at`.'),
    {
      description:
        'Until the deletion begins, it can be taken back, and the file can be attached. A file of a task is deleted with its work. A legal hold on the laboratory prevents the deletion.',
      problems: ['not_found', 'wrong_state'],
    },
  )
  @Action('labs/:lab_id/devices/:device_id/files/:file_id/delete')
  async delete(
    @LabId() lab: string,
    @DeviceId() device: string,
    @FileId() id: string,
    @JsonBody(DeviceFileDeletion, {
      test: { summary: 'A file that nobody needs', value: { reason: 'a test of the camera', by: 'ada' } },
    })
    { reason, by }: DeviceFileDeletion,
    @Caller() caller: Principal,
  ): Promise<DeviceFileRecord> {
    const file = await this.#file(lab, device, id);
    const obstacle = await this.deviceFiles.delete(file.id, { by: actorName(caller, by), reason });
    if (obstacle === 'missing') found(undefined, `file of the device "${lab}.${device}"`, id);
    else if (obstacle !== undefined) throw new ServiceError('wrong_state', obstacles[obstacle](file));
    return committed(() => this.records.deviceFile(file.id), `the file "${file.id}"`);
  }

  @Needs('operator', { lab: 'lab_id' })
  @Operation(
    'Take the deletion of a file of a device back',
    record('DeviceFileRecord', 'The file, which stays.'),
    {
      description:
        'A deletion that has begun cannot be taken back. The service does not delete the file by its age any more.',
      problems: ['not_found', 'wrong_state'],
    },
  )
  @Action('labs/:lab_id/devices/:device_id/files/:file_id/keep')
  async keep(
    @LabId() lab: string,
    @DeviceId() device: string,
    @FileId() id: string,
    @Actor() _actor: Acting,
  ): Promise<DeviceFileRecord> {
    const file = await this.#file(lab, device, id);
    if (!(await this.deviceFiles.keep(file.id)))
      throw new ServiceError(
        'wrong_state',
        `The file "${file.path}" has no deletion that could be taken back.`,
      );
    return committed(() => this.records.deviceFile(file.id), `the file "${file.id}"`);
  }

  async #file(lab: string, device: string, id: string): Promise<DeviceFileRecord> {
    const file = await this.records.deviceFile(id);
    const own = file?.lab === lab && file.device === device ? file : undefined;
    return found(own, `file of the device "${lab}.${device}"`, id);
  }
}
