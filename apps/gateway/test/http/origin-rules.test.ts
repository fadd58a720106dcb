import { describe, expect, it } from 'vitest';
import { accessCheck } from '../../src/http/origin-rules.js';
import { CrossOrigin } from '../../src/http/cross-origin.js';

const names = {
  host: '127.0.0.1',
  publicUrl: 'https://lab.example.org',
  computer: 'bench-pc',
  allowed: [],
  certificate: () => undefined,
};
const none = new CrossOrigin([]);
const local = accessCheck(names, none);
const open = accessCheck({ ...names, host: '0.0.0.0' }, none);

function passes(check: typeof local, headers: Record<string, string>, method = 'POST'): boolean {
  try {
    check({ method, headers });
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'forbidden', effect: 'none' });
    return false;
  }
}

describe('a request that changes something', () => {
  const host = '127.0.0.1:8070';

  it.each<Record<string, string>>([
    { host },
    { host, origin: 'http://127.0.0.1:8070', 'sec-fetch-site': 'same-origin' },
    { host, origin: 'https://lab.example.org' },
  ])('passes with %j', (headers) => expect(passes(local, headers)).toBe(true));

  it.each<Record<string, string>>([
    { host, origin: 'https://evil.example.com' },
    { host, origin: 'http://127.0.0.1:3000' },
    { host, origin: 'null' },
    { host, 'sec-fetch-site': 'cross-site' },
  ])('is refused with %j', (headers) => {
    expect(passes(local, headers)).toBe(false);
    expect(passes(open, headers, 'PUT')).toBe(false);
  });
});

describe('a request that only reads', () => {
  it('needs a name of this service too', () => {
    for (const check of [local, open])
      expect(() => check({ method: 'GET', headers: { host: 'evil.example.com' } })).toThrow(
        expect.objectContaining({ code: 'misdirected' }),
      );
  });

  it('may come from a link on another page', () => {
    expect(passes(local, { host: 'localhost', 'sec-fetch-site': 'cross-site' }, 'GET')).toBe(true);
  });
});
