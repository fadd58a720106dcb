import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Times in which the disk makes an overwrite durable. */
export interface DiskLatency {
  writes: number;
  bytes: number;
  p50_ms: number;
  p99_ms: number;
}

const bytes = 512;
const writes = 200;

/**
 * Repeatedly overwrites the same place of a file beside the ledger, as the ledger does, and removes the file.
 *
 * @param folder a folder on the disk that is measured
 * @throws Error when the file cannot be written
 */
export async function measureDisk(folder: string): Promise<DiskLatency> {
  const path = join(folder, `fdatasync-${process.pid}.tmp`);
  const file = await open(path, 'wx', 0o600);
  try {
    const data = Buffer.alloc(bytes, 1);
    await file.write(data, 0, bytes, 0);
    await file.sync();
    const times: number[] = [];
    for (let n = 0; n < writes; n += 1) {
      const begin = process.hrtime.bigint();
      await file.write(data, 0, bytes, 0);
      await file.datasync();
      times.push(Number(process.hrtime.bigint() - begin) / 1e6);
    }
    times.sort((a, b) => a - b);
    const at = (share: number): number => Math.round((times[Math.ceil(share * writes) - 1] ?? 0) * 1e3) / 1e3;
    return { writes, bytes, p50_ms: at(0.5), p99_ms: at(0.99) };
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}
