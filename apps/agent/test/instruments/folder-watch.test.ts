import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { link, mkdir, open, rename, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Bench } from './world.js';

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.make();
});
afterEach(() => bench.dispose());

describe('a watched folder', () => {
  it('gives a file once its size and time have not changed for the time of the lab', async () => {
    await bench.begin();
    await bench.write('a.csv', 'one');
    await bench.after(4);
    expect(await bench.got()).toEqual([]);
    await bench.append('a.csv', 'two');
    await bench.after(4);
    expect(await bench.got()).toEqual([]);
    await bench.after(2);
    expect(await bench.got()).toEqual([['a.csv', 'onetwo']]);
    await bench.after(60);
    expect(await bench.got()).toHaveLength(1);
    expect(bench.taken).toBe(1);
  });

  it('gives nothing that was there before the first look, in this process and the next', async () => {
    await bench.write('old.csv', 'old');
    await bench.begin();
    await bench.after(60);
    await bench.begin();
    await bench.after(60);
    expect(await bench.got()).toEqual([]);
    await bench.write('old.csv', 'written again');
    await bench.after(6);
    expect(await bench.got()).toEqual([['old.csv', 'written again']]);
  });

  it('gives what was written while the agent was off', async () => {
    await bench.begin();
    await bench.end();
    await bench.write('meanwhile.csv', 'x');
    await bench.begin();
    await bench.after(6);
    expect(await bench.got()).toEqual([['meanwhile.csv', 'x']]);
  });

  it('gives older files that changed since the moment of the lab', async () => {
    await bench.write('older.csv', 'x');
    await utimes(join(bench.folder, 'older.csv'), new Date('2026-01-01'), new Date('2026-01-01'));
    await bench.write('old.csv', 'x');
    await utimes(join(bench.folder, 'old.csv'), new Date('2026-03-01'), new Date('2026-03-01'));
    await bench.begin({ since: '2026-02-01T00:00:00Z' });
    await bench.after(6);
    expect((await bench.got()).map(([path]) => path)).toEqual(['old.csv']);
  });

  it('gives every version of a file that is written over itself', async () => {
    await bench.begin();
    for (const text of ['first', 'second', 'third!']) {
      await bench.write('result.csv', text);
      await bench.after(6);
    }
    expect((await bench.got()).map(([, text]) => text)).toEqual(['first', 'second', 'third!']);
  });

  it('gives a file that was renamed to its name, and nothing of its name before', async () => {
    await bench.begin();
    await bench.write('~b.tmp', 'whole');
    await bench.after(60);
    expect(await bench.got()).toEqual([]);
    await rename(join(bench.folder, '~b.tmp'), join(bench.folder, 'b.csv'));
    await bench.after(6);
    expect(await bench.got()).toEqual([['b.csv', 'whole']]);
  });

  it('waits for an empty file to get its content', async () => {
    await bench.begin();
    await bench.write('c.csv', '');
    await bench.after(60);
    expect(await bench.got()).toEqual([]);
    await bench.append('c.csv', 'x');
    await bench.after(6);
    expect(await bench.got()).toHaveLength(1);
  });

  it('looks into folders below only as far as the pattern goes, and never into that of moved files', async () => {
    await mkdir(join(bench.folder, 'run_1', 'deep'), { recursive: true });
    await mkdir(join(bench.folder, 'taken'));
    await bench.begin({ pattern: '*/*.csv' });
    for (const name of ['top.csv', 'run_1/a.csv', 'run_1/deep/b.csv', 'taken/c.csv'])
      await bench.write(name, name);
    await bench.after(6);
    expect((await bench.got()).map(([path]) => path)).toEqual(['run_1/a.csv']);
  });

  it('leaves a file alone that is larger than the lab allows, and says so once', async () => {
    await bench.begin();
    await bench.write('large.csv', '');
    await truncate(join(bench.folder, 'large.csv'), 1_000_001);
    await bench.after(6);
    await bench.after(6);
    expect(await bench.got()).toEqual([]);
    const said = bench.log.lines.filter(({ message }) => message.includes('max_size_mb'));
    expect(said).toHaveLength(1);
  });

  it('looks at new files in every round, however many old ones there are', async () => {
    for (let n = 0; n < 1_200; n += 1) await bench.write(`old-${n}.csv`, 'x');
    await bench.begin();
    await bench.write('new.csv', 'x');
    await bench.after(6);
    expect((await bench.got()).map(([path]) => path)).toEqual(['new.csv']);
    await bench.write('old-700.csv', 'again');
    for (let round = 0; round < 3; round += 1) await bench.after(6);
    expect((await bench.got()).map(([path]) => path)).toContain('old-700.csv');
  });
});

