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

/** An input file of the task cannot be had. The message names the file. */
export class InputFileError extends Error {
  override readonly name = 'InputFileError';
}

/**
 * Puts all input files of an attempt into its spool folder, one after the other. Waits for a store that does not answer.
 *
 * @param signal when it fires, the transfer is given up
 * @returns the files by their handles; undefined: the attempt has no input files
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
    const failed = fileFailed(ports.log, 'an input file could not be fetched', name);
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

/** Returns a listener for {@link Retry} that logs a failed transfer, and gives up when no later try can succeed. */
export function fileFailed(
  log: AgentLog,
  message: string,
  file: string,
): (error: unknown, pauseMs: number) => boolean {
  return (error, pauseMs) => {
    const fault = toServiceError(error);
    const final = isFinal(fault);
    log.warn(message, {
      file,
      reason: fault.message,
      ...(final ? {} : { again_in_ms: Math.round(pauseMs) }),
    });
    return final;
  };
}

/** Codes that say nothing about the file: the other side had no time, had a defect, or no longer leads. */
const notAboutTheFile: readonly ErrorCode[] = ['deadline_exceeded', 'internal', 'aborted'];

/** Whether no later try can succeed with the same file. */
function isFinal({ code }: ServiceError): boolean {
  return !errorCatalogue[code].retryable && !notAboutTheFile.includes(code);
}
