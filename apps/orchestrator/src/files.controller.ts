import { Controller } from '@nestjs/common';
import { orchestratorRequests as requests, ServiceError, type ReplyOf, type RequestOf } from '@lab/contracts';
import { Engine } from '@lab/engine';
import { Handles } from '@lab/messaging/nest';
import { taskFileKey, FileTickets } from '@lab/object-store';
import { PackageIndex } from './definitions/package-index.js';

/** Bytes of one piece of a module; its base64 form stays well under the broker's limit for a message. */
const pieceBytes = 128 * 1024;

/** How long an agent may take to send or fetch one file, in milliseconds. */
const ticketMs = 15 * 60_000;

/** Code and files that agents fetch, and files that they bring: only by hash, only for attempts that are known. */
@Controller()
export class FilesController {
  constructor(
    private readonly engine: Engine,
    private readonly packages: PackageIndex,
    private readonly tickets: FileTickets,
  ) {}

  @Handles(requests.fetchModule)
  async fetchModule(
    piece: RequestOf<typeof requests.fetchModule>,
  ): Promise<ReplyOf<typeof requests.fetchModule>> {
    const text = await this.packages.readModule(piece.hash);
    return {
      data: text.subarray(piece.offset, piece.offset + pieceBytes).toString('base64'),
      total: text.length,
    };
  }

  @Handles(requests.uploadTicket)
  async uploadTicket(
    file: RequestOf<typeof requests.uploadTicket>,
  ): Promise<ReplyOf<typeof requests.uploadTicket>> {
    const attempt = this.engine.attempt(file.attempt_id);
    if (attempt === undefined) {
      throw new ServiceError('not_found', `attempt ${file.attempt_id} is not one that still runs`);
    }
    const key = taskFileKey(attempt.taskRunId, attempt.number, file.name);
    return this.tickets.uploadTicket({ key, size: file.size, sha256: file.sha256, expiresInMs: ticketMs });
  }

  @Handles(requests.downloadTicket)
  async downloadTicket({
    attempt_id: id,
    handle,
  }: RequestOf<typeof requests.downloadTicket>): Promise<ReplyOf<typeof requests.downloadTicket>> {
    const files = this.engine.attempt(id)?.inputFiles ?? {};
    const file = Object.hasOwn(files, handle) ? files[handle] : undefined;
    if (file === undefined) {
      throw new ServiceError(
        'not_found',
        `attempt ${id} is not one that still runs and gets a file '${handle}'`,
      );
    }
    const { task_run_id: taskRun, attempt, name, size, sha256 } = file;
    const key = taskFileKey(taskRun, attempt, name);
    return this.tickets.downloadTicket({ key, size, sha256, expiresInMs: ticketMs });
  }
}
