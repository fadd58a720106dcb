import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLogFile } from '../../src/process/log-file.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-log-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a log file', () => {
  it('is rotated before it exceeds its size, and a fixed number of older files is kept', () => {
    const path = join(folder, 'logs', 'a.log');
    const file = openLogFile(path, { maxBytes: 10, keep: 2 });
    for (const text of ['one 567', 'two 567', 'three 7', 'four 67']) file.line(text);
    file.close();
    const read = (suffix: string): string => readFileSync(path + suffix, 'utf8');
    expect([read(''), read('.1'), read('.2')]).toEqual(['four 67\n', 'three 7\n', 'two 567\n']);
    expect(existsSync(`${path}.3`)).toBe(false);
  });

  it('continues at the end of an earlier one', () => {
    const path = join(folder, 'a.log');
    for (const text of ['one', 'two']) {
      const file = openLogFile(path);
      file.line(text);
      file.close();
    }
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
  });

  it.runIf(process.platform === 'linux')('loses a line on a full disk, and does not end its process', () => {
    const path = join(folder, 'a.log');
    symlinkSync('/dev/full', path);
    const file = openLogFile(path);
    expect(() => file.line('one')).not.toThrow();
    file.close();
  });
});
