import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Kept, type Present } from '../bench/optimizer/comparison/kept.js';
import { cpuMsOf } from '../bench/optimizer/comparison/report.js';
import type { Entry } from '../bench/optimizer/comparison/store.js';
import { versionOfPeer } from '../bench/optimizer/comparison/version.js';
import { inTools } from '../shared/paths.js';

/** The campaigns of peers that the repository keeps. */

const folder = mkdtempSync(join(tmpdir(), 'kept-'));
afterAll(() => rmSync(folder, { recursive: true }));

const present = (changes: { budget?: string; version?: string } = {}): Present => ({
  budgetOf: (problem) => (problem === 'gone' ? undefined : (changes.budget ?? 'b1')),
  versionOf: (method) => (method === 'ours' ? undefined : (changes.version ?? 'v1')),
});

const entry = (more: Partial<Entry>): Entry => ({
  ...{ problem: 'branin', method: 'ax', seed: 0, budget: 'b1', version: 'v1' },
  ...{ quality: 0.123456789, trace: [5, 5, null, 1, 1, 1], cpu_s: 3, proposals: 10 },
  ...{ date: '2026-01-01', machines: ['a'] },
  ...more,
});

let count = 0;
const newPath = (): string => join(folder, `${(count += 1)}.ndjson`);
const written = (entries: readonly Entry[], path = newPath()): string => {
  new Kept(path, present()).write(entries, (problem) => problem === 'branin');
  return path;
};

describe('kept campaigns', () => {
  it('are found by their key, with the trace where a plot needs it', () => {
    const other = entry({ problem: 'gramacy', seed: 2, quality: null });
    const kept = new Kept(written([entry({}), other]), present());
    expect(kept.find(entry({}))).toMatchObject({ quality: 0.123457, trace: [5, 5, null, 1, 1, 1] });
    expect(kept.find(other)).toMatchObject({ quality: null });
    expect(kept.find(other)).not.toHaveProperty('trace');
    expect(kept.find(entry({ problem: 'gramacy', seed: 0 }))).toBeUndefined();
    expect(cpuMsOf([kept.find(other)!])).toBeCloseTo(300, 9);
  });

  it('are never those of ours, nor points at random', () => {
    const path = written([entry({ method: 'ours' }), entry({ method: 'random' })]);
    expect(readFileSync(path, 'utf8')).toBe('');
  });

  it('are written in the same way, whatever the order in which they came', () => {
    const all = [entry({}), entry({ seed: 3, machines: ['b'] }), entry({ method: 'skopt' })];
    const text = readFileSync(written(all), 'utf8');
    expect(readFileSync(written(all.toReversed()), 'utf8')).toBe(text);
    const path = written(all.slice(1));
    expect(readFileSync(written(all.slice(0, 1), path), 'utf8')).toBe(text);
    expect(readFileSync(written([], path), 'utf8')).toBe(text);
    expect(JSON.parse(text.split('\n')[0] ?? '')).toMatchObject({
      machines: ['a', 'b'],
      qualities: [0.123457, null, null, 0.123457],
    });
  });

  it.each([
    ['of another version', present({ version: 'v2' })],
    ['of problems that have changed', present({ budget: 'b2' })],
  ])('%s are not used, and are said and dropped', (why, changed) => {
    const path = written([entry({}), entry({ seed: 1 })]);
    const kept = new Kept(path, changed);
    expect(kept.find(entry({}))).toBeUndefined();
    expect(kept.stale).toEqual([{ method: 'ax', campaigns: 2, why }]);
    kept.write([entry({ seed: 2 })], () => true);
    expect(readFileSync(path, 'utf8')).toBe('');
  });

  it('of a problem that a peer cannot play hold for every seed', () => {
    const path = written([entry({ seed: 1, cannot: 'no thresholds' })]);
    const kept = new Kept(path, present());
    expect(kept.find(entry({ seed: 7 }))).toMatchObject({ cannot: 'no thresholds' });
    expect(kept.summary()).toMatchObject({ ax: { campaigns: 0, problems: 0, cannot: 1 } });
  });
});

describe('the version of a peer', () => {
  const lock = readFileSync(inTools('bench/peers/optimizers/requirements.txt'), 'utf8');

  it('changes with its packages, and not with those of others', () => {
    expect(versionOfPeer('optuna', lock)).toMatch(/^optuna \d+\.\d+\.\d+, [0-9a-f]{8}$/);
    const newer = lock.replace(/^optuna==.*$/m, 'optuna==99.0.0');
    expect(versionOfPeer('optuna', newer)).toContain('optuna 99.0.0, ');
    expect(versionOfPeer('skopt', newer)).toBe(versionOfPeer('skopt', lock));
    expect(() => versionOfPeer('optuna', '')).toThrow('no version of optuna');
  });
});

describe('the file of the repository', () => {
  const path = inTools('bench/optimizer/comparison/kept.ndjson');

  it('is small, and has the form in which it is written', () => {
    const text = readFileSync(path, 'utf8');
    expect(text.length).toBeLessThan(300_000);
    const lines = text
      .split('\n')
      .filter((line) => line !== '')
      .map(
        (line) => JSON.parse(line) as { problem: string; method: string; budget: string; version: string },
      );
    const all: Present = {
      budgetOf: (problem) => lines.find((line) => line.problem === problem)?.budget,
      versionOf: (method) => lines.find((line) => line.method === method)?.version,
    };
    const copy = newPath();
    writeFileSync(copy, text);
    const kept = new Kept(copy, all);
    expect(kept.stale).toEqual([]);
    kept.write([], (problem) => text.includes(`{"problem":"${problem}"`) && hasTraces(text, problem));
    expect(readFileSync(copy, 'utf8')).toBe(text);
  });
});

const hasTraces = (text: string, problem: string): boolean =>
  text.split('\n').some((line) => line.startsWith(`{"problem":"${problem}"`) && line.includes('"traces"'));
