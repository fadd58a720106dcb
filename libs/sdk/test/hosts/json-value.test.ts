import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxDepth, maxValueBytes, toJson, toJsonObject } from '../../src/hosts/json-value.js';

describe('toJson', () => {
  it('returns every JSON value unchanged, as a copy', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = JSON.stringify(value);
        if (text.includes('__proto__')) return;
        expect(JSON.stringify(toJson(value, 'it'))).toBe(text);
      }),
    );
    const list = [1];
    expect(toJson(list, 'it')).not.toBe(list);
  });

  it('returns only values that survive JSON, or names the fault', () => {
    fc.assert(
      fc.property(
        fc.anything({ withBigInt: true, withDate: true, withMap: true, withTypedArray: true }),
        (value) => {
          let result;
          try {
            result = toJson(value, 'it');
          } catch (error) {
            expect((error as Error).name).toBe('NotJson');
            return;
          }
          expect(Object.is(result, -0) ? 0 : JSON.parse(JSON.stringify(result))).toEqual(
            JSON.parse(JSON.stringify(result)),
          );
        },
      ),
    );
  });

  it('omits undefined properties', () => {
    expect(toJson({ a: undefined, b: 1 }, 'it')).toEqual({ b: 1 });
  });

  it('permits the same object twice when it does not contain itself', () => {
    const shared = { a: 1 };
    expect(toJson([shared, shared], 'it')).toEqual([{ a: 1 }, { a: 1 }]);
  });

  it.each([
    [[1, undefined], 'it[1] is undefined'],
    [{ a: { b: () => 1 } }, 'it.a.b is a function'],
    [{ a: 1n }, 'it.a is a bigint'],
    [Number.POSITIVE_INFINITY, 'it is Infinity'],
    [new Date(0), 'it is a Date object'],
    [new Uint8Array(2), 'it is a Uint8Array object'],
    [JSON.parse('{"__proto__": 1}'), 'it has a property named __proto__'],
  ])('refuses %o and names the place', (value, text) => {
    expect(() => toJson(value, 'it')).toThrow(text);
  });

  it('refuses a circular value', () => {
    const circle: { list: unknown[] } = { list: [] };
    circle.list.push(circle);
    expect(() => toJson(circle, 'it')).toThrow('it.list[0] contains itself');
  });

  it('refuses values above the depth limit, and accepts values at the limit', () => {
    const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
    expect(() => toJson(nested(maxDepth + 1), 'it')).toThrow(`is nested deeper than ${maxDepth} levels`);
    expect(toJson(nested(maxDepth), 'it')).toEqual(nested(maxDepth));
  });

  it('counts the size in bytes, not characters', () => {
    expect(toJson('x'.repeat(maxValueBytes - 2), 'it')).toHaveLength(maxValueBytes - 2);
    expect(() => toJson('ü'.repeat(maxValueBytes / 2), 'it')).toThrow(`it is ${maxValueBytes + 2} bytes`);
  });

  it('refuses values that a database cannot store only on request', () => {
    expect(toJson('a\u0000', 'it')).toBe('a\u0000');
    expect(() => toJson({ a: '\u0000' }, 'it', { storable: true })).toThrow(
      'it.a holds the character U+0000',
    );
    expect(() => toJson('\ud800', 'it', { storable: true })).toThrow('half a surrogate pair');
  });
});

describe('toJsonObject', () => {
  it.each([[[]], [null], ['text'], [new Map()]])('refuses %o', (value) => {
    expect(() => toJsonObject(value, 'it')).toThrow('it must be a plain object');
  });
});
