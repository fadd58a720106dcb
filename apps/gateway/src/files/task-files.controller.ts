import { Readable } from 'node:stream';
import { Controller, Get, Logger, Param, Query, Req, Res } from '@nestjs/common';
import type { TaskRunRecord } from '@lab/contracts';
import { taskFileKey } from '@lab/object-store';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Needs } from '../access/index.js';
import { lookupName, readQuery } from '../routes/index.js';
import { FileStore, RecordReader } from '../ports/index.js';
import { found, foundTask, readTaskAddress } from '../lookup/index.js';
import { archiveLength, archiveOf, type ArchivedFile } from './archive.js';
import { byteRangeOf, describePart } from './byte-range.js';
import { attachment } from './content-disposition.js';

/** Should a browser ever show what an instrument wrote, then without scripts, forms and origin. */
const sandbox = "sandbox; default-src 'none'; frame-ancestors 'none'";

/** Files that tasks produced, as they produced them: never shown by a browser, always saved. */
@Needs('viewer', { of: 'task' })
@Controller('api')
export class TaskFilesController {
  readonly #log = new Logger('downloads');

  constructor(
    private readonly records: RecordReader,
    private readonly files: FileStore,
  ) {}

  @Get('tasks/:task_name/files/:file_name')
  async download(
    @Param('task_name') taskName: string,
    @Param('file_name') fileName: string,
    @Query() query: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const task = await foundTask(this.records, taskName, readTaskAddress(query));
    const listed = task.output_files.find((file) => file.name === fileName);
    const file = found(listed, `file of the task "${task.name}"`, fileName);
    const etag = `"${file.sha256}"`;
    const isHead = request.method === 'HEAD';
    const range = isHead ? undefined : this.#rangeOf(request, reply, file.size, etag);
    const content = await this.files.get(taskFileKey(task.id, task.attempt, file.name), range);
    describePart(reply, { size: file.size, etag }, range)
      .type(file.media_type)
      .header('content-disposition', attachment(file.name))
      .header('content-security-policy', sandbox)
      .header('accept-ranges', 'bytes');
    if (isHead) content.destroy();
    await reply.send(isHead ? noBody() : content);
  }

  @Get('tasks/:task_name/files.zip')
  async downloadTask(
    @Param('task_name') taskName: string,
    @Query() query: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const task = await foundTask(this.records, taskName, readTaskAddress(query));
    await this.#sendArchive(task.name, filesOf(task, ''), request, reply);
  }

  @Needs('viewer', { of: 'protocol_run' })
  @Get('protocols/:protocol_run_name/files.zip')
  async downloadRun(
    @Param('protocol_run_name') given: string,
    @Query() query: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    readQuery(query, []);
    const name = lookupName(given, 'protocol run');
    const run = found(await this.records.protocolRun(name), 'protocol run', name);
    const files = run.tasks.flatMap((task) => filesOf(task, `${task.name}/`));
    await this.#sendArchive(run.name, files, request, reply);
  }

  #rangeOf(request: FastifyRequest, reply: FastifyReply, size: number, etag: string) {
    try {
      return byteRangeOf(request.headers, size, etag);
    } catch (error) {
      reply.header('content-range', `bytes */${size}`);
      throw error;
    }
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
    const archive = archiveOf(files, (key) => this.files.get(key));
    archive.once('error', (error) => {
      // Whoever leaves in the middle is no trouble of ours.
      if (!request.raw.destroyed) this.#log.error(`the archive of ${name} broke off: ${error.message}`);
    });
    await reply.send(archive);
  }
}

/** What is sent in place of a content: a stream keeps the length that was set; no payload at all would make it 0. */
function noBody(): Readable {
  return Readable.from([]);
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
