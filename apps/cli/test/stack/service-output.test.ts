import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { serviceOutput } from '../../src/stack/service-output.js';

const folder = mkdtempSync(join(tmpdir(), 'service-output-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What a person sees of one log line. */
function shown(entry: object): string[] {
  const lines: string[] = [];
  const output = serviceOutput(join(folder, 'agent.log'), (text) => lines.push(text));
  output.line(JSON.stringify(entry), 'stdout');
  output.close();
  return lines;
}

describe('a warning of a service on the terminal', () => {
  it.each([
    [{ computer: 'bench_a', device: 'lab.arm', lab: 'lab' }, 'lab.arm: moved'],
    [{ computer: 'bench_a', task: 'mix_1/carry', attempt: 'a1' }, 'mix_1/carry: moved'],
    [{ computer: 'bench_a', state: 'suspect' }, 'bench_a: moved'],
    [{ devices: ['lab.arm idle'] }, 'moved'],
  ])('names the device, the task or the computer of %o', (fields, line) => {
    expect(shown({ level: 'warn', msg: 'moved', ...fields })).toEqual([line]);
  });

  it('says that it is an error, and why', () => {
    const error = { message: 'no port' };
    expect(shown({ level: 'error', msg: '_initialize failed', device: 'lab.arm', error })).toEqual([
      'error: lab.arm: _initialize failed: no port',
    ]);
  });

  it('leaves out what is no warning', () => {
    expect(shown({ level: 'info', msg: 'ready', device: 'lab.arm' })).toEqual([]);
  });
});
