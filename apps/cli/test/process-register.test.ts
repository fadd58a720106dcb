import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ProcessRegister, type StackProcess } from '../src/stack/process-register.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-register-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('a list of processes that cannot be written is warned of and still passed on', () => {
  const passed: string[][] = [];
  const warnings: string[] = [];
  const onChange = (all: readonly StackProcess[]): unknown => passed.push(all.map(({ name }) => name));
  const path = join(folder, 'absent', 'processes.json');
  const register = new ProcessRegister(path, onChange, (text) => warnings.push(text));
  register.add('gateway', 'service', process.pid);
  register.remove(process.pid);
  expect(passed).toEqual([['gateway'], []]);
  expect(warnings).toEqual([
    expect.stringContaining('the list of processes could not be written'),
    expect.stringContaining('the list of processes could not be written'),
  ]);
});

it('the list has the processes that were added and not removed', () => {
  const path = join(folder, 'processes.json');
  const register = new ProcessRegister(
    path,
    () => undefined,
    () => undefined,
  );
  register.add('agent', 'service', process.pid);
  expect(readFileSync(path, 'utf8')).toContain('"name":"agent"');
  register.clear();
  expect(existsSync(path)).toBe(false);
});
