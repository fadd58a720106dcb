import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

export interface LogFile {
  readonly path: string;
  /** Appends one line, given without its line break. */
  line(text: string): void;
  close(): void;
}

/**
 * A text file that is moved to `<path>.1` (and that to `<path>.2`, and so on) when it exceeds a size. Lines are
 * written whole and at once, so that they survive the end of the process. A line that cannot be written, because the disk
 * is full, is lost: a log must not end its process. The next line that can be written is preceded by the number of lost
 * lines.
 *
 * @param options.maxBytes size of one file, default 10 MiB
 * @param options.keep number of older files, default 3
 * @throws Error when the file cannot be opened at first
 */
export function openLogFile(path: string, { maxBytes = 10 * 1_048_576, keep = 3 } = {}): LogFile {
  mkdirSync(dirname(path), { recursive: true });
  let file: number | undefined;
  let size = 0;
  let isClosed = false;
  let lost = 0;
  const opened = (): number => {
    if (file !== undefined) return file;
    file = openSync(path, 'a', 0o640);
    size = fstatSync(file).size;
    return file;
  };
  const append = (bytes: Buffer): void => {
    if (file !== undefined && size > 0 && size + bytes.length > maxBytes) {
      closeSync(file);
      file = undefined;
      rotate(path, keep);
    }
    const open = opened();
    const written = writeSync(open, bytes);
    if (written < bytes.length) {
      ftruncateSync(open, size);
      throw new Error('the disk took only a part of a line');
    }
    size += written;
  };
  opened();
  return {
    path,
    line(text) {
      if (isClosed) return;
      try {
        append(Buffer.from(lost === 0 ? `${text}\n` : `${lossText(lost)}\n${text}\n`));
        lost = 0;
      } catch {
        lost += 1;
      }
    },
    close() {
      isClosed = true;
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}

function lossText(lines: number): string {
  const msg = `${lines} lines could not be written and are lost; was the disk full?`;
  return JSON.stringify({ level: 'warn', time: new Date().toISOString(), msg });
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
