import { describe, expect, it } from 'vitest';
import { parseYaml } from '../../src/documents/yaml.js';

const faults = (text: string): string[] => {
  const parsed = parseYaml(text);
  return parsed.ok ? [] : parsed.faults.map(({ path, code }) => [...path, code].join(' '));
};

describe('hostile documents', () => {
  const bomb = ['a0: &a0 [1,1,1,1,1,1,1,1,1,1]']
    .concat(
      Array.from({ length: 8 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(6).fill(`*a${i}`).join(',')}]`),
    )
    .join('\n');
  it.each([
    ['an alias bomb', bomb, 'too_large'],
    ['many aliases', `a: &a 1\nb: [${Array(200).fill('*a').join(',')}]`, 'yaml_syntax'],
    ['an anchor within itself', 'a: &x [*x]', 'a 0 alias_cycle'],
    ['deep flow nesting', '['.repeat(100_000), 'too_deep'],
    ['deep block nesting', `${'- '.repeat(5_000)}a`, 'too_deep'],
    [
      '20,000 keys in a block',
      Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`).join('\n'),
      'too_many_keys',
    ],
    [
      '20,000 keys in a flow',
      `{${Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`).join(',')}}`,
      'too_many_keys',
    ],
    ['a prototype as key', '__proto__: {x: 1}', '__proto__ reserved_key'],
    ['a key of a mapping', '? {a: 1}\n: 2', 'yaml_syntax'],
    ['an unknown tag', 'a: !!js/function "x"', 'yaml_syntax'],
    ['half a surrogate pair', 'a: "\\ud800"', 'a bad_text'],
    ['a null character', 'a: "\\0"', 'a bad_text'],
    ['a null byte as it is', 'a: "x\0y"', 'yaml_syntax'],
    ['a tab as indentation', 'a:\n\tb: 1', 'yaml_syntax'],
    ['a byte order mark within', 'a: 1\n\uFEFFb: 2\n\uFEFFb: 3', '\uFEFFb duplicate_key'],
    ['numbers that JSON cannot carry', 'a: .inf\nb: .nan\nc: 9007199254740993', 'a number_range'],
  ])('%s end in a clear fault within 2 s', (_name, text, expected) => {
    const before = performance.now();
    expect(faults(text)[0]).toBe(expected);
    expect(performance.now() - before).toBeLessThan(2_000);
  });
});

describe('odd but harmless documents', () => {
  it.each([
    ['carriage returns', 'a: 1\r\nb: [x,\r\n y]\r\n', { a: 1, b: ['x', 'y'] }],
    [
      'merge keys, which are keys like any other',
      'a: &a {x: 1}\nb:\n  <<: *a\n',
      { a: { x: 1 }, b: { '<<': { x: 1 } } },
    ],
    ['a huge scalar', `a: ${'x'.repeat(200_000)}`, { a: 'x'.repeat(200_000) }],
    [
      'text from right to left, emoji and characters without width',
      'a: "\u202Eabc\u200B😀"',
      { a: '\u202Eabc\u200B😀' },
    ],
  ])('%s are read within 2 s', (_name, text, expected) => {
    const before = performance.now();
    const parsed = parseYaml(text);
    expect(parsed.ok ? parsed.document.value : parsed.faults).toEqual(expected);
    expect(performance.now() - before).toBeLessThan(2_000);
  });
});

describe('parseYaml', () => {
  it('finds every duplicate key', () => {
    expect(faults('a: 1\nb: {x: 1, x: 2}\na: 2')).toEqual(['b x duplicate_key', 'a duplicate_key']);
  });

  it('needs one document that is not empty', () => {
    expect(faults('# nothing\n')).toEqual(['empty_file']);
    expect(faults('a: 1\n---\nb: 1')).toEqual(['many_documents']);
  });

  it('reads the core schema: dates stay text, yes is not a boolean, and octal is written 0o', () => {
    const parsed = parseYaml('d: 2026-01-01\ny: yes\no: 0o17\nn: ~\nt: true\nq: "1"');
    expect(parsed.ok && parsed.document.value).toEqual({
      d: '2026-01-01',
      y: 'yes',
      o: 15,
      n: null,
      t: true,
      q: '1',
    });
  });

  it('knows the positions of keys and values in blocks, flows, quotes and aliases', () => {
    const text = 'a:\n  b: "q"\n  c: [1, {d: 2}]\n"k": &z !!str 5\nm: *z\n';
    const parsed = parseYaml(text);
    if (!parsed.ok) throw new Error('not parsed');
    const at = (path: (string | number)[], what: 'key' | 'value'): string =>
      text.slice(parsed.document.locate(path, what)).slice(0, 3);
    expect(at(['a', 'b'], 'key')).toBe('b: ');
    expect(at(['a', 'b'], 'value')).toBe('"q"');
    expect(at(['a', 'c', 1, 'd'], 'value')).toBe('2}]');
    expect(at(['a', 'c', 1], 'value')).toBe('{d:');
    expect(at(['k'], 'key')).toBe('"k"');
    expect(at(['m'], 'value')).toBe('*z\n');
    expect(at(['a', 'missing'], 'value')).toBe('a:\n');
  });
});
