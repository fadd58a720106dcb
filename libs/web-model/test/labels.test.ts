import { describe, expect, it } from 'vitest';
import { benchPath, drawCode, labelServerOf } from '../src/index.js';

describe('a label', () => {
  it('leads to the page of its device or resource', () => {
    expect(benchPath({ kind: 'device', lab: 'color_lab', name: 'station_1' })).toBe(
      '/bench/devices/color_lab/station_1',
    );
    expect(benchPath({ kind: 'resource', name: 'beaker 1/a' })).toBe('/bench/resources/beaker%201%2Fa');
  });

  it.each([
    ['https://lab.example.org/', 'http://127.0.0.1:8070', 'https://lab.example.org', false],
    ['http://127.0.0.1:8070', 'http://bench:8070', 'http://bench:8070', false],
    [undefined, 'http://bench:8070', 'http://bench:8070', false],
    ['http://[::1]:8070', 'http://localhost:8070', 'http://localhost:8070', true],
    ['http://127.0.0.1.example.org', 'http://localhost', 'http://127.0.0.1.example.org', false],
  ])('of a service at %s, printed at %s, leads to %s', (given, own, address, isLocal) => {
    expect(labelServerOf(given, own)).toEqual({ address, isLocal });
  });
});

describe('a drawing of a code', () => {
  it('has each dark module once, inside a quiet zone of four', () => {
    const rows = ['##.', '...', '#.#'];
    const { size, path } = drawCode(3, (row, column) => rows[row]?.[column] === '#');
    expect(size).toBe(11);
    expect(path).toBe('M4 4h2v1H4zM4 6h1v1H4zM6 6h1v1H6z');
  });
});
