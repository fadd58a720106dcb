import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The repository, with a slash at the end. */
export const root = fileURLToPath(new URL('../../', import.meta.url));
export const guide = 'docs/guide';

/** Markdown pages below a folder of the repository, relative to the repository. */
export function pagesIn(folder: string): string[] {
  return readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`);
}

export const textOf = (page: string): string => readFileSync(`${root}${page}`, 'utf8');

export interface Block {
  page: string;
  /** Of its opening fence, from 1. */
  line: number;
  /** Everything behind the opening fence. */
  language: string;
  /** With the first line, which says what the block is; ends with a line feed. */
  text: string;
  /** What its first line says it is: a path in the user directory. */
  path: string | undefined;
  /** Name of the module that its first line says it is, which stands on its own. */
  example: string | undefined;
  /** What its first line says it is a part of. */
  fragmentOf: string | undefined;
}

/** Every fenced block of a page, also indented ones and those that no fence ends. */
export function blocksOf(page: string, text: string): Block[] {
  const blocks: Block[] = [];
  let open: { line: number; fence: string; language: string; lines: string[] } | undefined;
  const close = (): void => {
    if (open === undefined) return;
    const { line, language, lines } = open;
    const first = lines[0] ?? '';
    blocks.push({
      page,
      line,
      language,
      text: lines.map((each) => `${each}\n`).join(''),
      path: /^(?:#|\/\/) ([\w-]+(?:\/[\w.-]+)+\.(?:yml|ts))$/.exec(first)?.[1],
      example: /^\/\/ example ([\w-]+\.ts)$/.exec(first)?.[1],
      fragmentOf: /^(?:#|\/\/) fragment of (\S.*)$/.exec(first)?.[1],
    });
    open = undefined;
  };
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^\s*(`{3,}|~{3,})(.*)$/.exec(line);
    if (open === undefined) {
      if (fence)
        open = { line: index + 1, fence: fence[1] ?? '', language: fence[2]?.trim() ?? '', lines: [] };
    } else if (fence?.[1]?.startsWith(open.fence) && fence[2]?.trim() === '') close();
    else open.lines.push(line);
  }
  close();
  return blocks;
}

export const guidePages = pagesIn(guide);
export const guideBlocks = guidePages.flatMap((page) => blocksOf(page, textOf(page)));

/** The blocks that are files of the user directory. */
export const guideFiles = guideBlocks.filter(
  (block): block is Block & { path: string } => block.path !== undefined,
);

/** The blocks that are modules on their own, by name. */
export const guideExamples = new Map(
  guideBlocks.flatMap(({ example, text }) => (example === undefined ? [] : [[example, text]])),
);
