import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pathOfKey } from '../src/key-path.js';
import { taskFileKey } from '../src/task-file-key.js';

describe('the key of a file of a task', () => {
  it('differs for different files', () => {
    const file = fc.tuple(
      fc.string({ unit: 'grapheme' }),
      fc.nat(),
      fc.string({ unit: 'grapheme', maxLength: 400 }),
    );
    fc.assert(
      fc.property(file, file, (a, b) => {
        if (JSON.stringify(a) !== JSON.stringify(b)) expect(taskFileKey(...a)).not.toBe(taskFileKey(...b));
      }),
    );
  });

  it('is short enough for any store, whatever the name', () => {
    for (const name of ['', '..', 'a/b', '👩‍🔬'.repeat(500), '\u0000', '\ud800', '~']) {
      const key = taskFileKey('0190b6c2-0000-7000-8000-000000000001', 1, name);
      expect(() => pathOfKey(key)).not.toThrow();
      expect(key.split('/')).toHaveLength(4);
      expect(key.length).toBeLessThan(300);
    }
  });

  it('of a shortened name is not the key of any similar name', () => {
    const long = taskFileKey('t', 1, 'x'.repeat(500));
    const lookalike = long.split('/').at(-1) ?? '';
    expect(lookalike).toContain('~');
    expect(taskFileKey('t', 1, lookalike)).not.toBe(long);
  });
});
