import { orchestratorRequests, ServiceError } from '@lab/contracts';
import type { Engine } from '@lab/engine';
import type { HandlersOf } from '@lab/messaging';
import { taskFileKey, type FileTickets } from '@lab/object-store';
import type { PackageIndex } from '../definitions/index.js';

/** Bytes of one piece of a module; its base64 form stays well under the broker's limit for a message. */
const pieceBytes = 128 * 1024;

/** How long an agent may take to send or fetch one file, in milliseconds. */
const ticketMs = 15 * 60_000;

type FileRequests = Pick<typeof orchestratorRequests, 'uploadTicket' | 'downloadTicket' | 'fetchModule'>;

/** Code that agents fetch by its hash, and tickets for the files of attempts that still run. */
export function fileHandlers(
  engine: Engine,
  packages: PackageIndex,
  tickets: FileTickets,
): HandlersOf<FileRequests> {
  /** An attempt of another computer is as good as none: its files are of no concern to this one. */
  const attemptOf = (computer: string, id: string) => {
    const attempt = engine.views.attempt(id);
    return attempt?.computer === computer ? attempt : undefined;
  };
  return {
    fetchModule: async ({ hash, offset, named, archive = false }) => {
      if (archive) {
        const { data, total } = await packages.archivePiece(hash, offset, pieceBytes);
        return { data: data.toString('base64'), total };
      }
      const text = await packages.readModule(hash);
      const data = text.subarray(offset, offset + pieceBytes).toString('base64');
      const signed =
        named === undefined ? {} : packages.signedAbout(hash, named, () => engine.views.codeInUse());
      return { data, total: text.length, ...signed };
    },

    uploadTicket: ({ attempt_id: id, name, size, sha256 }, { tokens }) => {
      const attempt = attemptOf(tokens.computer, id);
      if (attempt === undefined)
        throw new ServiceError('not_found', `attempt ${id} does not run on ${tokens.computer}`);
      const key = taskFileKey(attempt.taskRunId, attempt.number, name);
      return tickets.uploadTicket({ key, size, sha256, expiresInMs: ticketMs });
    },

    downloadTicket: ({ attempt_id: id, handle }, { tokens }) => {
      const files = attemptOf(tokens.computer, id)?.inputFiles ?? {};
      const file = Object.hasOwn(files, handle) ? files[handle] : undefined;
      if (file === undefined) {
        throw new ServiceError(
          'not_found',
          `attempt ${id} does not run on ${tokens.computer}, or has no input file '${handle}'`,
        );
      }
      const { task_run_id: taskRun, attempt, name, size, sha256 } = file;
      const key = taskFileKey(taskRun, attempt, name);
      return tickets.downloadTicket({ key, size, sha256, expiresInMs: ticketMs });
    },
  };
}
