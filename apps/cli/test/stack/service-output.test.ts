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

  it('passes errors of nats-server on, except that it refused the check of the service itself', () => {
    const lines: string[] = [];
    const output = serviceOutput(join(folder, 'nats-server.log'), (text) => lines.push(text));
    const refused = (client: string): string =>
      `[7] 2026/11/25 23:57:00.1 [ERR] 127.0.0.1:4 - cid:1 - "v3.4.0:nats.js:${client}" - authentication error`;
    for (const client of ['nobody', 'thief']) output.line(refused(client), 'stderr');
    output.close();
    expect(lines).toEqual([expect.stringContaining('thief') as string]);
  });

  it('leaves out what is no warning', () => {
    expect(shown({ level: 'info', msg: 'ready', device: 'lab.arm' })).toEqual([]);
  });
});
