import { describe, expect, it } from 'vitest';
import { Authority, makeAuthorityKey } from '../src/authority.js';
import { ActCheck, ActSigner } from '../src/acts.js';
import {
  acceptedEntries,
  acceptedTexts,
  ringIn,
  ringOf,
  ringText,
  rotated,
  signingEntry,
  textKey,
} from '../src/key-ring.js';

const hour = 3_600_000;
const begin = Date.parse('2026-11-01T00:00:00Z');
const [a, b, c] = ['a', 'b', 'c'].map((letter) => letter.repeat(40)) as [string, string, string];
const keysAt = (ring: ReturnType<typeof ringOf<string>>, now: number): string[] =>
  acceptedEntries(ring, now).map(({ key }) => key);

describe('a ring of keys', () => {
  it('signs with the new key and accepts the one before until its end', () => {
    const ring = rotated(ringOf(a), b, begin, { overlapMs: hour });
    expect(signingEntry(ring, begin).key).toBe(b);
    expect(keysAt(ring, begin + hour - 1)).toEqual([b, a]);
    expect(keysAt(ring, begin + hour)).toEqual([b]);
  });

  it('ends the key before at once without an overlap', () => {
    expect(keysAt(rotated(ringOf(a), b, begin, { overlapMs: 0 }), begin)).toEqual([b]);
  });

  it('accepts a key that is to sign later, and goes on signing with the one before until then', () => {
    const ring = rotated(ringOf(a), b, begin, { overlapMs: 2 * hour, leadMs: hour });
    expect(signingEntry(ring, begin + hour - 1).key).toBe(a);
    expect(keysAt(ring, begin)).toEqual([b, a]);
    expect(signingEntry(ring, begin + hour).key).toBe(b);
  });

  it('lets no later rotation prolong a key, and drops keys that have ended', () => {
    const twice = rotated(rotated(ringOf(a), b, begin, { overlapMs: hour }), c, begin + 1, {
      overlapMs: 5 * hour,
    });
    expect(keysAt(twice, begin + 2 * hour)).toEqual([c, b]);
    const later = rotated(twice, a, begin + 2 * hour, { overlapMs: hour });
    expect(later.map(({ key }) => key)).toEqual([a, c, b]);
  });

  it('keeps keys without an end when the overlap has none', () => {
    const ring = rotated(ringOf(a), b, begin, { overlapMs: Infinity });
    expect(keysAt(ring, begin + 1_000_000 * hour)).toEqual([b, a]);
  });

  it('is read from a file that holds one key alone, and from one that was rotated', () => {
    expect(ringIn(`${a}\n`, 'secret', textKey)).toEqual(ringOf(a));
    const ring = rotated(ringOf(a), b, begin, { overlapMs: hour });
    expect(ringIn(ringText(ring), 'secret', textKey)).toEqual(ring);
  });

  it.each([
    'short',
    '{"version":2}',
    '{"version":2,"keys":[]}',
    `{"version":2,"keys":[{"key":"${a}","since":"yesterday","until":null}]}`,
    `{"version":2,"keys":[{"key":"${a}","since":null,"until":null},{}]}`,
  ])('is refused without being shown when it is damaged: %s', (text) => {
    const read = (): unknown => ringIn(text, 'secret of a test', textKey);
    expect(read).toThrow(/^The secret of a test is damaged\.$/);
  });

  it('gives the texts of this moment, also when the file has changed', () => {
    let text = a;
    let now = begin;
    const texts = acceptedTexts(
      () => text,
      'secret',
      () => now,
    );
    expect(texts()).toEqual([a]);
    text = ringText(rotated(ringOf(a), b, begin, { overlapMs: hour }));
    expect(texts()).toEqual([b, a]);
    now += hour;
    expect(texts()).toEqual([b]);
  });
});

describe('acts of people', () => {
  const [old, fresh] = [makeAuthorityKey(), makeAuthorityKey()];
  const publicRing = (overlapMs: number): string =>
    ringText(rotated(ringOf(old.x), fresh.x, begin, { overlapMs }));
  const privateRing = ringText(rotated(ringOf(old), fresh, begin, { overlapMs: hour }));
  let id = 0;
  const act = () => ({ kind: 'k', id: `m${id++}`, by: 'ada', epoch: 0, body: { by: 'ada' } });
  const passes = (check: ActCheck, signer: ActSigner): void => {
    const { kind, id: message, body, ...rest } = act();
    const signed = signer.sign({ kind, id: message, body, ...rest });
    check.demand({ kind, id: message, body, act: signed }, 1);
  };

  it('pass with either key during the overlap, and with the old one no longer after its end', () => {
    let now = begin + 1;
    const clock = (): number => now;
    const check = new ActCheck(publicRing(hour), clock);
    const [before, after] = [new ActSigner(JSON.stringify(old), clock), new ActSigner(privateRing, clock)];
    passes(check, before);
    passes(check, after);
    now = begin + hour;
    passes(check, after);
    expect(() => passes(check, before)).toThrow('no gateway has signed it');
  });

  it('follow the files while the process runs', () => {
    let [given, shown] = [JSON.stringify(old), old.x];
    const clock = (): number => begin;
    const check = new ActCheck(() => shown, clock);
    const signer = new ActSigner(() => given, clock);
    passes(check, signer);
    [given, shown] = [privateRing, publicRing(0)];
    passes(check, signer);
    expect(() => passes(check, new ActSigner(JSON.stringify(old), clock))).toThrow(
      'no gateway has signed it',
    );
  });

  it('a signed statement that was read before is refused when its key has ended', async () => {
    const { AuthorityCheck } = await import('../src/authority.js');
    let accepted = [old.x];
    const check = new AuthorityCheck(() => accepted);
    const signed = new Authority(old).sign({ a: 1 });
    expect(check.read(signed)).toEqual({ a: 1 });
    accepted = [fresh.x];
    expect(check.read(signed)).toBeUndefined();
  });
});
