import { closeSync, fstatSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

export interface LogFile {
  readonly path: string;
  /** Appends one line, given without its line break. */
  line(text: string): void;
  close(): void;
}

/**
 * A text file that is moved to `<path>.1` (and that to `<path>.2`, and so on) when it exceeds a size. Lines are
 * written whole and at once, so that they survive the end of the process.
 *
 * @param options.maxBytes size of one file, default 10 MiB
 * @param options.keep number of older files, default 3
 */
export function openLogFile(path: string, { maxBytes = 10 * 1_048_576, keep = 3 } = {}): LogFile {
  mkdirSync(dirname(path), { recursive: true });
  let file: number | undefined = openSync(path, 'a', 0o640);
  let size = fstatSync(file).size;
  return {
    path,
    line(text) {
      if (file === undefined) return;
      const bytes = Buffer.from(`${text}\n`);
      if (size > 0 && size + bytes.length > maxBytes) {
        closeSync(file);
        rotate(path, keep);
        file = openSync(path, 'a', 0o640);
        size = 0;
      }
      size += writeSync(file, bytes);
    },
    close() {
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}

function rotate(path: string, keep: number): void {
  rmSync(`${path}.${keep}`, { force: true });
  for (let index = keep - 1; index >= 1; index--) moveIfThere(`${path}.${index}`, `${path}.${index + 1}`);
  if (keep > 0) moveIfThere(path, `${path}.1`);
  else rmSync(path, { force: true });
}

function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
