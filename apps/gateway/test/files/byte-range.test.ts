import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byteRangeOf } from '../../src/files/byte-range.js';

describe('the part of a file that a request asks for', () => {
  it.each([
    ['bytes=0-', { start: 0, end: 9 }],
    ['bytes=2-5', { start: 2, end: 5 }],
    ['bytes=9-9', { start: 9, end: 9 }],
    ['bytes=5-1000', { start: 5, end: 9 }],
    ['bytes=-3', { start: 7, end: 9 }],
    ['bytes=-1000', { start: 0, end: 9 }],
    ['BYTES=1-2', { start: 1, end: 2 }],
    ['bytes=5-2', undefined],
    ['bytes=-', undefined],
    ['bytes=1-2,4-5', undefined],
    ['lines=1-2', undefined],
    ['bytes=a-b', undefined],
    ['', undefined],
  ])('for %j of ten bytes is found', (range, part) =>
    expect(byteRangeOf({ range }, 10, '"a"')).toEqual(part),
  );

  it.each([
    ['bytes=10-', 10],
    ['bytes=10-20', 10],
    ['bytes=-0', 10],
    ['bytes=0-', 0],
    ['bytes=-5', 0],
  ])('for %j of %i bytes is refused', (range, size) => {
    expect(() => byteRangeOf({ range }, size, '"a"')).toThrow(
      expect.objectContaining({ code: 'range_not_satisfiable' }),
    );
  });

  it('is the whole when the client has a part of another file, or knows only its date', () => {
    const range = 'bytes=2-5';
    expect(byteRangeOf({ range, 'if-range': '"a"' }, 10, '"a"')).toEqual({ start: 2, end: 5 });
    expect(byteRangeOf({ range, 'if-range': '"b"' }, 10, '"a"')).toBeUndefined();
    expect(byteRangeOf({ range, 'if-range': 'W/"a"' }, 10, '"a"')).toBeUndefined();
    expect(byteRangeOf({ range, 'if-range': 'Sat, 21 Nov 2026 10:00:00 GMT' }, 10, '"a"')).toBeUndefined();
  });

  it('always lies in the file', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.stringMatching(/^bytes=\d{0,3}-\d{0,3}$/)),
        fc.nat(200),
        (range, size) => {
          let part;
          try {
            part = byteRangeOf({ range }, size, '"a"');
          } catch (error) {
            expect(error).toMatchObject({ code: 'range_not_satisfiable' });
            return;
          }
          if (part === undefined) return;
          expect(part.start).toBeGreaterThanOrEqual(0);
          expect(part.end).toBeGreaterThanOrEqual(part.start);
          expect(part.end).toBeLessThan(size);
        },
      ),
    );
  });
});
