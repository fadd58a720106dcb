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

  it('are masked whatever their type is, and in bytes', () => {
    const mask = new Mask();
    mask.add(4711);
    mask.add({ code: ['hunter2', true], at: 1 });
    expect(mask.value({ pin: 4711, near: 47110, at: 1, is: true, text: 'pin 4711, hunter2' })).toEqual({
      ...{ pin: '***', near: 47110, at: 1, is: true, text: 'pin ***, ***' },
    });
    const bytes = mask.bytes(Buffer.from([0xff, 0x00, ...Buffer.from('hunter2'), 0x80]));
    expect([...bytes]).toEqual([0xff, 0x00, ...Buffer.from('***'), 0x80]);
  });
});
