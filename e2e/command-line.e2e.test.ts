import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { processEnvironment } from '@lab/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startLab, type Lab } from './lab.js';

/** Types what `docs/guide/command-line.md` shows, in its order, and compares with what it says is printed. */

const root = fileURLToPath(new URL('../', import.meta.url));
const page = readFileSync(join(root, 'docs/guide/command-line.md'), 'utf8');
const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({
  language,
  text,
}));

let folder: string;
let lab: Lab;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-command-line-'));
  const svc = join(folder, 'svc');
  writeFileSync(svc, `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'apps/cli/bin/svc.mjs')}" "$@"\n`);
  chmodSync(svc, 0o755);
  lab = await startLab(['color_lab']);
});
afterAll(async () => {
  await lab?.stack.dispose();
  rmSync(folder, { recursive: true, force: true });
});

async function typed(script: string): Promise<{ code: number; printed: string }> {
  const env = {
    ...processEnvironment(),
    PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}`,
    SVC_URL: lab.stack.url,
  };
  return promisify(execFile)('bash', ['-c', script], { cwd: folder, env }).then(
    ({ stdout, stderr }) => ({ code: 0, printed: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      printed: error.stdout + error.stderr,
    }),
  );
}

/** Whether a line is printed as the page shows it, with anything for `...`. */
function shows(printed: string, line: string): boolean {
  const pattern = line
    .split('...')
    .map((part) => part.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  return new RegExp(pattern, 'm').test(printed);
}

describe('the page about the command line', () => {
  // Each of its commands is a process that starts.
  it('says what the commands do', { timeout: 300_000 }, async () => {
    let last = { code: 0, printed: '' };
    const done = { commands: 0, results: 0 };
    for (const { language, text } of blocks) {
      if (language === 'sh') {
        last = await typed(`set -e\n${text}`);
        // The one refusal of the page is shown with what it prints.
        expect(last.code, `${text}\n${last.printed}`).toBe(text.includes('submit too_much') ? 3 : 0);
        done.commands += 1;
      } else {
        for (const line of text.trim().split('\n'))
          expect(shows(last.printed, line), `${line}\nin\n${last.printed}`).toBe(true);
        done.results += 1;
      }
    }
    expect(done).toEqual({ commands: 9, results: 7 });
    const record = JSON.parse(readFileSync(join(folder, 'paint_again_2.json'), 'utf8')) as object;
    expect(record).toMatchObject({ name: 'paint_again_2', state: 'completed' });
    expect(readFileSync(join(folder, 'spectrum.csv'), 'utf8')).toContain(',');
  });
});
