import { Readable } from 'node:stream';
import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { taskFileKey } from '@lab/object-store';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Needs } from '../access/needs.js';
import { FileStore, RecordReader } from '../ports.js';
import { found, foundTask, readTaskAddress } from '../work/records.js';
import { attachment } from './content-disposition.js';

/** Files that tasks produced, as they produced them: never shown by a browser, always saved. */
@Needs('viewer')
@Controller('api/tasks')
export class TaskFilesController {
  constructor(
    private readonly records: RecordReader,
    private readonly files: FileStore,
  ) {}

  @Get(':task_name/files/:file_name')
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
    const content = await this.files.get(taskFileKey(task.id, task.attempt, file.name));
    reply
      .type('application/octet-stream')
      .header('content-disposition', attachment(file.name))
      .header('content-length', file.size)
      .header('etag', `"${file.sha256}"`);
    if (request.method === 'HEAD') {
      content.destroy();
      // A stream keeps the length that was set; no payload at all would make it 0.
      await reply.send(Readable.from([]));
      return;
    }
    await reply.send(content);
  }
}
