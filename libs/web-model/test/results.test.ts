import type { Trial } from '@lab/api-client';
import { describe, expect, it } from 'vitest';
import { bestSoFar, frontOf, goalsOf, isMeasured, type Measured } from '../src/index.js';

const trial = (number: number, outputs: Record<string, number> | null): Trial => ({
  ...{ number, run: `sweep_run_${number}`, source: 'optimizer', inputs: {}, additional: {}, note: {} },
  state: outputs === null ? 'running' : 'measured',
  outputs,
});
const measured = (rows: Record<string, number>[]): Measured[] =>
  rows.map((row, at) => trial(at + 1, row)).filter(isMeasured);
const settings = {
  outputs: [
    { key: 'score.loss', objective: { kind: 'minimize', weight: 1 } },
    { key: 'score.yield', objective: { kind: 'maximize', weight: 1 } },
    { key: 'score.note' },
  ],
};
const names = ['score.loss', 'score.yield', 'score.note'];

describe('the results of a campaign', () => {
  it('have the goals that the optimizer declares', () => {
    expect(goalsOf(settings, names)).toEqual([
      { output: 'score.loss', sign: 1 },
      { output: 'score.yield', sign: -1 },
    ]);
    expect(goalsOf(settings, ['score.yield'])).toEqual([{ output: 'score.yield', sign: -1 }]);
  });

  it.each([undefined, null, {}, { outputs: 'score.loss' }, { outputs: [null, { key: 3 }] }])(
    'have no known goals with the settings %j of an optimizer of a lab',
    (unknown) => {
      expect(goalsOf(unknown, names)).toEqual([]);
    },
  );

  it('are best so far in the direction of the goal', () => {
    const trials = measured([{ a: 3 }, { a: 5 }, {}, { a: 1 }]);
    expect(bestSoFar(trials, { output: 'a', sign: 1 })).toEqual([3, 3, 3, 1]);
    expect(bestSoFar(trials, { output: 'a', sign: -1 })).toEqual([3, 5, 5, 5]);
  });

  it('have a front of trials that no other beats in every goal', () => {
    const trials = measured([
      { 'score.loss': 1, 'score.yield': 1 },
      { 'score.loss': 2, 'score.yield': 5 },
      { 'score.loss': 3, 'score.yield': 4 },
      { 'score.loss': 1, 'score.yield': 1 },
      { 'score.loss': 0 },
    ]);
    expect(frontOf(trials, goalsOf(settings, names)).map(({ number }) => number)).toEqual([1, 2, 4]);
    expect(frontOf(trials, [])).toEqual([]);
  });

  it('count only when they are measured', () => {
    expect(isMeasured(trial(1, null))).toBe(false);
  });
});
