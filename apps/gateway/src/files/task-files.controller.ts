import type { Readable } from 'node:stream';
import { Controller, Get, Logger, Req, Res } from '@nestjs/common';
import {
  isServiceError,
  longestPage,
  ServiceError,
  type Page,
  type TaskFileRecord,
  type TaskRunRecord,
} from '@lab/contracts';
import { taskFileKey } from '@lab/object-store';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Needs } from '../access/index.js';
import { readListQuery } from '../lists/index.js';
import { AddressOfTask, found, foundTask, type TaskAddress } from '../lookup/index.js';
import { FileStore, RecordReader } from '../ports/index.js';
import {
  type Answer,
  CampaignName,
  Group,
  Operation,
  pathText,
  ProtocolRunName,
  type QueryValues,
} from '../routes/index.js';
import { archiveLength, archiveOf, type ArchivedFile } from './archive.js';
import type { ByteRange } from './byte-range.js';
import { attachment } from './content-disposition.js';
import { binary, fileAnswer, noBody, partialDownload, sandbox, savedAs, sendFile } from './file-answer.js';

const FileName = pathText('file_name', { description: 'Name of the file.', example: 'image.png' });

const archive: Answer = {
  description: 'The archive. It is empty when there are no files.',
  content: { 'application/zip': binary },
  headers: savedAs,
};
const archiveText =
  'The files are stored without compression, and the archive may have any size (zip64). An archive that breaks off is shorter than its `Content-Length`.';

/** Files that tasks produced, unchanged. A browser always saves them and never shows them. */
@Group('Files')
@Needs('viewer', { of: 'task' })
@Controller('api')
export class TaskFilesController {
  readonly #log = new Logger('downloads');

  constructor(
    private readonly records: RecordReader,
    private readonly files: FileStore,
  ) {}

  @Operation('Download a file of a task', fileAnswer('The bytes that the task produced.'), partialDownload)
  @Get('tasks/:task_name/files/:file_name')
  async download(
    @AddressOfTask() address: TaskAddress,
    @FileName() fileName: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const task = await foundTask(this.records, address);
    const listed = task.output_files.find((file) => file.name === fileName);
    const file = found(listed, `file of the task "${task.name}"`, fileName);
    const open = (range: ByteRange | undefined): Promise<Readable> =>
      this.files
        .get(taskFileKey(task.id, task.attempt, file.name), range)
        .catch((error: unknown) => this.#explain(task.id, error));
    await sendFile(request, reply, file, open);
  }

  @Operation('Download all files of a task as one zip archive', archive, {
    description: archiveText,
  })
  @Get('tasks/:task_name/files.zip')
  async downloadTask(
    @AddressOfTask() address: TaskAddress,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const task = await foundTask(this.records, address);
    await this.#sendArchive(task.name, filesOf(task, ''), request, reply);
  }

  @Needs('viewer', { of: 'protocol_run' })
  @Operation(
    'Download all files of a protocol run as one zip archive, with a folder for each task',
    archive,
    {
      description: archiveText,
    },
  )
  @Get('protocols/:protocol_run_name/files.zip')
  async downloadRun(
    @ProtocolRunName() name: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const run = found(await this.records.protocolRun(name), 'protocol run', name);
    const files = run.tasks.flatMap((task) => filesOf(task, `${task.name}/`));
    await this.#sendArchive(run.name, files, request, reply);
  }

  @Needs('viewer', { of: 'campaign' })
  @Operation(
    'Download all files of a campaign as one zip archive, with a folder for each protocol run and task',
    archive,
    {
      description: `${archiveText} The archive of a campaign that still runs has the files that its tasks have produced so far.`,
    },
  )
  @Get('campaigns/:campaign_name/files.zip')
  async downloadCampaign(
    @CampaignName() name: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const campaign = found(await this.records.campaign(name), 'campaign', name);
    await this.#sendArchive(campaign.name, await this.#filesOfCampaign(campaign.name), request, reply);
  }

  /** The files of all runs of a campaign, also of archived ones, the earliest task first. */
  async #filesOfCampaign(name: string): Promise<ArchivedFile[]> {
    const files: ArchivedFile[] = [];
    let cursor: string | null = null;
    do {
      const query: QueryValues = { limit: String(longestPage), sort: 'created_at', archived: 'all' };
      if (cursor !== null) query['cursor'] = cursor;
      const request = readListQuery('files', query, ['campaign'])({ fixed: { campaign: name } });
      const page: Page<TaskFileRecord> = request.pageOf(await this.records.list('files', request));
      for (const file of page.items)
        files.push({
          path: `${file.protocol_run ?? ''}/${file.task}/${file.name}`,
          size: file.size,
          modified: new Date(file.created_at),
          key: taskFileKey(file.task_run_id, file.attempt, file.name),
        });
      cursor = page.next_cursor;
    } while (cursor !== null);
    return files;
  }

  /** Says who deleted the files, if somebody did. @throws the error, or ServiceError `not_found` */
  async #explain(taskRunId: string, error: unknown): Promise<never> {
    if (!isServiceError(error) || error.code !== 'not_found') throw error;
    const deletion = await this.records.filesDeletion(taskRunId);
    if (deletion === undefined) throw error;
    const { ended_at: at, by, reason } = deletion;
    throw new ServiceError(
      'not_found',
      `The files of this work were deleted at ${at ?? ''} by ${by}: ${reason}.`,
      { cause: error },
    );
  }

  async #sendArchive(
    name: string,
    files: ArchivedFile[],
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    reply
      .type('application/zip')
      .header('content-disposition', attachment(`${name}.zip`))
      .header('content-security-policy', sandbox)
      .header('content-length', archiveLength(files));
    if (request.method === 'HEAD') {
      await reply.send(noBody());
      return;
    }
    const content = archiveOf(files, (key) => this.files.get(key));
    content.once('error', (error) => {
      // A client that disconnects is no defect.
      if (!request.raw.destroyed) this.#log.error(`the archive of ${name} broke off: ${error.message}`);
    });
    await reply.send(content);
  }
}

function filesOf(task: TaskRunRecord, folder: string): ArchivedFile[] {
  const modified = new Date(task.ended_at ?? task.created_at);
  return task.output_files.map(({ name, size }) => ({
    path: `${folder}${name}`,
    size,
    modified,
    key: taskFileKey(task.id, task.attempt, name),
  }));
}
