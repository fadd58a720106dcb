import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { processEnvironment } from '@lab/runtime';
import { withoutPython } from '@lab/testkit/python';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually, isOver } from './api.js';
import { startLab, type Lab } from './lab.js';

/** Follows the pages about the first device from an empty folder, and compares the results with the pages. */

const root = fileURLToPath(new URL('../', import.meta.url));

interface Block {
  language: string;
  text: string;
}

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, 'docs/guide', page), 'utf8');
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = '', content = '']) => ({
    language,
    text: content,
  }));
}

const pages = [
  {
    page: 'first-device.md',
    lab: 'demo_lab',
    expected: { files: 4, commands: 7, results: 5 },
  },
  ...(withoutPython()
    ? []
    : [
        {
          page: 'first-device-python.md',
          lab: 'py_demo_lab',
          expected: { files: 4, commands: 7, results: 5 },
        },
      ]),
];

let folder: string;
let lab: Lab | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-tutorial-'));
  mkdirSync(join(folder, 'bin'));
  symlinkSync(join(root, 'apps/cli/bin/svc.mjs'), join(folder, 'bin/svc'));
});
afterEach(async () => {
  await lab?.stack.dispose();
  lab = undefined;
  rmSync(folder, { recursive: true, force: true });
});

/** The output of a shell, with any exit code. */
async function run(script: string): Promise<string> {
  const env = {
    ...processEnvironment(),
    PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`,
  };
  const address = lab?.stack.url ?? 'http://127.0.0.1:8070';
  const text = script.replaceAll('http://127.0.0.1:8070', address);
  const work = promisify(execFile)('sh', ['-c', text], { cwd: folder, env, timeout: 60_000 });
  const { stdout, stderr } = await work.catch((error: unknown) => {
    if (
      error instanceof Error &&
      'stdout' in error &&
      'stderr' in error &&
      'code' in error &&
      error.code === 1
    )
      return { stdout: String(error.stdout), stderr: String(error.stderr) };
    throw error;
  });
  return stdout + stderr;
}

describe('the first device', () => {
  it.each(pages)(
    'is created, checked, started and used as $page says',
    async ({ page, lab: name, expected }) => {
      let printed = '';
      let last = '';
      const done = { files: 0, commands: 0, results: 0 };
      for (const { language, text } of blocksOf(page)) {
        const path = /^(?:#|\/\/) (packages\/\S+)\n/.exec(text)?.[1];
        if (path !== undefined) {
          mkdirSync(dirname(join(folder, path)), { recursive: true });
          writeFileSync(join(folder, path), text.slice(text.indexOf('\n') + 1));
          done.files += 1;
        } else if (language === 'sh') {
          last = text;
          printed = await run(text);
          done.commands += 1;
        } else if (text.startsWith('svc start --user-dir packages')) {
          lab = await startLab([name], { userDir: join(folder, 'packages') });
        } else if (last.includes('/api/protocols/first_dispensing')) {
          const stack = lab;
          if (stack === undefined) throw new Error('the page reads a run before it starts the service');
          const over = await eventually(() => stack.api.run('first_dispensing'), isOver);
          expect([over.state, over.reason]).toEqual(['completed', null]);
          expect(await run(last)).toContain(text.trim());
          done.results += 1;
        } else {
          expect(printed).toContain(text.trim());
          done.results += 1;
        }
      }
      expect(done).toEqual(expected);
    },
  );
});
