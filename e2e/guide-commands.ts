import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { processEnvironment } from '@lab/runtime';

/** Types the blocks of a page of the guide, and compares the output with the page. */

const root = fileURLToPath(new URL('../', import.meta.url));

/** The meaning of the comment above a block; {@link GuideShell.follow} lists the comments. */
type Mark = { notTyped: string } | { exitCode: number } | { stopped: true } | { forExample: true };

interface PageBlock {
  page: string;
  /** Line of the opening fence, from 1. */
  line: number;
  language: string;
  text: string;
  mark: Mark | undefined;
}

/** @throws Error when the comment above a block is unknown */
function blocksOf(page: string): PageBlock[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/(?:^<!-- (.*) -->\n\n?)?^```(\w+)\n([\s\S]*?)^```$/gm)].map((match) => {
    const [whole, words, language = '', content = ''] = match;
    const line = text.slice(0, match.index + whole.indexOf('```')).split('\n').length;
    return { page, line, language, text: content, mark: markOf(words, `${page}:${line}`) };
  });
}

function markOf(words: string | undefined, at: string): Mark | undefined {
  if (words === undefined) return undefined;
  const [, reason] = /^not typed: (\S.*)$/.exec(words) ?? [];
  if (reason !== undefined) return { notTyped: reason };
  const [, code] = /^exit code (\d+)$/.exec(words) ?? [];
  if (code !== undefined) return { exitCode: Number(code) };
  if (words === 'goes on until it is stopped') return { stopped: true };
  if (words === 'for example') return { forExample: true };
  throw new Error(`${at}: "${words}" says nothing about a block`);
}

/** Says whether a printed line matches the page. `...` matches any text; header names match in any case. */
function shows(printed: string, line: string): boolean {
  const pattern = line
    .split('...')
    .map((part) => part.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  return new RegExp(pattern, 'mi').test(printed);
}

export interface GuideShellOptions {
  /** Replacements for text on the page, such as an address. */
  readonly instead: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  /** A token that each `curl` sends, as with `-H @token.header`. */
  readonly token?: string;
  /** A block that is not typed for this reason is typed. */
  readonly despite?: string;
}

interface Printed {
  code: number;
  printed: string;
}

interface Place {
  options: GuideShellOptions;
  /** Page and line. */
  at: string;
  folder: string;
}

/** The result of following a page. */
export interface Followed {
  typed: number;
  /** Number of texts that were compared with the output. */
  compared: number;
  /** Blocks that were not typed, with the reason on the page. */
  left: string[];
}

/** A shell of a reader who follows the guide, with `svc` on the `PATH`. */
export class GuideShell {
  /** The folder of all pages. Each page has its own folder in it, with the name of the page and with `lab-packages`. */
  readonly folder: string;

  constructor() {
    // Inside the repository, so that the imports of an example resolve.
    this.folder = mkdtempSync(join(root, 'e2e', '.guide-'));
    mkdirSync(join(this.folder, 'bin'));
    const svc = join(this.folder, 'bin', 'svc');
    writeFileSync(
      svc,
      `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'apps/cli/bin/svc.mjs')}" "$@"\n`,
    );
    chmodSync(svc, 0o755);
  }

  /** The output of a shell and its exit code. */
  async typed(script: string, { env, token }: GuideShellOptions, cwd = this.folder): Promise<Printed> {
    const home = mkdtempSync(join(this.folder, 'home-'));
    if (token !== undefined)
      writeFileSync(join(home, '.curlrc'), `header = "Authorization: Bearer ${token}"\n`);
    return promisify(execFile)('bash', ['-c', script], {
      cwd,
      env: {
        ...processEnvironment(),
        ...env,
        HOME: home,
        PATH: `${join(this.folder, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`,
      },
    }).then(
      ({ stdout, stderr }) => ({ code: 0, printed: stdout + stderr }),
      (error: { code: number; stdout: string; stderr: string }) => ({
        code: error.code,
        printed: error.stdout + error.stderr,
      }),
    );
  }

  /**
   * Types every `sh` block of a page in order, each in its own shell in the folder of the page, and compares each
   * `text` block with the output of the last one. Modules on the page (`// example NAME.ts`) are written to the folder
   * and run. A comment above a block gives further conditions:
   *
   * - `<!-- not typed: REASON -->`: the block is skipped, and the reason is returned
   * - `<!-- exit code N -->`: the block ends with this code instead of 0
   * - `<!-- goes on until it is stopped -->`: the block is a `curl` that runs until it is interrupted, here after 3 s
   * - `<!-- for example -->`: the text is an example of possible output, not the output of the block above
   *
   * @throws Error at the first block that behaves differently, with the whole output
   */
  async follow(page: string, options: GuideShellOptions): Promise<Followed> {
    const followed: Followed = { typed: 0, compared: 0, left: [] };
    const folder = join(this.folder, basename(page, '.md'));
    mkdirSync(folder);
    symlinkSync(join(root, 'lab-packages'), join(folder, 'lab-packages'));
    let last = { code: 0, printed: '' };
    for (const { line, language, text, mark = {} } of blocksOf(page)) {
      const at = `${page}:${line}`;
      if ('notTyped' in mark && mark.notTyped !== options.despite) {
        followed.left.push(`${at}: ${mark.notTyped}`);
      } else if (language === 'sh') {
        last = await this.#sh(text, { mark, options, at, folder });
        followed.typed += 1;
      } else if (language === 'text' && followed.typed > 0 && !('forExample' in mark)) {
        for (const shown of text.trim().split('\n'))
          if (!shows(last.printed, instead(shown, options)))
            throw new Error(`${at}: "${shown}" is not in\n${last.printed}`);
        followed.compared += 1;
      } else if (language === 'ts') await this.#module(text, { options, at, folder });
    }
    return followed;
  }

  async #sh(text: string, { mark, options, at, folder }: Place & { mark: object }): Promise<Printed> {
    const stopped = 'stopped' in mark;
    const script = stopped ? text.replaceAll('curl ', 'curl --max-time 3 ') : text;
    const last = await this.typed(`set -e\n${instead(script, options)}`, options, folder);
    // 28 is the exit code of curl after its time limit.
    const expected = stopped ? 28 : 'exitCode' in mark ? mark.exitCode : 0;
    if (last.code !== expected)
      throw new Error(
        `${at}: ended with ${last.code}, not with ${String(expected)}\n${text}\n${last.printed}`,
      );
    return last;
  }

  async #module(text: string, { options, at, folder }: Place): Promise<void> {
    const [, name] = /^\/\/ example ([\w-]+\.ts)$/m.exec(text) ?? [];
    if (name === undefined) throw new Error(`${at}: the module has no name`);
    const path = join(folder, name);
    writeFileSync(path, text);
    const before = Object.keys(options.env).map((key) => [key, process.env[key]] as const);
    Object.assign(process.env, options.env);
    try {
      await import(/* @vite-ignore */ path);
    } finally {
      for (const [key, value] of before)
        if (value === undefined) delete process.env[key];
        else process.env[key] = value;
    }
  }

  dispose(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function instead(text: string, { instead: pairs }: GuideShellOptions): string {
  return Object.entries(pairs).reduce((all, [shown, real]) => all.replaceAll(shown, real), text);
}
