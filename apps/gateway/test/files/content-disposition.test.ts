import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attachment } from '../../src/files/content-disposition.js';

describe('the name of a download', () => {
  it.each([
    ['camera.png', 'attachment; filename="camera.png"'],
    ['a b.csv', 'attachment; filename="a b.csv"'],
    ['sp"ec.csv', `attachment; filename="sp_ec.csv"; filename*=UTF-8''sp%22ec.csv`],
    ['größe.csv', `attachment; filename="gr__e.csv"; filename*=UTF-8''gr%C3%B6%C3%9Fe.csv`],
    ['../x', `attachment; filename=".._x"; filename*=UTF-8''..%2Fx`],
    ["it's(1)*.txt", `attachment; filename="it's(1)*.txt"`],
    ['a\r\nb', `attachment; filename="a__b"; filename*=UTF-8''a%0D%0Ab`],
  ])('%j is sent as %s', (name, header) => expect(attachment(name)).toBe(header));

  it('never breaks the header and always returns complete', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        const header = attachment(name);
        expect(header).toMatch(
          /^attachment; filename="[ !#-[\]-~]*"(; filename\*=UTF-8''[A-Za-z0-9._~%-]*)?$/,
        );
        const exact = /filename\*=UTF-8''(.*)$/.exec(header)?.[1];
        const plain = /filename="([^"]*)"/.exec(header)?.[1];
        expect(exact === undefined ? plain : decodeURIComponent(exact)).toBe(name);
      }),
    );
  });
});
