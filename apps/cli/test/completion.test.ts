import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { candidates, scripts } from '../src/completion.js';
import { svcProgram } from '../src/program.js';

const completed = (...words: string[]): string[] => candidates(svcProgram(), words);

describe('completion', () => {
  it('knows commands, subcommands, options, and the allowed values of an argument or option', () => {
    expect(completed('')).toEqual(expect.arrayContaining(['start', 'submit', 'watch', 'estop']));
    expect(completed('')).not.toContain('complete');
    expect(completed('atten')).toEqual(['attention']);
    expect(completed('estop', '')).toEqual(['engage', 'release', 'list']);
    expect(completed('watch', 'p')).toEqual(['protocol']);
    expect(completed('list', 'tasks', '--st')).toEqual(['--state']);
    expect(completed('submit', 'run.yml', '--kind', '')).toEqual(['protocol', 'campaign', 'task']);
    expect(completed('submit', '--name', 'x', '--ki')).toEqual(['--kind']);
  });

  it('leaves names and files to the shell', () => {
    expect(completed('submit', '')).toEqual([]);
    expect(completed('watch', 'protocol', '')).toEqual([]);
    expect(completed('submit', '--url', '')).toEqual([]);
  });
});

describe('the script for bash', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-completion-'));
    writeFileSync(join(folder, 'svc'), '#!/bin/sh\nshift 2\nprintf "%s\\n" "first" "$#:$*"\n');
    chmodSync(join(folder, 'svc'), 0o755);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('sends svc all words up to the typed one and offers its answer', () => {
    const line = `${scripts.bash}
COMP_WORDS=(svc watch protocol "" after); COMP_CWORD=3; _svc; printf '%s\\n' "\${COMPREPLY[@]}"; complete -p svc`;
    const out = execFileSync('bash', ['-c', line], {
      encoding: 'utf8',
      env: { PATH: `${folder}:${process.env['PATH']}` },
    });
    expect(out.trimEnd().split('\n')).toEqual([
      'first',
      '3:watch protocol ',
      'complete -o default -F _svc svc',
    ]);
  });
});
