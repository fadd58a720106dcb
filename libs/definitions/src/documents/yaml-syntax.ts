/** Explains errors of the YAML parser to the author of the file. */

export interface SyntaxFault {
  message: string;
  hint?: string;
  /** Where the author has to look. It can be before the place at which the parser gave up. */
  offset: number;
}

/** Text of a line without its line break, and the offset at which it begins. */
interface Line {
  text: string;
  start: number;
}

/** Characters of the author's text that a hint repeats. */
const longestExample = 80;

/** Errors that need no look at the text. The first whose words occur in the reason applies. */
const known: readonly (readonly [reason: string, message: string, hint: string])[] = [
  ['tab characters', 'a tab is used for indentation', 'indent with spaces'],
  [
    'a line break is expected',
    'text follows "|" or ">" on the same line',
    'put a value that begins with "|" or ">" in quotes, or begin its text on the next line',
  ],
  [
    'unknown escape sequence',
    'a backslash in double quotes begins an escape sequence that YAML does not have',
    'use single quotes, or write \\\\ for each backslash',
  ],
  [
    'unidentified alias',
    'a value that begins with "*" refers to an anchor, and there is no such anchor',
    'put the value in quotes',
  ],
  [
    'unknown scalar tag',
    'a value that begins with "!" is a tag, and there is no such tag',
    'put the value in quotes',
  ],
  [
    'complex keys',
    'a list or a mapping is used as a key',
    'put a value that begins with "{" or "[" in quotes, and keep keys plain texts',
  ],
];

/**
 * @param reason the error of the parser
 * @param offset where the parser gave up
 */
export function explainSyntax(reason: string, text: string, offset: number): SyntaxFault {
  const simple = known.find(([words]) => reason.includes(words));
  if (simple !== undefined) return { message: simple[1], hint: simple[2], offset };
  const fault = { message: reason, offset };
  if (/document separator is expected|multiline key/.test(reason))
    return lineWithoutKey(text, offset) ?? fault;
  if (/deficient indentation|unexpected end of the (stream|document) within/.test(reason))
    return unclosed(text, offset) ?? fault;
  if (reason.includes('missed comma')) {
    return {
      message: 'a comma is missing between two entries, or a value with a colon has no quotes',
      hint: 'write a comma between the entries, or put the value in quotes',
      offset,
    };
  }
  return reason.includes('bad indentation') ? misplaced(text, offset) : fault;
}

/** The parser takes a line without a key for the beginning of the next key, and gives up there. */
function lineWithoutKey(text: string, offset: number): SyntaxFault | undefined {
  const lines = linesBefore(text, offset);
  const [above] = lines;
  const here = lineAt(text, offset).text.trim();
  if (above === undefined) return undefined;
  const content = above.text.trim();
  const at = above.start + above.text.indexOf(content);
  if (content.startsWith('- ') !== here.startsWith('- ')) {
    return {
      message: 'a list and keys are at the same level',
      hint: 'indent the list below the key to which it belongs',
      offset,
    };
  }
  if (/:(\s|$)/.test(content)) return undefined;
  const short = content.length > longestExample ? '' : content;
  const [, key, value] = /^([\w.-]+)(?::\s*|\s+|$)([\w.'"-].*)?$/.exec(short) ?? [];
  const example = key === undefined ? 'KEY: VALUE' : value === undefined ? `${key}:` : `${key}: ${value}`;
  return {
    message: 'the line has no colon with a space after it, so it has no key',
    hint: `write ${example}`,
    offset: at,
  };
}

const closing: Readonly<Record<string, string>> = { '[': ']', '{': '}', '"': '"', "'": "'" };

/** The bracket or quote nearest before the offset that its line opens and does not close. */
function unclosed(text: string, offset: number): SyntaxFault | undefined {
  for (const { text: line, start } of [lineAt(text, offset), ...linesBefore(text, offset)]) {
    const open: { mark: string; index: number }[] = [];
    for (const [index, mark] of line.split('').entries()) {
      const last = open.at(-1);
      if (last !== undefined && mark === closing[last.mark]) open.pop();
      else if (last?.mark !== '"' && last?.mark !== "'" && opens(line, index)) open.push({ mark, index });
    }
    const first = open[0];
    if (first === undefined || start + first.index >= offset) continue;
    return {
      message: `the ${first.mark} is not closed`,
      hint: `write ${closing[first.mark]} at the end of the value; indent the lines of a value that has several`,
      offset: start + first.index,
    };
  }
  return undefined;
}

/** A quote inside a word is an apostrophe. */
function opens(line: string, index: number): boolean {
  const mark = line[index] ?? '';
  if (mark === '"' || mark === "'") return /^$|[\s[{,]/.test(line[index - 1] ?? '');
  return mark in closing;
}

/** The parser reports much as bad indentation that is something else. */
function misplaced(text: string, offset: number): SyntaxFault {
  const line = lineAt(text, offset);
  const mark = text[offset] ?? '';
  const before = line.text.slice(0, offset - line.start);
  const [, key = 'key', value = ''] = /^\s*(?:- )?([^:]+):\s+(.*)$/.exec(line.text) ?? [];
  if (['@', '%', '`'].includes(mark))
    return { message: `a value cannot begin with ${mark}`, hint: 'put the value in quotes', offset };
  if (/:\s+["']/.test(before)) {
    return {
      message: 'text follows the quote that ends the value',
      hint: 'put one pair of quotes around the whole value, and double a single quote inside single quotes',
      offset,
    };
  }
  if (mark === ':' && /:\s/.test(before)) {
    const example = value.length > longestExample ? '' : `: ${key}: ${JSON.stringify(value)}`;
    return {
      message: 'the value has a colon with a space after it, which begins another value',
      hint: `put the value in quotes${example}`,
      offset,
    };
  }
  return {
    message: 'the indentation of the line fits no line above',
    hint: 'give all keys of a mapping, and all entries of a list, the same number of spaces',
    offset: line.start + line.text.search(/\S|$/),
  };
}

function lineAt(text: string, offset: number): Line {
  // A negative position would count as 0, and find a line break there.
  const start = offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', start);
  return { text: text.slice(start, end === -1 ? undefined : end), start };
}

/** The lines above that of the offset, the nearest first, without empty lines and comments. */
function linesBefore(text: string, offset: number): Line[] {
  const lines: Line[] = [];
  for (let start = lineAt(text, offset).start; start > 0;) {
    const line = lineAt(text, start - 1);
    if (!/^\s*(#|$)/.test(line.text)) lines.push(line);
    start = line.start;
  }
  return lines;
}
