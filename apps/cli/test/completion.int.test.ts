import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scripts } from '../src/completion.js';

/** The scripts for the shells, which ask the built command line. */

const cli = fileURLToPath(new URL('../bin/svc.mjs', import.meta.url));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-shells-'));
  writeFileSync(join(folder, 'svc'), `#!/bin/sh\nexec "${process.execPath}" "${cli}" "$@"\n`);
  chmodSync(join(folder, 'svc'), 0o755);
  for (const [shell, script] of Object.entries(scripts)) writeFileSync(join(folder, shell), script);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function ran(shell: string, ...args: string[]): string {
  const path = `${folder}${delimiter}${process.env['PATH'] ?? ''}`;
  return execFileSync(shell, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: path, HOME: folder },
  }).trim();
}

const isThere = (shell: string): boolean => spawnSync(shell, ['-c', ':']).status === 0;

interface Shell {
  shell: keyof typeof scripts;
  /** Loads the script and completes `svc esto`. */
  completes: string;
  /** The words that the shell passes for the typed line; here the words themselves. */
  words: Record<string, string>;
}

const shells: Shell[] = [
  {
    shell: 'bash',
    completes: `eval "$(svc completion bash)"; COMP_WORDS=(svc esto); COMP_CWORD=1; _svc; echo "\${COMPREPLY[@]}"`,
    words: { '"${COMP_WORDS[@]:1:COMP_CWORD}"': 'esto' },
  },
  {
    shell: 'zsh',
    completes:
      'compdef() { :; }; compadd() { shift; print -- "$@"; }; source ./zsh; words=(svc esto); CURRENT=2; _svc',
    words: { '"${(@)words[2,CURRENT]}"': 'esto' },
  },
  {
    shell: 'fish',
    completes: "source ./fish; complete -C 'svc esto'",
    words: { '(commandline -opc)[2..-1] ': '', '"$(commandline -ct)"': 'esto' },
  },
];

/** Checks that brackets outside of comments close in the order in which they were opened. */
function isBalanced(script: string): boolean {
  const open: string[] = [];
  const closes: Record<string, string> = { ')': '(', ']': '[', '}': '{' };
  for (const each of script.replace(/^#.*$/gm, '').replace(/[^()[\]{}]/g, ''))
    if (!(each in closes)) open.push(each);
    else if (open.pop() !== closes[each]) return false;
  return open.length === 0;
}

describe('the script for a shell', () => {
  it.each(shells)('is readable by $shell and completes a command', ({ shell, completes, words }) => {
    if (isThere(shell)) {
      ran(shell, '-n', shell);
      expect(ran(shell, '-c', completes).split(/\s/)).toEqual(['estop']);
    }
    // Runs everywhere, also without the shell: it checks the syntax that all three shells share, and the requests of
    // the script.
    ran('bash', '-n', shell);
    expect(isBalanced(scripts[shell])).toBe(true);
    const asked = Object.entries(words).reduce((text, [filled, word]) => {
      expect(text).toContain(filled);
      return text.replace(filled, word);
    }, scripts[shell]);
    const [command = expect.fail('it asks nothing')] = /svc complete -- \w+/.exec(asked) ?? [];
    expect(ran('bash', '-c', command)).toBe('estop');
  });
});
