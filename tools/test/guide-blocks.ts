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
  /** Line of the opening fence, from 1. */
  line: number;
  /** The text after the opening fence. */
  language: string;
  /** The content with the first line, which declares the kind of the block. It ends with a line feed. */
  text: string;
  /** The path in the user directory that the first line declares. */
  path: string | undefined;
  /** Name of the independent module that the first line declares. */
  example: string | undefined;
  /** The file of which the block is a part, as the first line declares. */
  fragmentOf: string | undefined;
}

/** Every fenced block of a page, also indented ones and unclosed ones. */
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
      path: /^(?:#|\/\/) ([\w-]+(?:\/[\w.-]+)+\.(?:yml|ts|py))$/.exec(first)?.[1],
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

/** The blocks that are independent modules, by name. */
export const guideExamples = new Map(
  guideBlocks.flatMap(({ example, text }) => (example === undefined ? [] : [[example, text]])),
);
