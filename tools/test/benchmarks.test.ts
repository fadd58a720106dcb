import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { pageFile, pageOf } from '../bench/page/page.js';
import {
  isReached,
  machineName,
  readResults,
  renewed,
  resultsFile,
  resultsText,
  type Row,
} from '../bench/page/results.js';

const results = readResults();
const measuredOn = { date: '2026-11-23', machine: 'A', load: 'idle' };
const row: Row = {
  what: 'query',
  unit: 'ms',
  ours: 2,
  floor: 1,
  mark: { of: 'ratio', most: 1.8 },
  ...measuredOn,
  fields: { ours: 'query.ms', floor: 'bare_ms' },
};

describe('the page of the benchmarks', () => {
  it('is up to date; otherwise run npm run bench:page', async () => {
    expect(readFileSync(pageFile, 'utf8')).toBe(await pageOf(results));
  });

  it('has its results in the form that a run writes', () => {
    expect(readFileSync(resultsFile, 'utf8')).toBe(resultsText(results));
  });

  it('takes results only from commands that exist', () => {
    const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const commands = results.groups.flatMap(({ run }) => (run === undefined ? [] : [run[0]]));
    expect(
      commands.filter((tool) => scripts[`bench:${tool}`] !== `node tools/run.mjs bench/${tool}`),
    ).toEqual([]);
  });

  it('names a known machine in every row, and a date', () => {
    const rows = results.groups.flatMap(({ rows }) => rows);
    expect(rows.filter(({ machine }) => results.machines[machine] === undefined)).toEqual([]);
    expect(rows.filter(({ date }) => !/^\d{4}-\d\d-\d\d$/.test(date))).toEqual([]);
  });

  it('shows that a mark is missed', async () => {
    const page = await pageOf({
      machines: { A: 'a machine' },
      groups: [{ name: 'x', about: 'y', rows: [row] }],
    });
    expect(page).toContain('1 marks are missed');
    expect(page).toMatch(
      /\| query +\| 2 ms +\| 1 ms +\| 2\.00 +\| ratio at most 1\.8, \*\*missed\*\* +\| 2026-11-23 +\| A, idle +\|/,
    );
  });
});

describe('a mark', () => {
  it.each([
    [{ most: 2 }, true],
    [{ most: 1.9 }, false],
    [{ least: 2 }, true],
    [{ least: 2.1 }, false],
    [{ of: 'ratio', most: 2 }, true],
    [{ of: 'floor', least: 1.1 }, false],
  ] as const)('%j of ours 2 and floor 1 is reached: %s', (mark, reached) => {
    expect(isReached({ ...row, mark })).toBe(reached);
  });

  it('is neither reached nor missed where nothing was measured', () => {
    const { ours: _ours, ...rest } = row;
    expect(isReached(rest)).toBeUndefined();
  });
});

describe('a run', () => {
  const today = { date: '2026-11-24', machine: 'B', load: 'load 3' };

  it('replaces the figures of a row, and leaves none of an earlier run', () => {
    expect(renewed({ ...row, ratio: 9 }, [{ query: { ms: 3 }, bare_ms: 2 }], today)).toEqual({
      ...row,
      ours: 3,
      floor: 2,
      ...today,
    });
    expect(renewed(row, [{ query: { ms: 3 } }], today)).not.toHaveProperty('floor');
  });

  it('takes the run with the median of the figure that the mark limits, and says how far the runs differ', async () => {
    const runs = [
      [6, 2],
      [8, 4],
      [10, 2],
    ].map(([ms, bare_ms]) => ({ query: { ms }, bare_ms }));
    const found = renewed(row, runs, today);
    expect(found).toMatchObject({ ours: 6, floor: 2, range: [2, 5] });
    const page = await pageOf({
      machines: { A: 'a machine' },
      groups: [{ name: 'x', about: 'y', rows: [found] }],
    });
    expect(page).toMatch(/\| query +\| 6 ms +\| 2 ms +\| 3\.00 \(2 to 5\) +\|/);
  });

  it('leaves rows that it did not measure as they are', () => {
    expect(renewed(row, [{ other: 3 }], today)).toBe(row);
    expect(renewed({ ...row, fields: {} }, [{ bare_ms: 2 }], today).date).toBe('2026-11-23');
  });

  it('gives a new machine a name of its own', () => {
    const all = { machines: { A: 'an old one; with 4 GiB' }, groups: [] };
    expect(machineName(all, 'an old one')).toBe('A');
    expect(machineName(all, 'a new one')).toBe('B');
    expect(all.machines).toEqual({ A: 'an old one; with 4 GiB', B: 'a new one' });
  });
});
