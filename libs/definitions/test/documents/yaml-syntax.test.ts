import { expect, it } from 'vitest';
import { parseYaml } from '../../src/documents/yaml.js';

/** Line and column, message and hint of the first fault. */
function fault(text: string): string {
  const parsed = parseYaml(text);
  if (parsed.ok) return 'no fault';
  const { offset, message, hint } = parsed.faults[0]!;
  const before = text.slice(0, offset ?? 0);
  return `${before.split('\n').length}:${before.length - before.lastIndexOf('\n')} ${message}; ${hint}`;
}

const noKey = 'the line has no colon with a space after it, so it has no key';
const indentation =
  'the indentation of the line fits no line above; give all keys of a mapping, and all entries of a list, the same number of spaces';
const comma =
  'a comma is missing between two entries, or a value with a colon has no quotes; write a comma between the entries, or put the value in quotes';
const close = 'at the end of the value; indent the lines of a value that has several';
const level = 'a list and keys are at the same level; indent the list below the key to which it belongs';
const quotes =
  'text follows the quote that ends the value; put one pair of quotes around the whole value, and double a single quote inside single quotes';
const block =
  'text follows "|" or ">" on the same line; put a value that begins with "|" or ">" in quotes, or begin its text on the next line';

it.each([
  ['a first line without a colon', 'type oven\ndesc: x\n', `1:1 ${noKey}; write type: oven`],
  ['a colon without a space', 'a: 1\ntype:oven\ndesc: x\n', `2:1 ${noKey}; write type: oven`],
  ['a key alone, above its values', 'type: a\n# all\ndevices\n  b: c\n', `3:1 ${noKey}; write devices:`],
  ['an assignment', 'a = 1\nb: 2\n', `1:1 ${noKey}; write KEY: VALUE`],
  ['a list beside keys', 'a: 1\n- b\n', `2:1 ${level}`],
  [
    'a colon in a text',
    'desc: Less: is better\n',
    '1:11 the value has a colon with a space after it, which begins another value; put the value in quotes: desc: "Less: is better"',
  ],
  ['a list that is not closed', 'labs: [a\ntasks: 1\n', `1:7 the [ is not closed; write ] ${close}`],
  [
    'a mapping that is not closed',
    'x:\n  a: { b: [1]\n  c: 2\n',
    `2:6 the { is not closed; write } ${close}`,
  ],
  ['a text that is not closed', 'a: it\'s\nb: "c\nd: e\n', `2:4 the " is not closed; write " ${close}`],
  ['no comma', 'a: { b: 1 c: 2 }\n', `1:12 ${comma}`],
  ['a key that is indented too far', 'a: 1\n  b: 2\n', `2:3 ${indentation}`],
  ['a key that is indented too little', 'a:\n   b: 1\n  c: 2\n', `3:3 ${indentation}`],
  ['an apostrophe in single quotes', "a: 'it's'\n", `1:8 ${quotes}`],
  ['a tab', 'a:\n\tb: 1\n', '2:1 a tab is used for indentation; indent with spaces'],
  ['a reserved sign', 'a: @b\n', '1:4 a value cannot begin with @; put the value in quotes'],
  ['a comparison', 'a: >= 5\n', `1:5 ${block}`],
  [
    'a path of Windows',
    'a: "C:\\dir"\n',
    '1:8 a backslash in double quotes begins an escape sequence that YAML does not have; use single quotes, or write \\\\ for each backslash',
  ],
])('an author who wrote %s learns where to look and what to write', (_what, text, expected) => {
  expect(fault(text)).toBe(expected);
});

it.each(['\n"a', '\n[a', '\nb\nc: d\n'])('an error below an empty first line is explained: %j', (text) => {
  expect(fault(text)).toMatch(/^2:1 /);
});

it('a line without a key is named within 2 s, and a long one is not repeated', () => {
  const before = performance.now();
  expect(fault(`a${'\n'.repeat(100_000)}b ${'[x '.repeat(30_000)}\nc: d\n`)).toContain(
    `${noKey}; write KEY: VALUE`,
  );
  expect(performance.now() - before).toBeLessThan(2_000);
});
