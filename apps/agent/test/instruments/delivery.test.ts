import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError, type InstrumentFolder } from '@lab/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Delivery } from '../../src/instruments/delivery.js';
import { settle } from '../../src/instruments/settle.js';
import { takeFile } from '../../src/instruments/take.js';
import { Bench, MemoryFileService } from './world.js';

let bench: Bench;
let service: MemoryFileService;

beforeEach(async () => {
  bench = await Bench.make();
  service = new MemoryFileService();
});
afterEach(() => bench.dispose());

const delivery = (): Delivery =>
  new Delivery(
    service,
    () => [
      {
        ...{ journal: bench.journal, log: bench.log },
        settle: (taken) => settle(taken, bench.watch.spec, bench.folder),
      },
    ],
    bench.clock,
  );

async function taken(over: Partial<InstrumentFolder>, ...names: string[]): Promise<void> {
  await bench.begin(over);
  for (const name of names) await bench.write(name, `content of ${name}`);
  await bench.after(6);
}

describe('a taken file', () => {
  it('is stored once and its copy removed, and the file stays', async () => {
    await taken({}, 'a.csv', 'b.csv');
    expect(await delivery().round()).toBe(true);
    expect(service.stored.sort()).toEqual(['a.csv', 'b.csv']);
    expect(await bench.copies()).toEqual([]);
    expect((await readdir(bench.folder)).sort()).toEqual(['a.csv', 'b.csv']);
    await bench.begin();
    await bench.after(60);
    await delivery().round();
    expect(service.stored).toHaveLength(2);
  });

  it('waits while the service is away, also through an end of the agent and a version written over it', async () => {
    await taken({}, 'a.csv');
    service.fault = new ServiceError('service_unavailable', 'away');
    expect(await delivery().round()).toBe(false);
    await bench.write('a.csv', 'a later version');
    await bench.begin();
    await bench.after(6);
    service.fault = undefined;
    expect(await delivery().round()).toBe(true);
    expect([...service.bytes.values()].map(String).sort()).toEqual(['a later version', 'content of a.csv']);
  });

  it('is stored once when the answer of the service is lost', async () => {
    await taken({}, 'a.csv');
    service.losesAnswer = true;
    expect(await delivery().round()).toBe(false);
    expect(await delivery().round()).toBe(true);
    expect(service.stored).toEqual(['a.csv']);
  });

  it('does not hold up another one when it fails', async () => {
    await taken({}, 'a.csv', 'b.csv');
    const [first, second] = bench.journal.open.map(({ taken }) => taken);
    await writeFile(bench.journal.copy(first?.copy ?? ''), 'damage');
    expect(await delivery().round()).toBe(false);
    expect(service.stored).toEqual([second?.path]);
  });
});

describe('a stored file', () => {
  it('is removed if the lab says so', async () => {
    await taken({ afterwards: 'delete' }, 'a.csv');
    await delivery().round();
    expect(await readdir(bench.folder)).toEqual([]);
  });

  it('is moved with the folders above it, and replaces nothing', async () => {
    await mkdir(join(bench.folder, 'run'));
    await taken({ afterwards: 'move', pattern: '**/*.csv' }, 'run/a.csv');
    await delivery().round();
    await bench.write('run/a.csv', 'another');
    await bench.after(6);
    await delivery().round();
    const moved = join(bench.folder, 'taken', 'run');
    expect((await readdir(moved)).sort()).toEqual(['a.csv', 'a.csv~2']);
    expect(await readFile(join(moved, 'a.csv~2'), 'utf8')).toBe('another');
    await bench.after(60);
    expect(service.stored).toHaveLength(2);
  });

  it('stays if it was written over meanwhile', async () => {
    await taken({ afterwards: 'delete' }, 'a.csv');
    await bench.write('a.csv', 'a later version');
    await delivery().round();
    expect(await readFile(join(bench.folder, 'a.csv'), 'utf8')).toBe('a later version');
    await bench.after(6);
    await delivery().round();
    expect(await readdir(bench.folder)).toEqual([]);
    expect(service.records.size).toBe(2);
  });

  it('is not moved through a link', async () => {
    await taken({ afterwards: 'move' }, 'a.csv');
    await mkdir(join(bench.root, 'elsewhere'));
    await symlink(join(bench.root, 'elsewhere'), join(bench.folder, 'taken'));
    expect(await delivery().round()).toBe(false);
    expect(await readdir(join(bench.root, 'elsewhere'))).toEqual([]);
    expect((await stat(join(bench.folder, 'a.csv'))).isFile()).toBe(true);
  });
});

describe('the disk of the agent', () => {
  it('gets no copy of a file for which it has no room', async () => {
    await taken({});
    await bench.write('a.csv', 'x');
    const { size, mtimeMs } = await stat(join(bench.folder, 'a.csv'));
    const got = await takeFile(
      { path: 'a.csv', place: Buffer.from(join(bench.folder, 'a.csv')) },
      {
        ...{
          folder: bench.folder,
          version: { size, mtimeMs },
          copy: bench.journal.copy('c'),
          distrusts: false,
        },
        ...{ signal: new AbortController().signal, freeBytes: async () => 64 * 1024 * 1024 },
      },
    );
    expect(got).toMatchObject({ refused: 'later' });
    expect(await bench.copies()).toEqual([]);
  });
});
