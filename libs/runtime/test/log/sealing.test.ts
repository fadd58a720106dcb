import { ringOf, ringText, rotated } from '@lab/trust/key-ring';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  holdsSecrets,
  isSealed,
  Sealing,
  withSecretsHidden,
  withSecretsOpened,
  withSecretsSealed,
} from '../../src/log/sealing.js';
import { Secret } from '../../src/log/secret.js';

const sealing = new Sealing(new Secret('k'.repeat(32)));

describe('an encrypted secret', () => {
  it('can be decrypted with the same key, also by another process', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const other = new Sealing(new Secret('k'.repeat(32)));
        expect(other.open(sealing.seal(text)).reveal()).toBe(text);
      }),
    );
  });

  it('reveals neither its content nor that two secrets are equal', () => {
    const [one, two] = [sealing.seal('sk-canary-1234'), sealing.seal('sk-canary-1234')];
    expect(one).not.toContain('canary');
    expect(Buffer.from(one).toString()).not.toContain(Buffer.from('sk-canary-1234').toString('base64url'));
    expect(one).not.toBe(two);
  });

  it('cannot be decrypted with another key, after a change or when it is truncated', () => {
    const sealed = sealing.seal('sk-canary-1234');
    const other = new Sealing(new Secret('o'.repeat(32)));
    expect(() => other.open(sealed)).toThrow('another key');
    const last = sealed.at(-3) === 'A' ? 'B' : 'A';
    expect(() => sealing.open(`${sealed.slice(0, -3)}${last}${sealed.slice(-2)}`)).toThrow('was changed');
    expect(() => sealing.open(sealed.slice(0, 20))).toThrow('cut off');
    expect(() => sealing.open('sk-canary-1234')).toThrow('begins with sealed:v1: or sealed:v2:');
  });
});

describe('a key that was rotated', () => {
  const [old, fresh] = ['k'.repeat(32), 'n'.repeat(32)];
  const ring = rotated(ringOf(old), fresh, 0, { overlapMs: Infinity });
  const withText = (text: () => string): Sealing =>
    new Sealing(
      new (class extends Secret {
        override reveal = text;
      })(''),
    );

  it('seals with the new one, names it in the value, and opens what the one before has sealed', () => {
    let text = old;
    const both = withText(() => text);
    const before = both.seal('sk-canary-1');
    expect(before).toMatch(/^sealed:v1:/);
    text = ringText(ring);
    const after = both.seal('sk-canary-2');
    expect(after).toMatch(/^sealed:v2:[\w-]{8}:/);
    expect([isSealed(before), isSealed(after)]).toEqual([true, true]);
    expect([both.open(before).reveal(), both.open(after).reveal()]).toEqual(['sk-canary-1', 'sk-canary-2']);
    const again = withText(() => ringText(rotated(ring, 'z'.repeat(32), 1, { overlapMs: Infinity })));
    expect([again.open(before).reveal(), again.open(after).reveal()]).toEqual(['sk-canary-1', 'sk-canary-2']);
    expect(again.seal('a').slice(0, 19)).not.toBe(after.slice(0, 19));
  });

  it('opens nothing of a key that it does not have, and no value with another name of its key', () => {
    const sealed = withText(() => ringText(ring)).seal('sk-canary');
    expect(() => sealing.open(sealed)).toThrow('another key');
    const renamed = sealed.replace(/^sealed:v2:[\w-]{8}:/, 'sealed:v1:');
    expect(() => withText(() => ringText(ring)).open(renamed)).toThrow('was changed');
  });

  it('is refused in one sentence, without its text, when it is damaged', () => {
    const text = '{"version":2,"keys":[{"key":"short"}]}';
    expect(() => new Sealing(new Secret(text))).toThrow(
      /^The key of secrets \(SVC_SECRETS_KEY\) is damaged\.$/,
    );
  });
});

describe('a free object', () => {
  const object = {
    p_ai: 0.5,
    ai_api_key: 'one',
    more: [{ API_KEY: 'two' }, 'three'],
    key: 'four',
    api_key: null,
  };

  it('is returned with all fields named api_key encrypted and decrypted again, at any depth', () => {
    const sealed = withSecretsSealed(object, sealing);
    expect(JSON.stringify(sealed)).not.toMatch(/"one"|"two"/);
    expect(sealed).toMatchObject({ p_ai: 0.5, more: [{}, 'three'], key: 'four', api_key: null });
    expect(isSealed(String(sealed.ai_api_key))).toBe(true);
    expect(withSecretsSealed(sealed, sealing)).toEqual(sealed);
    expect(withSecretsOpened(sealed, sealing)).toEqual(object);
  });

  it('shows three stars for each of them', () => {
    expect(withSecretsHidden(object)).toEqual({
      p_ai: 0.5,
      ai_api_key: '***',
      more: [{ API_KEY: '***' }, 'three'],
      key: 'four',
      api_key: null,
    });
    expect([holdsSecrets(object), holdsSecrets({ key: 'a', api_key: null })]).toEqual([true, false]);
  });
});
