import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isServiceError, type ServiceError } from '@lab/contracts';
import { maxDepth, parseJsonBody } from '../../src/http/json-body.js';
import { jsonFaultOffset } from '../../src/http/json-position.js';

function failure(body: string | Buffer): ServiceError {
  try {
    parseJsonBody(typeof body === 'string' ? Buffer.from(body) : body);
  } catch (error) {
    if (isServiceError(error)) return error;
    throw error;
  }
  throw new Error('the body was taken');
}

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

describe('the place of a fault in JSON', () => {
  it('is found exactly for texts that JSON.parse refuses, and for no other', () => {
    const almostJson = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '}', ']', '"', ':', '\\', '\u0001', '-', '1e'))
        .map(
          ([text, at, cut]) =>
            text.slice(0, at % (text.length + 1)) + cut + text.slice((at % (text.length + 1)) + 1),
        ),
      fc
        .array(fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '1', '-0.5e3', 'true', 'nul', ' '))
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(almostJson, (text) => {
        let valid = true;
        try {
          JSON.parse(text);
        } catch (error) {
          expect(error).toBeInstanceOf(SyntaxError);
          valid = false;
        }
        expect(jsonFaultOffset(text) === undefined).toBe(valid);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['{"a": 1,}', 8],
    ['{"a" 1}', 5],
    ['[1, 2', 5],
    ['', 0],
    ['{"a": "x\ny"}', 8],
    ['{"a": "\\u12g4"}', 11],
    ['[tru]', 4],
    ['[01]', 2],
    ['{} {}', 3],
    ["{'a': 1}", 1],
  ])('in %j is offset %i', (text, offset) => {
    expect(jsonFaultOffset(text)).toBe(offset);
  });

  it('is found in deep and long texts without exhausting the stack', () => {
    expect(jsonFaultOffset('['.repeat(500_000))).toBe(500_000);
    expect(jsonFaultOffset(`"${'x'.repeat(1_000_000)}`)).toBe(1_000_002 - 1);
  });
});

describe('a JSON body', () => {
  it('without content has no value', () => {
    expect(parseJsonBody(Buffer.alloc(0))).toBeUndefined();
  });

  it('is any JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = JSON.stringify(value);
        if (/\\u0000|\\ud[89a-f]|__proto__|constructor/.test(text)) return;
        expect(parseJsonBody(Buffer.from(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('is refused with line and column when it is malformed', () => {
    const error = failure('{\n  "a": 1,\n}');
    expect(error.code).toBe('malformed_json');
    expect(error.message).toContain('line 3, column 1');
  });

  it('is refused when it is not UTF-8', () => {
    expect(failure(Buffer.from([0x22, 0xff, 0x22])).code).toBe('malformed_json');
  });

  it.each([
    ['{"a": {"__proto__": {"x": 1}}}', 'a.__proto__', 'forbidden_key'],
    ['{"constructor": 1}', 'constructor', 'forbidden_key'],
    ['{"a": ["ok", "x\\u0000"]}', 'a[1]', 'unusable_text'],
    ['{"a": "\\ud800"}', 'a', 'unusable_text'],
    ['{"a": {"\\u0000": 1}}', 'a.\ufffd', 'unusable_text'],
    ['{"a": 1e999}', 'a', 'number_out_of_range'],
    [nested(maxDepth + 1), '[0]'.repeat(maxDepth), 'too_deep'],
  ])('%j is refused at the path of the value that cannot be stored', (body, path, code) => {
    const error = failure(body);
    expect(error.code).toBe('invalid');
    expect(error.faults).toContainEqual(expect.objectContaining({ path, code }));
  });

  it('may be nested up to the limit', () => {
    expect(parseJsonBody(Buffer.from(nested(maxDepth)))).toBeInstanceOf(Array);
  });

  it('with a megabyte of brackets is refused without a crash', () => {
    expect(failure(nested(500_000)).faults[0]?.code).toBe('too_deep');
  });

  it('with thousands of faults lists a bounded number of them', () => {
    const body = JSON.stringify(Array.from({ length: 5_000 }, () => 'x\u0000'));
    expect(failure(body).faults.length).toBeLessThanOrEqual(20);
  });
});
