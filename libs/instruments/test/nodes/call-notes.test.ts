import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CallNotes } from '../../src/nodes/call-notes.js';
import { fileOf } from '../../src/nodes/given-file.js';

const folder = mkdtempSync(join(tmpdir(), 'notes-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the note of a call', () => {
  it('is there for a later process until the call is over', async () => {
    const note = { action: 'move', action_id: '01' };
    await new CallNotes(folder).keep('lab/task/1', note);
    const later = new CallNotes(folder);
    expect(await later.read('lab/task/1')).toMatchObject(note);
    expect(await later.read('lab/task/2')).toBeUndefined();
    await later.drop('lab/task/1');
    expect(await later.read('lab/task/1')).toBeUndefined();
    await later.keep('a', note);
    await later.clear();
    expect(readdirSync(join(folder, 'calls'))).toEqual([]);
  });

  it('is not lost quietly when the disk refuses it', async () => {
    const taken = join(folder, 'taken');
    writeFileSync(taken, '');
    await expect(new CallNotes(taken).keep('a', {})).rejects.toThrow(/ENOTDIR|EEXIST/);
  });
});

describe('a file that a call gives', () => {
  const allowed = join(folder, 'allowed');
  mkdirSync(allowed);
  writeFileSync(join(allowed, 'p.py'), 'print(1)');
  writeFileSync(join(folder, 'secret'), 'token');
  symlinkSync(join(folder, 'secret'), join(allowed, 'link'));

  it('is a text, bytes, or a path below the folder of such files', async () => {
    const text = async (value: object): Promise<[string, string]> => {
      const { name, bytes } = await fileOf('file', { ...value } as never, allowed);
      return [name, Buffer.from(bytes).toString()];
    };
    expect(await text({ name: '../a.py', text: 'x' })).toEqual(['a.py', 'x']);
    expect(await text({ name: 'b', base64: 'aGk=' })).toEqual(['b', 'hi']);
    expect(await text({ path: 'p.py' })).toEqual(['p.py', 'print(1)']);
  });

  it('never comes from elsewhere', async () => {
    for (const path of ['../secret', 'link', join(folder, 'secret')])
      await expect(fileOf('file', { path }, allowed)).rejects.toThrow(/is not below/);
    await expect(fileOf('file', { path: 'p.py' }, undefined)).rejects.toThrow(/init_parameters\.files first/);
    await expect(fileOf('file', 'p.py', allowed)).rejects.toThrow(/must be a file: \{name, text\}/);
  });
});