describe('a file that is not complete', () => {
  it.runIf(process.platform === 'linux')('is not taken while a program has it open for writing', async () => {
    await bench.begin();
    const path = join(bench.folder, 'slow.csv');
    const script = `const f = require('fs').openSync(process.argv[1], 'w'); require('fs').writeSync(f, 'half'); console.log('open'); setInterval(() => 0, 1e6)`;
    const writer = spawn(process.execPath, ['-e', script, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      await once(writer.stdout, 'data');
      await bench.after(60);
      expect(await bench.got()).toEqual([]);
    } finally {
      writer.kill();
      await once(writer, 'exit');
    }
    await bench.after(1);
    expect(await bench.got()).toEqual([['slow.csv', 'half']]);
  });

  it('is taken although a program reads it', async () => {
    await bench.begin();
    await bench.write('read.csv', 'x');
    const reader = await open(join(bench.folder, 'read.csv'), 'r');
    await bench.after(6);
    await reader.close();
    expect(await bench.got()).toHaveLength(1);
  });
});

describe('the time of a file', () => {
  it('is its creation, and for a file that is written over itself its last change', async () => {
    await bench.begin();
    const made = Date.now();
    await bench.write('a.csv', 'x');
    await bench.after(6);
    await bench.write('a.csv', 'again');
    const at = new Date(Date.now() - 1_000);
    await utimes(join(bench.folder, 'a.csv'), at, at);
    await bench.after(6);
    const [first, second] = bench.journal.open.map(({ taken }) => taken.file);
    expect(Math.abs((first?.made_ms ?? 0) - made)).toBeLessThan(2_000);
    expect(Math.abs((second?.made_ms ?? 0) - at.getTime())).toBeLessThan(2);
  });

  it('is when the agent saw it, if the clock of the share is ahead', async () => {
    await bench.begin();
    await bench.write('a.csv', 'x');
    bench.wallMs -= 3_600_000;
    await bench.after(6);
    expect(bench.journal.open[0]?.taken.file.made_ms).toBe(bench.wallMs - 6_000);
  });
});

describe('the names of files', () => {
  it('find the task by a named group, and belong to nothing without it', async () => {
    await bench.begin({ name: String.raw`^(?<sample_id>S\d+)_` });
    await bench.write('S12_x.csv', 'x');
    await bench.write('other.csv', 'x');
    await bench.after(6);
    const owners = new Map(bench.journal.open.map(({ taken }) => [taken.path, taken.file.owner]));
    expect(owners.get('S12_x.csv')).toEqual({ by: 'name', key: 'sample_id', value: 'S12' });
    expect(owners.get('other.csv')).toEqual({ by: 'nothing' });
  });

  it.runIf(process.platform === 'linux')('may be garbage', async () => {
    await bench.begin({ pattern: '*' });
    await bench.write(Buffer.from([0x62, 0xff, 0xfe, 0x2e, 0x63, 0x73, 0x76]), 'bytes');
    await bench.write('new\nline: a*b?.csv', 'x');
    await bench.write('CON.csv', 'x');
    await bench.after(6);
    const names = bench.journal.open.map(({ taken }) => taken.file.name).sort();
    expect(names).toEqual(['_CON.csv', 'b%FF%FE.csv', 'new_line_ a_b_.csv']);
    expect((await bench.got()).map(([, text]) => text).sort()).toEqual(['bytes', 'x', 'x']);
  });
});

describe('a folder that is not safe', () => {
  it('is refused if the operator of the computer has allowed none', async () => {
    await bench.begin({}, { roots: [] });
    expect(bench.watch.trouble).toMatchObject({ isFinal: true });
    expect(bench.log.lines.map(({ message }) => message).join()).toContain(
      'SVC_INSTRUMENT_FOLDERS of this agent allows no folder',
    );
  });

  it('is refused if a link leads it out of the allowed folders', async () => {
    const outside = await Bench.make();
    await rm(bench.folder, { recursive: true });
    await symlink(outside.folder, bench.folder);
    await bench.begin();
    await outside.dispose();
    expect(bench.watch.trouble?.message).toContain('does not allow');
  });

  it('is tried again if it cannot be reached', async () => {
    await rm(bench.folder, { recursive: true });
    await bench.begin();
    expect(bench.watch.trouble).toMatchObject({ isFinal: false });
    await mkdir(bench.folder);
    await bench.watch.look();
    expect(bench.watch.trouble).toBeUndefined();
    await bench.write('a.csv', 'x');
    await bench.after(6);
    expect(await bench.got()).toHaveLength(1);
  });

  it('gives no file behind a link, whether of a file or of a folder', async () => {
    await bench.begin({ pattern: '**/*.csv' });
    await writeFile(join(bench.root, 'secret.csv'), 'secret');
    await mkdir(join(bench.root, 'secrets'));
    await writeFile(join(bench.root, 'secrets', 'a.csv'), 'secret');
    await symlink(join(bench.root, 'secret.csv'), join(bench.folder, 'link.csv'));
    await symlink(join(bench.root, 'secrets'), join(bench.folder, 'links'));
    await bench.after(6);
    expect(await bench.got()).toEqual([]);
  });

  it('gives no file with a second name if code of another user runs on the computer', async () => {
    await bench.begin({}, { distrusts: true });
    await writeFile(join(bench.root, 'secret'), 'secret');
    await link(join(bench.root, 'secret'), join(bench.folder, 'linked.csv'));
    await bench.write('own.csv', 'x');
    await bench.after(6);
    expect((await bench.got()).map(([path]) => path)).toEqual(['own.csv']);
    expect(bench.log.lines.map(({ message }) => message).join()).toContain('second name');
  });
});
