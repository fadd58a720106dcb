import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { lackOfRoom } from '../../src/process/disk-room.js';

it('a disk with room, or a folder that does not exist, lacks nothing', async () => {
  expect(await lackOfRoom(tmpdir())).toBeUndefined();
  expect(await lackOfRoom(join(tmpdir(), 'svc-no-such-folder', 'postgres'))).toBeUndefined();
});

// The file system of processes never has a free block.
it.runIf(process.platform === 'linux')('a full disk is named with its computer', async () => {
  expect(await lackOfRoom('/proc', 'bench_c')).toBe(
    'the disk of computer bench_c is full (0 MiB are free, 16 MiB are needed)',
  );
});
