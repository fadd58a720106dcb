import { describe, expect, it } from 'vitest';
import { unfilledSlots } from '../../src/files/slot-matching.js';

const unfilled = (slots: Record<string, string[]>): string[] => unfilledSlots(new Map(Object.entries(slots)));

describe('unfilledSlots', () => {
  it('moves an earlier slot to another candidate to make room for a later one', () => {
    expect(unfilled({ a: ['x', 'y'], b: ['x'], c: ['y', 'z'] })).toEqual([]);
  });

  it('names the last of the slots that share too few candidates', () => {
    expect(unfilled({ a: ['x', 'y'], b: ['x', 'y'], c: ['x', 'y'], d: ['z'] })).toEqual(['c']);
    expect(unfilled({ a: [] })).toEqual(['a']);
  });
});
