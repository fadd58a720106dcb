import { createHash } from 'node:crypto';

/** Longest encoded name that stays readable in a key. */
const readableLength = 200;

/**
 * The key of a file that one attempt of a task run produced. Different files have different keys. The name that the
 * author chose, of any length and with any characters, is encoded.
 *
 * @param attempt number of the attempt, from 1
 */
export function taskFileKey(taskRunId: string, attempt: number, fileName: string): string {
  return `${taskFilesPrefix(taskRunId)}${attempt}/${encodeName(fileName)}`;
}

/** What the keys of all files of a task run begin with, and no others. */
export function taskFilesPrefix(taskRunId: string): string {
  return `task-runs/${encodeName(taskRunId)}/`;
}

/** The key of a file that an instrument wrote. @param id 32 hexadecimal digits */
export function deviceFileKey(id: string): string {
  return `device-files/${id}`;
}

/** A `~` occurs only in shortened names, so no other name can look like one. */
function encodeName(name: string): string {
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll('~', '%7E');
  if (encoded.length <= readableLength) return encoded;
  return `${encoded.slice(0, readableLength / 2)}~${createHash('sha256').update(name).digest('hex')}`;
}
