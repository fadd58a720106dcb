import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { root, textOf } from './guide-blocks.js';

/** The guide lists for each of the ten risks the control and its tests. */

const rows = [
  ...textOf('docs/guide/security.md').matchAll(/^\| (\d+) ([^|]+?) +\| ([^|]+?) +\| ([^|]+?) +\|$/gm),
].map(([, number, risk, control, tests = '']) => ({
  number: Number(number),
  risk,
  control,
  tests: [...tests.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path),
}));

it('each of the ten risks has a row', () => {
  expect(rows.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

it.each(rows)('the tests of risk $number $risk exist', ({ tests }) => {
  expect(tests.length).toBeGreaterThanOrEqual(2);
  expect(tests.filter((path) => !existsSync(`${root}${path}`))).toEqual([]);
  for (const path of tests) expect(textOf(path), path).toMatch(/\b(it|test)(\.each)?\(/);
});
