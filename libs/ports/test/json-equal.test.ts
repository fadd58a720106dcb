import { describe, expect, it } from 'vitest';
import { jsonEqual } from '../src/index.js';

describe('jsonEqual', () => {
  it('ignores the order of fields, at every depth', () => {
    expect(jsonEqual({ a: 1, b: { c: [1, 2], d: null } }, { b: { d: null, c: [1, 2] }, a: 1 })).toBe(true);
  });

  it('treats an undefined field as absent', () => {
    expect(jsonEqual({ a: 1, b: undefined }, { a: 1 })).toBe(true);
    expect(jsonEqual({ a: undefined }, { b: 1 })).toBe(false);
  });

  it('distinguishes lists from objects, and lists with different order', () => {
    expect(jsonEqual([], {})).toBe(false);
    expect(jsonEqual([1, 2], [2, 1])).toBe(false);
    expect(jsonEqual([1], [1, 2])).toBe(false);
  });

  it('distinguishes null, text and numbers', () => {
    expect(jsonEqual(null, {})).toBe(false);
    expect(jsonEqual('1', 1)).toBe(false);
    expect(jsonEqual({ constructor: 1 }, {})).toBe(false);
  });
});
