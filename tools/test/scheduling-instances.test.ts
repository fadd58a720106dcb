import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkSchedule, construct, isShop, type Problem } from '@lab/scheduling';
import { readFlexibleJobShop, readInstances, readJobShop, readLab } from '../bench/scheduling/instances.js';

/** The benchmark of scheduling reads instances as their files define them. */

const choicesOf = ({ activities }: Problem) =>
  activities.map(({ run, slots }) => [run, slots[0]?.units, slots[0]?.durations]);
const predecessorsOf = ({ activities }: Problem) =>
  activities.map(({ predecessors }) => predecessors.map(({ activity }) => activity));

describe('the instances of the repository', () => {
  const folder = fileURLToPath(new URL('../bench/instances', import.meta.url));

  it.each<['jsp' | 'fjsp' | 'lab', number, boolean]>([
    ['jsp', 43, true],
    ['fjsp', 10, true],
    ['lab', 30, false],
  ])('are readable in the set %s, and a schedule of each passes the checker', (set, count, shop) => {
    const instances = readInstances(folder, set);
    expect(instances.length).toBe(count);
    for (const { problem, bestKnown, reference } of instances) {
      expect(isShop(problem)).toBe(shop);
      expect(bestKnown === null).toBe(!shop);
      expect(reference === null).toBe(shop);
      if (problem.activities.length <= 210) expect(checkSchedule(problem, construct(problem))).toEqual([]);
    }
  });
});

describe('a folder of instances', () => {
  let folder = '';
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'instances-'))));
  afterEach(() => rmSync(folder, { recursive: true }));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };

  it('has the sets as sub-folders or is a set, with the best known values inside or beside it', () => {
    write('jsp/b10.txt', '1 1\n0 3\n');
    write('jsp/b9.txt', '1 1\n0 3\n');
    write('best-known.json', '{"jsp":{"b9":[2,3]}}');
    const names = (dir: string) =>
      readInstances(dir, 'jsp').map(({ name, bestKnown, reference }) => [name, bestKnown, reference]);
    const expected = [
      ['b9', 3, null],
      ['b10', null, null],
    ];
    expect(names(folder)).toEqual(expected);
    expect(names(join(folder, 'jsp'))).toEqual(expected);
  });

  it('may have reference values', () => {
    write('x.json', JSON.stringify({ tasks: [], runs: [], devs: [], lam: 1 }));
    write('reference.json', '{"instances":{"x":{"greedy":7,"lns":5}}}');
    expect(readInstances(folder, 'lab').map(({ name, reference }) => [name, reference])).toEqual([
      ['x', { greedy: 7, lns: 5 }],
    ]);
  });
});

describe('a file', () => {
  it('of a job shop has pairs of machine and duration', () => {
    const problem = readJobShop('2 2\n0 3  1 2\n1 4  0 1\n', 'x');
    expect(choicesOf(problem)).toEqual([
      [0, [0], [3]],
      [0, [1], [2]],
      [1, [1], [4]],
      [1, [0], [1]],
    ]);
    expect(predecessorsOf(problem)).toEqual([[], [0], [], [2]]);
  });

  it('of a flexible job shop has alternative machines, with or without their mean number', () => {
    for (const head of ['2 3', '2 3 1.5']) {
      const problem = readFlexibleJobShop(`${head}\n1  2 0 5 2 6\n2  1 1 4  1 0 2\n`, 'x');
      expect(choicesOf(problem)).toEqual([
        [0, [0, 2], [5, 6]],
        [1, [1], [4]],
        [1, [0], [2]],
      ]);
      expect(predecessorsOf(problem)).toEqual([[], [], [1]]);
    }
  });

  it('of a laboratory has runs, groups and holds', () => {
    const problem = readLab(
      JSON.stringify({
        tasks: [
          { id: 0, run: 0, pool: [0, 1], d: 10, preds: [] },
          { id: 1, run: 0, pool: [2], d: 5, preds: [0], group: 0 },
          { id: 2, run: 0, pool: [2], d: 5, preds: [1], hold: 0 },
        ],
        runs: [{ r: 0, prio: 4, rel: 30, tasks: [0, 1, 2] }],
        devs: ['a0', 'a1', 'b'],
        lam: 2,
      }),
    );
    expect(problem).toMatchObject({ units: 3, runs: [{ weight: 4 }], makespanWeight: 2 });
    expect(predecessorsOf(problem)).toEqual([[], [0], [1]]);
    expect(problem.activities.map(({ release, duration }) => [release, duration])).toEqual([
      [30, 10],
      [30, 5],
      [30, 5],
    ]);
    expect(problem.activities.map(({ follows }) => follows)).toEqual([null, 0, null]);
    expect(problem.activities.map(({ slots }) => slots[0]?.keptUntil)).toEqual([[2], [], []]);
  });

  it.each([
    ['too short', () => readJobShop('1 2\n0 3 1\n', 'x'), 'x: number 6 is missing or not a number'],
    ['too long', () => readJobShop('1 1\n0 3 1\n', 'x'), 'x: the file has 1 numbers too many'],
    [
      'counted from 1',
      () => readFlexibleJobShop('1 2\n1 1 2 3\n', 'x'),
      'job 1 names machine 2, which is not from 0 to 1',
    ],
  ])('that is %s is refused with a reason', (_, read, reason) => {
    expect(read).toThrow(reason);
  });
});
