import { constants } from 'node:fs';
import { open, readdir, readFile, stat } from 'node:fs/promises';

/** Octal flags of open(2) in `/proc/<pid>/fdinfo/<fd>` with which a file can be written. */
const writing = constants.O_WRONLY | constants.O_RDWR;

/**
 * Whether another process has the file open for writing, as far as this system tells. Linux shows the files of processes that this
 * one may see. Windows shows a program that does not share the file. Elsewhere nothing is known, and the answer is false.
 *
 * @param file device and number of the opened file
 */
export async function isBeingWritten(place: Buffer, file: { dev: number; ino: number }): Promise<boolean> {
  if (process.platform === 'linux') return isOpenOnLinux(file);
  if (process.platform === 'win32') return isHeldOnWindows(place);
  return false;
}

async function isOpenOnLinux({ dev, ino }: { dev: number; ino: number }): Promise<boolean> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    if (pid === String(process.pid)) continue;
    // Processes end meanwhile, and those of others cannot be looked at.
    const numbers = await readdir(`/proc/${pid}/fd`).catch(() => []);
    for (const number of numbers) {
      const found = await stat(`/proc/${pid}/fd/${number}`).catch(() => undefined);
      if (found?.ino !== ino || found.dev !== dev) continue;
      const info = await readFile(`/proc/${pid}/fdinfo/${number}`, 'utf8').catch(() => '');
      const flags = Number.parseInt(/^flags:\s*([0-7]+)/m.exec(info)?.[1] ?? '0', 8);
      if ((flags & writing) !== 0) return true;
    }
  }
  return false;
}

/** To open the file for writing changes nothing, and fails with a sharing violation while its writer does not share it. */
async function isHeldOnWindows(place: Buffer): Promise<boolean> {
  try {
    await (await open(place, 'r+')).close();
    return false;
  } catch (error) {
    // Without the right to write nothing is known.
    return (error as NodeJS.ErrnoException).code === 'EBUSY';
  }
}
