import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonEqual } from '@lab/ports';
import { checkParameters } from '../../src/model/parameters.js';
import type { ParameterSpec } from '../../src/model/types.js';

const desc = 'd';
const spec = (value: Record<string, unknown>): ParameterSpec => ({ desc, ...value }) as ParameterSpec;
const codes = (one: ParameterSpec, value: unknown): string[] =>
  checkParameters({ p: one }, { p: value }).faults.map(({ path, code }) => `${path} ${code}`);

const int = spec({ type: 'int', unit: 'n/a', min: 1, max: 3 });
const float = spec({ type: 'float', unit: 'ml', min: 0, max: 1.5 });
const choice = spec({ type: 'choice', choices: ['a', 2, null, { k: [1, 2], l: true }] });
const list = spec({ type: 'list', element_type: 'int', length: 2, min: [0, 10], max: [5, 20] });

describe('checkParameters', () => {
  it.each([
    [int, 2],
    [int, 2.0],
    [float, 1],
    [float, 1.5],
    [spec({ type: 'str' }), ''],
    [spec({ type: 'bool' }), false],
    [spec({ type: 'dict' }), { a: [1, null] }],
    [choice, { l: true, k: [1, 2] }],
    [choice, null],
    [list, [5, 10]],
    [spec({ type: 'list', element_type: 'float' }), []],
    [spec({ type: 'list', element_type: 'float', min: [0], max: [1, 2] }), [0.5, -7, 99]],
    [spec({ type: 'list', element_type: 'choice' }), [{ a: 1 }, 'x']],
  ])('accepts under the specification %j: %j', (one, value) => {
    expect(checkParameters({ p: one }, { p: value })).toEqual({ values: { p: value }, faults: [] });
  });

  it.each<[ParameterSpec, unknown, string[]]>([
    [int, true, ['p type']],
    [int, 1.5, ['p type']],
    [int, '2', ['p type']],
    [int, NaN, ['p type']],
    [int, 2 ** 53, ['p type']],
    [int, 0, ['p below_min']],
    [int, 4, ['p above_max']],
    [float, Infinity, ['p type']],
    [float, true, ['p type']],
    [float, null, ['p type']],
    [float, -0.1, ['p below_min']],
    [spec({ type: 'str' }), 1, ['p type']],
    [spec({ type: 'str' }), 'a\0b', ['p type']],
    [spec({ type: 'bool' }), 'true', ['p type']],
    [spec({ type: 'dict' }), [1], ['p type']],
    [spec({ type: 'dict' }), { a: { b: NaN } }, ['p type']],
    [spec({ type: 'dict' }), { a: () => 1 }, ['p type']],
    [choice, 'b', ['p not_a_choice']],
    [choice, { k: [2, 1], l: true }, ['p not_a_choice']],
    [list, 5, ['p type']],
    [list, [1], ['p length']],
    [list, [6, 9], ['p[0] above_max', 'p[1] below_min']],
    [list, [1.5, true], ['p[0] type', 'p[1] type']],
  ])('refuses under the specification %j: %j', (one, value, expected) => {
    expect(codes(one, value)).toEqual(expected);
  });

  it('fills in defaults for missing values and requires the others', () => {
    const specs = { a: spec({ type: 'int', unit: 's', value: 7 }), b: int };
    const { values, faults } = checkParameters(specs, {}, { path: 'parameters.mix' });
    expect(values).toEqual({ a: 7 });
    expect(faults).toEqual([
      {
        path: 'parameters.mix.b',
        code: 'missing_parameter',
        message: 'the parameter "b" is required',
      },
    ]);
  });

  it('lists every fault and suggests a name for an unknown parameter', () => {
    const { faults } = checkParameters({ volume: float, count: int }, { volum: 1, count: 9, toString: 1 });
    expect(faults.map(({ path, code, hint }) => [path, code, hint])).toEqual([
      ['volum', 'unknown_parameter', 'did you mean "volume"?'],
      ['toString', 'unknown_parameter', 'there are count, volume'],
      ['volume', 'missing_parameter', undefined],
      ['count', 'above_max', undefined],
    ]);
  });

  it('answers for any value with the unchanged value or a fault', () => {
    const specs = fc.constantFrom(
      int,
      float,
      choice,
      list,
      spec({ type: 'str' }),
      spec({ type: 'bool' }),
      spec({ type: 'dict' }),
    );
    fc.assert(
      fc.property(specs, fc.anything({ withBigInt: true, withNullPrototype: true }), (one, value) => {
        const { values, faults } = checkParameters({ p: one }, { p: value });
        if (faults.length > 0) {
          expect(values).toEqual({});
          expect(faults.every((fault) => fault.path.startsWith('p') && fault.message !== '')).toBe(true);
        } else if (value !== undefined) {
          expect(Object.is(values['p'], value)).toBe(true);
          // JSON loses the sign of negative zero, and no other number.
          expect(jsonEqual(JSON.parse(JSON.stringify(value)), value)).toBe(true);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('accepts every number within its bounds and none outside', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), fc.integer(), (a, b, value) => {
        const [min, max] = a < b ? [a, b] : [b, a];
        const inside = value >= min && value <= max;
        expect(codes(spec({ type: 'int', unit: 'n/a', min, max }), value)).toHaveLength(inside ? 0 : 1);
      }),
    );
  });
});
