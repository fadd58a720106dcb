import { describe, expect, it } from 'vitest';
import { Mask } from '../../src/index.js';

describe('secrets', () => {
  it('are masked in every form, also inside of values', () => {
    const mask = new Mask();
    mask.add('s/"e');
    mask.add('x');
    expect(mask.value({ a: ['is s/"e', { b: 'p?k=s%2F%22e' }], c: 5, d: 'x' })).toEqual({
      ...{ a: ['is ***', { b: 'p?k=***' }], c: 5, d: 'x' },
    });
  });
});
