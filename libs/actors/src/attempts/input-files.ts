import {
  errorCatalogue,
  mediaTypeOf,
  toServiceError,
  type ErrorCode,
  type LocalFile,
  type ServiceError,
  type TaskStart,
} from '@lab/contracts';
import type { AgentLog, Files, Orchestrator, Retry } from '../ports/index.js';

/** A file that the task gets cannot be had; the message names it. */
export class InputFileError extends Error {
  override readonly name = 'InputFileError';
}

/**
 * Puts all files that an attempt gets into its folder, one after the other. A store that does not answer is waited for.
 *
 * @param signal gives up
 * @returns by file handle; undefined: it gets none
 * @throws InputFileError when a file can never be had; ServiceError `aborted`
 */
export async function placeInputFiles(
  ports: { files: Files; orchestrator: Orchestrator; retry: Retry; log: AgentLog },
  { attempt_id: attemptId, files }: Pick<TaskStart, 'attempt_id' | 'files'>,
  signal: AbortSignal,
): Promise<Record<string, LocalFile> | undefined> {
  if (files === undefined) return undefined;
  const placed: [string, LocalFile][] = [];
  for (const [handle, { name, size, sha256 }] of Object.entries(files)) {
    const ticket = () => ports.orchestrator.downloadTicket({ attemptId, handle });
    const place = () => ports.files.place(attemptId, { handle, name, size, sha256 }, ticket, signal);
    const failed = (error: unknown, pauseMs: number): boolean => {
      const fault = toServiceError(error);
      const final = isFinalForFiles(fault);
      ports.log.warn('a file that the task gets could not be fetched', {
        file: name,
        reason: fault.message,
        ...(final ? {} : { again_in_ms: Math.round(pauseMs) }),
      });
      return final;
    };
    try {
      const path = await ports.retry.run(place, { signal, failed });
      placed.push([handle, { name, size, sha256, media_type: mediaTypeOf(name), path }]);
    } catch (error) {
      if (signal.aborted) throw error;
      const reason = toServiceError(error).message;
      throw new InputFileError(`the file "${name}" for "${handle}" cannot be had: ${reason}`, {
        cause: error,
      });
    }
  }
  return Object.fromEntries(placed);
}

/** They say nothing of the file: whoever was asked had no time, had a defect, or does not lead any more. */
const notOfTheFile: readonly ErrorCode[] = ['deadline_exceeded', 'internal', 'aborted'];

/** No later try can succeed with the same file. */
export function isFinalForFiles({ code }: ServiceError): boolean {
  return !errorCatalogue[code].retryable && !notOfTheFile.includes(code);
}
