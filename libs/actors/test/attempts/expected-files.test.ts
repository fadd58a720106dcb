import { ServiceError, type JsonValue } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import type { ArrivedFile, InstrumentFiles } from '../../src/index.js';
import type { TaskScript } from '../../src/testing/index.js';
import { device, task, World } from '../world.js';

const marks = {};
const start = task('a', 'wait', { devices: { reader: {} } });

/** Files of instruments that a test lets arrive. */
class MemoryInstrumentFiles implements InstrumentFiles {
  readonly arrived: ArrivedFile[] = [];
  readonly assigned: string[][] = [];
  fault: ServiceError | undefined;
  looks = 0;

  assign(devices: Parameters<InstrumentFiles['assign']>[0]): void {
    this.assigned.push(devices.map(({ name, files }) => `${name} ${files?.folder ?? '-'}`));
  }

  async next({ known }: Parameters<InstrumentFiles['next']>[0]): Promise<ArrivedFile | undefined> {
    this.looks += 1;
    if (this.fault !== undefined) throw this.fault;
    return this.arrived.find(({ file }) => !known.has(file.handle));
  }

  arrive(id: string): void {
    const file = { handle: `device-file/${id}`, name: `${id}.csv`, size: 3, sha256: id };
    this.arrived.push({ file, ticket: { url: `store:${id}`, headers: {} } });
  }
}

async function world(wait: TaskScript): Promise<{ lab: World; files: MemoryInstrumentFiles }> {
  const files = new MemoryInstrumentFiles();
  const lab = await new World({ tasks: { wait }, devices: [device('reader')], instrumentFiles: files }).up();
  return { lab, files };
}

/** Waits for so many files and returns them. */
const waiting =
  (count: number, timeoutS = 60): TaskScript =>
  async ({ expectFile }) => {
    const files: JsonValue[] = [];
    for (let n = 0; n < count; n += 1) files.push((await expectFile('reader', '*.csv', timeoutS)) ?? null);
    return { output_parameters: { files } };
  };

describe('a task that waits for a file of an instrument', () => {
  it('gets a copy in its own folder when the file has arrived', async () => {
    const { lab, files } = await world(waiting(1));
    await lab.agent.startTask(start, marks);
    await lab.time.advance(5_000);
    expect(lab.outcome('a')).toBeUndefined();
    files.arrive('one');
    await lab.time.advance(2_000);
    expect(lab.orchestrator.results[0]?.outcome).toMatchObject({
      kind: 'completed',
      output_parameters: {
        files: [
          {
            name: 'one.csv',
            size: 3,
            sha256: 'one',
            media_type: 'text/csv',
            path: '/spool/a/device-file/one',
          },
        ],
      },
    });
    expect(lab.files.placed).toEqual([{ attemptId: 'a', handle: 'device-file/one', url: 'store:one' }]);
  });

  it('gets another file with each call, the oldest first', async () => {
    const { lab, files } = await world(waiting(2));
    files.arrive('one');
    files.arrive('two');
    await lab.agent.startTask(start, marks);
    await lab.time.advance(5_000);
    expect(lab.files.placed.map(({ handle }) => handle)).toEqual(['device-file/one', 'device-file/two']);
  });

  it('waits on while the service or the store is away', async () => {
    const { lab, files } = await world(waiting(1));
    files.fault = new ServiceError('disconnected', 'no broker');
    await lab.agent.startTask(start, marks);
    await lab.time.advance(10_000);
    files.fault = undefined;
    lab.files.fault = new ServiceError('service_unavailable', 'no store');
    files.arrive('one');
    await lab.time.advance(10_000);
    expect(lab.outcome('a')).toBeUndefined();
    lab.files.fault = undefined;
    await lab.time.advance(2_000);
    expect(lab.outcome('a')).toBe('completed');
  });

  it('fails when no file came in time, and the message names the pattern and the last trouble', async () => {
    const { lab, files } = await world(waiting(1, 3));
    files.fault = new ServiceError('disconnected', 'no broker');
    await lab.agent.startTask(start, marks);
    await lab.time.advance(4_000);
    expect(lab.orchestrator.results[0]?.outcome).toMatchObject({
      kind: 'failed',
      error: {
        message: 'no file *.csv came for this task within 3 s; the last look failed: no broker',
      },
    });
  });

  it('fails at once when no file can ever come', async () => {
    const { lab, files } = await world(waiting(1));
    files.fault = new ServiceError('invalid', 'the device lab.reader has no files in lab.yml');
    await lab.agent.startTask(start, marks);
    await lab.time.advance(100);
    expect(lab.orchestrator.results[0]?.outcome).toMatchObject({
      kind: 'failed',
      error: { message: 'the device lab.reader has no files in lab.yml' },
    });
    expect(files.looks).toBe(1);
  });

  it('looks no more when the task is cancelled', async () => {
    const { lab, files } = await world(waiting(1));
    await lab.agent.startTask(start, marks);
    await lab.time.advance(2_000);
    await lab.agent.cancelTask('a', 'not wanted', marks);
    await lab.time.advance(60_000);
    const { looks } = files;
    await lab.time.advance(60_000);
    expect(files.looks).toBe(looks);
  });
});

describe('an agent', () => {
  it('learns the folders of its devices, and restarts no device for a change of a folder', async () => {
    const files = new MemoryInstrumentFiles();
    const folder = {
      ...{ folder: '/in', pattern: '*', stable_s: 5, poll_s: 2, max_size_mb: 1, grace_s: 600 },
      ...{ afterwards: 'keep' as const, moved_to: 'taken' },
    };
    const reader = { ...device('reader'), files: folder };
    const lab = await new World({ devices: [reader], instrumentFiles: files }).up();
    lab.agent.assignDevices([{ ...reader, files: { ...folder, folder: '/other' } }], marks);
    await lab.time.advance(10_000);
    expect(files.assigned).toEqual([['reader /in'], ['reader /other']]);
    expect(lab.deviceProcesses.started.get('lab.reader')).toHaveLength(1);
  });
});
