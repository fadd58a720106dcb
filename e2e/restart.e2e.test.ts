import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually, isOver } from './api.js';
import { startLab } from './lab.js';

/** Accepted work and results survive a restart of the processes. */

let dataDir = '';

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'svc-restart-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const multiply = (name: string) => ({
  name,
  type: 'multiply',
  devices: { multiplier: { lab_name: 'multiplication_lab', name: 'multiplier_a' } },
  input_parameters: { number: 3 },
});

describe('a stack that is stopped and started again', () => {
  it('keeps its records and files and continues with the queued work', async () => {
    const first = await startLab(['multiplication_lab'], { dataDir });
    await first.api.submit('tasks', multiply('kept'));
    const kept = await eventually(() => first.api.task('kept'), isOver);
    await first.api.submit('tasks', {
      name: 'paper',
      type: 'write_file',
      input_parameters: { text: 'kept as well' },
    });
    await eventually(() => first.api.task('paper'), isOver);
    // No agent serves its computer, so this task waits.
    await first.api.submit('tasks', {
      ...multiply('waiting'),
      devices: { multiplier: { lab_name: 'multiplication_lab', name: 'multiplier_b' } },
    });
    expect(await first.stack.stop()).toBe(0);

    const second = await startLab(['multiplication_lab'], { dataDir });
    try {
      expect(await second.api.task('kept')).toEqual(kept);
      const file = await second.api.call<string>('GET', '/api/tasks/paper/files/notes.txt');
      expect(file.body).toBe('kept as well from a path');
      expect((await second.api.task('waiting')).state).toBe('queued');
      await second.withAgent('bench_b');
      expect((await eventually(() => second.api.task('waiting'), isOver)).state).toBe('completed');
    } finally {
      await second.stack.dispose();
    }
  });

  it('starts again after its supervisor was killed and keeps its records', async () => {
    const first = await startLab(['multiplication_lab'], { dataDir });
    await first.api.submit('tasks', multiply('before the kill'));
    const task = await eventually(() => first.api.task('before the kill'), isOver);
    await first.stack.kill();

    const second = await startLab(['multiplication_lab'], { dataDir });
    try {
      expect(await second.api.task('before the kill')).toEqual(task);
      await second.api.submit('tasks', multiply('after the kill'));
      expect((await eventually(() => second.api.task('after the kill'), isOver)).state).toBe('completed');
    } finally {
      await second.stack.dispose();
    }
  });
});
