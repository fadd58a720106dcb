import fc from 'fast-check';
import { repetitions } from '@lab/testkit/scale';
import { describe, expect, it } from 'vitest';
import { assemble } from '../assemble.js';
import { soundPackage } from '../package-fixture.js';
import { parseYaml } from '../../src/documents/yaml.js';

const documents = Object.entries(soundPackage).filter(([file]) => file.endsWith('.yml'));

const junk = fc.constantFrom(
  '',
  'null',
  '[]',
  '{}',
  '[[]]',
  '-1',
  '1e9',
  'true',
  '"\\u0000"',
  'a.mixer',
  'svc_dynamic',
  'constructor',
  '{ref: 5}',
  '{allocation_type: 1}',
  '{lab_name: [], name: {}}',
  '*x',
  '&x [1]',
  '!!set {a}',
  '{{x}}',
  '{{#each',
  '\t',
  'ä.ö',
  '"',
);

/** One edit of a text: a line or a word is removed, doubled, moved or replaced by junk. */
const mutation = fc.tuple(
  fc.constantFrom('dropLine', 'doubleLine', 'swapLines', 'indent', 'word', 'value'),
  fc.nat(),
  fc.nat(),
  junk,
);
type Mutation = [string, number, number, string];

function mutate(text: string, [kind, a, b, replacement]: Mutation): string {
  const lines = text.split('\n');
  const at = a % lines.length;
  const line = lines[at] ?? '';
  if (kind === 'dropLine') lines.splice(at, 1);
  else if (kind === 'doubleLine') lines.splice(at, 0, line);
  else if (kind === 'swapLines') {
    const other = b % lines.length;
    lines[at] = lines[other] ?? '';
    lines[other] = line;
  } else if (kind === 'indent') lines[at] = `  ${line}`;
  else if (kind === 'value') lines[at] = line.replace(/: .*/, `: ${replacement}`);
  else {
    const words = line.split(/\b/);
    words[b % Math.max(1, words.length)] = replacement;
    lines[at] = words.join('');
  }
  return lines.join('\n');
}

/** Odd characters: control, without width, from right to left, half of a pair, private, beyond the first plane. */
const oddities = [
  '\u0000',
  '\u0007',
  '\u200B',
  '\u202E',
  '\uD800',
  '\uE000',
  '\uFEFF',
  '\u0085',
  '\u2028',
  '😀',
  '\r',
  '\t',
];

/** Keys and items of the values of a document, so that one of them can be removed or changed. */
function places(value: unknown): { of: Record<string, unknown>; key: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  const of = value as Record<string, unknown>;
  return Object.keys(of).flatMap((key) => [{ of, key }, ...places(of[key])]);
}

const strangers: unknown[] = [
  null,
  true,
  -1,
  1e300,
  0.5,
  '',
  'x',
  'a.b',
  [],
  [[]],
  {},
  { type: 'x' },
  { ref: 1 },
];

/** One edit of the tree of a document: a key or item is dropped, renamed or doubled, or its value gets another type. */
function mutateTree(text: string, [kind, a, b]: Mutation): string {
  const parsed = parseYaml(text);
  if (!parsed.ok) return text;
  const tree = structuredClone(parsed.document.value);
  const all = places(tree);
  const place = all[a % Math.max(1, all.length)];
  if (!place) return text;
  const { of, key } = place;
  if (kind === 'dropLine') {
    if (Array.isArray(of)) of.splice(Number(key), 1);
    else delete of[key];
  } else if (kind === 'doubleLine') of[Array.isArray(of) ? of.length : `${key}2`] = of[key];
  else of[key] = strangers[b % strangers.length];
  return JSON.stringify(tree, null, 1);
}

/** Runs of the generator; each is a package with one to four edits. */
const numRuns = repetitions(3_000);
/** Longest time for one package, in milliseconds. */
const longest = 2_000;

describe('a damaged package', () => {
  it('leads to diagnostics with a code and a place within 2 s, never to an exception, and no faulty definition is usable', () => {
    expect(assemble({}).diagnostics).toEqual([]);
    const edit = fc.tuple(fc.nat(documents.length - 1), mutation, fc.constantFrom('text', 'tree', 'odd'));
    const edits = fc.array(edit, { minLength: 1, maxLength: 4 });
    let faulty = 0;
    fc.assert(
      fc.property(edits, (list) => {
        const texts: Record<string, string> = Object.fromEntries(documents);
        for (const [index, change, level] of list) {
          const file = documents[index]![0];
          const text = texts[file] ?? '';
          if (level === 'text') texts[file] = mutate(text, change);
          else if (level === 'tree') texts[file] = mutateTree(text, change);
          else {
            const at = change[1] % (text.length + 1);
            texts[file] = text.slice(0, at) + (oddities[change[2] % oddities.length] ?? '') + text.slice(at);
          }
        }
        const before = performance.now();
        const catalog = assemble(texts);
        expect(performance.now() - before).toBeLessThan(longest);
        const broken = new Set<string>();
        for (const { file, line, code, message } of catalog.diagnostics) {
          broken.add(file);
          const lines = (texts[file] ?? '').split('\n').length;
          if (
            !/^[a-z_0-9]+$/.test(code) ||
            message === '' ||
            (line !== null && !(line >= 1 && line <= lines))
          )
            expect({ line, code, message }).toEqual('a code, a message and a line of the file');
        }
        for (const origin of catalog.origins)
          if (origin.sound === broken.has(origin.file))
            expect(origin).toBe('sound exactly when it has no fault');
        if (broken.size > 0) faulty += 1;
      }),
      { numRuns },
    );
    expect(faulty).toBeGreaterThan(numRuns / 2);
  }, 240_000);
});
