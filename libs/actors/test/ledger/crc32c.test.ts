import { describe, expect, it } from 'vitest';
import { crc32c } from '../../src/ledger/crc32c.js';

const ascending = Uint8Array.from({ length: 32 }, (_, n) => n);

describe('CRC-32C', () => {
  // RFC 3720, appendix B.4.
  it.each([
    ['32 zeros', new Uint8Array(32), 0x8a9136aa],
    ['32 ones', new Uint8Array(32).fill(0xff), 0x62a8ab43],
    ['ascending', ascending, 0x46dd794e],
    ['descending', ascending.toReversed(), 0x113fdb5c],
    ['the digits', new TextEncoder().encode('123456789'), 0xe3069283],
    ['nothing', new Uint8Array(0), 0],
  ])('of %s has the value in the standard', (_, bytes, sum) => {
    expect(crc32c(bytes)).toBe(sum);
  });

  it('of a part covers only that part', () => {
    expect(crc32c(ascending, 3, 9)).toBe(crc32c(ascending.slice(3, 9)));
  });
});
