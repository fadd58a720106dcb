import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assemble } from '../../test/assemble.js';
import { soundPackage } from '../../test/package-fixture.js';

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

/** One edit of a text: a line or a word removed, doubled, moved or replaced by junk. */
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

describe('any damaged package', () => {
  it('gives diagnostics with a code and a place, never an exception, and nothing faulty is usable', () => {
    expect(assemble({}).diagnostics).toEqual([]);
    const edits = fc.array(fc.tuple(fc.nat(documents.length - 1), mutation), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(edits, (list) => {
        const texts: Record<string, string> = Object.fromEntries(documents);
        for (const [index, change] of list) {
          const file = documents[index]![0];
          texts[file] = mutate(texts[file] ?? '', change);
        }
        const catalog = assemble(texts);
        for (const diagnostic of catalog.diagnostics) {
          expect(diagnostic.code).toMatch(/^[a-z_0-9]+$/);
          expect(diagnostic.message).not.toBe('');
          const lines = (texts[diagnostic.file] ?? '').split('\n').length;
          if (diagnostic.line !== null) expect(diagnostic.line).toBeLessThanOrEqual(lines);
        }
        const faulty = new Set(catalog.diagnostics.map(({ file }) => file));
        for (const origin of catalog.origins) expect(origin.sound).toBe(!faulty.has(origin.file));
      }),
      { numRuns: 500 },
    );
  }, 60_000);
});
