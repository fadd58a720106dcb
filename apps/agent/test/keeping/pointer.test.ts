import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { programIn, readPointer, versionsIn, writePointer } from '../../src/keeping/index.js';

let data: string;
beforeEach(() => void (data = mkdtempSync(join(tmpdir(), 'lab-pointer-'))));
afterEach(() => rmSync(data, { recursive: true, force: true }));

it('a pointer is read as it was written, and leaves no draft', () => {
  const pointer = { version: '0.2.0', trial: true, starts: 1, previous: null, installed: '0.1.0' };
  writePointer(data, pointer, 'update');
  expect(readPointer(data)).toEqual(pointer);
  expect(readdirSync(versionsIn(data))).toEqual(['current.json']);
});

it.each([
  ['no file', undefined],
  ['half a file', '{"version": "0.2'],
  ['a path in place of a version', '{"version":"../../etc","trial":false,"starts":0,"previous":null}'],
  ['a version before that is none', '{"version":"0.2.0","trial":false,"starts":0,"previous":7}'],
  ['no number of starts', '{"version":null,"trial":false,"previous":null}'],
])('with %s the installed package runs', (_what, text) => {
  mkdirSync(versionsIn(data));
  if (text !== undefined) writeFileSync(join(versionsIn(data), 'current.json'), text);
  expect(readPointer(data)).toBeUndefined();
});

it('a program of Windows is started without its batch file', () => {
  expect(programIn(data, 'win32')).toBeUndefined();
  mkdirSync(join(data, 'runtime'));
  writeFileSync(join(data, 'runtime', 'node.exe'), '');
  expect(programIn(data, 'win32')).toEqual({
    command: join(data, 'runtime', 'node.exe'),
    args: ['--max-semi-space-size=2', join(data, 'app', 'dist', 'bundle', 'svc-agent.js')],
    env: { SVC_AGENT_LAUNCHER: join(data, 'svc-agent.cmd') },
  });
});

it('a program of Linux is its launcher', () => {
  expect(programIn(data, 'linux')).toBeUndefined();
  writeFileSync(join(data, 'svc-agent'), '');
  expect(programIn(data, 'linux')).toEqual({ command: join(data, 'svc-agent'), args: [], env: {} });
});
