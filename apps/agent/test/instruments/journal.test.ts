import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryLog } from '@lab/actors/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Journal, type Taken } from '../../src/instruments/journal.js';

let folder: string;
let log: MemoryLog;
let journal: Journal;
const path = (): string => join(folder, 'journal.jsonl');

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'journal-'));
  log = new MemoryLog();
  journal = await Journal.open(folder, log);
});
afterEach(async () => {
  await journal.close();
  await rm(folder, { recursive: true, force: true });
});

async function again(): Promise<void> {
  await journal.close();
  journal = await Journal.open(folder, log);
}

const version = { size: 1, mtimeMs: 1_700_000_000_000.125 };
function taken(name: string): Taken {
  const content = { size: 1, sha256: 'a'.repeat(64), made_ms: 1, modified_ms: 1 };
  const owner = { by: 'nothing' as const };
  return {
    ...{ path: name, copy: name, version },
    file: { id: name, lab: 'lab', device: 'reader', name, path: name, ...content, owner },
  };
}

describe('the journal of a device', () => {
  it('knows after an end of the agent what it knew before', async () => {
    await journal.begin('folder', new Map([['old.csv', version]]));
    await journal.take(taken('a'));
    await journal.take(taken('b'));
    await journal.stored('a');
    await journal.take(taken('c'));
    await journal.done('c', false);
    await again();
    expect(journal.knows('folder')).toBe(true);
    expect(journal.versionOf('old.csv')).toEqual(version);
    expect(journal.open.map(({ taken: { path: name }, stored }) => [name, stored])).toEqual([
      ['a', true],
      ['b', false],
    ]);
    expect(journal.versionOf('c')).toEqual(version);
  });

  it('ignores an entry that was being written when the agent ended, and goes on after the one before', async () => {
    await journal.take(taken('a'));
    await journal.close();
    await appendFile(path(), '{"r":"taken","taken":{"pa');
    journal = await Journal.open(folder, log);
    await journal.take(taken('b'));
    await again();
    expect(journal.open.map(({ taken: { path: name } }) => name)).toEqual(['a', 'b']);
    expect(log.lines).toEqual([]);
  });

  it('says when an entry is damaged, and keeps the others', async () => {
    await journal.take(taken('a'));
    await journal.take(taken('b'));
    await journal.close();
    const lines = (await readFile(path(), 'utf8')).split('\n');
    await writeFile(path(), ['{"r":', ...lines.slice(1)].join('\n'));
    journal = await Journal.open(folder, log);
    expect(journal.open.map(({ taken: { path: name } }) => name)).toEqual(['b']);
    expect(log.lines.map(({ message }) => message).join()).toContain('damaged');
  });

  it('does not know a folder whose list of old files was not finished', async () => {
    await writeFile(path(), '{"r":"watch","key":"folder"}\n{"r":"old","p":"a","s":1,"m":1}\n');
    await again();
    expect(journal.knows('folder')).toBe(false);
  });

  it('forgets the files of another folder', async () => {
    await journal.begin('folder', new Map([['a.csv', version]]));
    await journal.begin('other', new Map());
    expect(journal.versionOf('a.csv')).toBeUndefined();
    expect(journal.knows('folder')).toBe(false);
  });

  it('removes copies that no open file needs, and keeps the others', async () => {
    await journal.take(taken('a'));
    await writeFile(journal.copy('a'), 'x');
    await writeFile(journal.copy('left-over'), 'x');
    await again();
    await expect(readFile(journal.copy('a'), 'utf8')).resolves.toBe('x');
    await expect(readFile(journal.copy('left-over'))).rejects.toThrow('ENOENT');
  });

  it('stays small however often one file is written over', async () => {
    await journal.begin('folder', new Map());
    for (let n = 0; n < 600; n += 1) {
      await journal.take(taken('a'));
      await journal.done('a', false);
    }
    await journal.take(taken('b'));
    await again();
    expect((await readFile(path(), 'utf8')).split('\n').length).toBeLessThan(10);
    expect(journal.knows('folder')).toBe(true);
    expect(journal.open.map(({ taken: { path: name } }) => name)).toEqual(['b']);
  });
});
