import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { figureNames, type Figure } from '../bench/guard/figures.js';
import {
  conclusionsOf,
  markOf,
  tableOf,
  verdictOf,
  worseOf,
  type Mark,
  type Marks,
} from '../bench/guard/marks.js';
import {
  measured,
  median,
  quick,
  rankOfBound,
  robustDeviation,
  type Measured,
} from '../bench/guard/statistics.js';

const pairs = (ratios: readonly number[]) =>
  ratios.map((ratio, index) => ({ ours: ratio * (index + 1), floor: index + 1 }));
const figure = (ratio: number, low: number, high: number): Measured => ({
  ours: ratio,
  floor: 1,
  ratio,
  low,
  high,
  rounds: 15,
});
const mark = (ratio: number, noise: number): Mark => ({
  ratio,
  noise,
  date: '2026-11-24',
  machine: 'one',
  why: 'a test',
});

describe('statistics of the guard', () => {
  it('compares the sides of each round, not the rounds with each other', () => {
    // The second half of the rounds ran on a machine ten times as slow.
    const rounds = [2, 2, 2, 20, 20, 20].map((ours) => ({ ours, floor: ours / 2 }));
    expect(measured(rounds)).toMatchObject({ ratio: 2, low: 2, high: 2 });
  });

  it('ignores rounds that something disturbed', () => {
    const { ratio, low, high } = measured(
      pairs([2, 2.1, 1.9, 2, 2.2, 2, 1.8, 2, 2.1, 40, 2, 2, 1.9, 0.1, 2]),
    );
    expect(ratio).toBeCloseTo(2);
    expect(low).toBeGreaterThan(1.8);
    expect(high).toBeLessThan(2.2);
  });

  it('bounds the median by the ranks of the sign test', () => {
    // Ranks from table A of David and Nagaraja: the chance below and above is at most 2.5 %.
    expect([5, 6, 8, 9, 11, 12, 15, 20, 31].map(rankOfBound)).toEqual([1, 1, 1, 2, 2, 3, 4, 6, 10]);
  });

  it('holds the true median in at least 95 of 100 intervals', () => {
    let seed = 1;
    const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    let held = 0;
    for (let trial = 0; trial < 2_000; trial += 1) {
      // Skewed, as times are; its median is 1.
      const { low, high } = measured(pairs(Array.from({ length: 15 }, () => 2 ** (8 * random() - 4))));
      if (low <= 1 && high >= 1) held += 1;
    }
    expect(held / 2_000).toBeGreaterThan(0.95);
    expect(held / 2_000).toBeLessThan(0.985);
  });

  it('takes the mean of the two in the middle', () => {
    expect(median([3, 1])).toBe(2);
    expect(median([3, 1, 2])).toBe(2);
  });

  it('takes the first decile as the time of an undisturbed call', () => {
    expect(quick([9, 9, 9, 2, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 3, 9])).toBe(3);
  });

  it('estimates the deviation without the extremes', () => {
    expect(robustDeviation([1, 2, 3, 4, 500])).toBeCloseTo(1.4826);
  });

  it('refuses to judge without a round', () => {
    expect(() => measured([])).toThrow('nothing was measured');
  });
});

describe('a mark of the guard', () => {
  it.each([
    ['worse', figure(2.25, 2.05, 2.5)],
    ['as marked', figure(2.15, 2.05, 2.5)],
    ['as marked', figure(2.25, 1.95, 2.5)],
    ['better', figure(1.75, 1.5, 1.95)],
    ['as marked', figure(1.85, 1.5, 1.95)],
    ['as marked', figure(1.75, 1.5, 2.05)],
  ])('of 2 with a noise of 10 %% gives the verdict "%s"', (verdict, each) => {
    expect(verdictOf(each, mark(2, 0.1))).toBe(verdict);
  });

  it('has the noise of whole runs', () => {
    expect(markOf([2, 2.1, 1.9, 2, 2.6])).toEqual({ ratio: 2, noise: 0.3 });
    expect(markOf([2, 2, 2])).toEqual({ ratio: 2, noise: 0.25 });
  });

  const marks: Marks = { query: mark(2, 0.1), effect: mark(3, 0.1), start: mark(100, 0.1) };
  const run = {
    query: figure(4, 3.5, 4.5),
    effect: figure(2, 1.9, 2.1),
    start: figure(100, 99, 101),
    memory: figure(5, 4, 6),
  };

  it('tells what became slower and by how much, what may be lowered, and what has no mark', () => {
    expect(worseOf(run, marks)).toEqual(['query']);
    expect(conclusionsOf(run, marks)).toEqual([
      'query became slower: query of a device over HTTP, one at a time costs 4.00 times its floor (bare chain). ' +
        'Its mark is 2.00, so this is 100 % more. The noise is 10 %.',
      'Better than their marks: effect. Lower these marks: --only effect --set-marks "why".',
      'Without a mark: memory. Set one with --set-marks "why".',
    ]);
  });

  it('stands in a table beside ours, the floor and the ratio', () => {
    const [head, query] = tableOf(run, marks);
    expect(head?.split(/ {2,}/)).toEqual([
      'what',
      'ours',
      'floor',
      'ratio',
      '95 % interval',
      'mark',
      'verdict',
    ]);
    expect(query?.split(/ {2,}/)).toEqual([
      'query of a device over HTTP, one at a time',
      ...['4 ms', '1 ms (bare chain)', '4.00', '3.50 to 4.50', '2.00 + 10 %', 'worse'],
    ]);
  });

  it('is checked in for every figure, with its reason', () => {
    const file = new URL('../bench/guard/marks.json', import.meta.url);
    const checkedIn = JSON.parse(readFileSync(file, 'utf8')) as Record<Figure, Mark>;
    expect(Object.keys(checkedIn)).toEqual(figureNames);
    for (const { ratio, noise, date, machine, why } of Object.values(checkedIn)) {
      expect(ratio).toBeGreaterThan(0);
      expect(noise).toBeGreaterThan(0);
      expect(date).toMatch(/^\d{4}-\d\d-\d\d$/);
      expect(machine).not.toBe('');
      expect(why).not.toBe('');
    }
  });
});
