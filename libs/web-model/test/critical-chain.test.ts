import { describe, expect, it } from 'vitest';
import { criticalChain, type TimedTask } from '../src/index.js';

const task = (name: string, start: number, end: number, ...units: string[]): TimedTask => ({
  ...{ name, start, end, units },
});
const names = (...given: Parameters<typeof criticalChain>): string[] =>
  criticalChain(...given).map(({ name }) => name);

describe('the critical chain', () => {
  it('follows the dependency that ended last', () => {
    const tasks = [task('a', 0, 10), task('b', 0, 4), task('c', 12, 20), task('aside', 0, 15)];
    const edges = [
      { from: 'a', to: 'c' },
      { from: 'b', to: 'c' },
    ];
    expect(criticalChain(tasks, edges)).toEqual([
      { name: 'a', waitedMs: 0, tookMs: 10 },
      { name: 'c', waitedMs: 2, tookMs: 8 },
    ]);
  });

  it('follows the task that had the device before, when that ended later than each dependency', () => {
    const tasks = [task('a', 0, 3), task('hog', 0, 9, 'arm'), task('b', 9, 12, 'arm')];
    expect(names(tasks, [{ from: 'a', to: 'b' }])).toEqual(['hog', 'b']);
  });

  it('begins where a task waited for nothing of the run', () => {
    expect(names([task('alone', 5, 6, 'arm'), task('other', 1, 2, 'pump')], [])).toEqual(['alone']);
    expect(criticalChain([], [])).toEqual([]);
  });

  it('ends for tasks of no length that begin together', () => {
    const tasks = [task('a', 5, 5, 'arm'), task('b', 5, 5, 'arm')];
    expect(names(tasks, [])).toHaveLength(2);
  });
});
