import { describe, expect, it } from 'vitest';
import { LineJoiner, longestLine } from '../src/channel.js';

describe('the lines of a channel', () => {
  it.each([1, 2, 3, 5, 8, 1_000])('are the same however the stream is cut: %i characters', (size) => {
    const text = '{"a":1}\n\nöä\n{"b":"\\n"}\nrest without an end';
    const joiner = new LineJoiner();
    const lines: string[] = [];
    for (let at = 0; at < text.length; at += size) lines.push(...joiner.take(text.slice(at, at + size)));
    expect(lines).toEqual(['{"a":1}', '', 'öä', '{"b":"\\n"}']);
    expect(joiner.take('\n')).toEqual(['rest without an end']);
  });

  it('may be as long as the limit, and not longer', () => {
    const piece = 'x'.repeat(longestLine / 8);
    const joiner = new LineJoiner();
    for (let count = 0; count < 8; count += 1) expect(joiner.take(piece)).toEqual([]);
    expect(joiner.take('\n')[0]).toHaveLength(longestLine);
    for (let count = 0; count < 8; count += 1) joiner.take(piece);
    expect(() => joiner.take('x')).toThrow('a line of more than 8388608 characters');
  });
});
