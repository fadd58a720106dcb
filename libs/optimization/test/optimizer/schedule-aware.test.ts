import type { TrialNote } from '@lab/contracts';
import type { Table } from '@lab/sdk';
import { describe, expect, it } from 'vitest';
import {
  BayesianSequentialOptimizer,
  continuousInput,
  continuousOutput,
  HybridOptimizer,
  maximize,
  type BayesianArguments,
} from '../../src/index.js';
import { culture, emptyLab } from '../schedule/lab.js';

const args: BayesianArguments = {
  inputs: [continuousInput('mix.hours', [1, 24]), continuousInput('mix.feed', [0, 10])],
  outputs: [continuousOutput('mix.growth', maximize())],
  num_initial_samples: 6,
  seed: 3,
};
const growthOf = ({ 'mix.hours': hours, 'mix.feed': feed }: Table[number]) => ({
  'mix.growth': (1 - Math.exp(-((Number(hours) / 5) ** 2))) * Math.exp(-(((Number(feed) - 6) / 3) ** 2)),
});
const secondsOf = (row: Table[number]) => ({ 'mix.incubate': 10 * Number(row['mix.hours']), 'mix.read': 10 });
const names = (first: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `c_run_${first + i}`);

/** An optimizer that knows the results and the durations of the initial design. */
function begun(more: Partial<BayesianArguments>, timed = true): BayesianSequentialOptimizer {
  const optimizer = new BayesianSequentialOptimizer({ ...args, ...more });
  const runs = names(1, 6);
  const rows = optimizer.sample(6, runs);
  if (timed) optimizer.report_details(runs.map((run, i) => ({ run, durations: secondsOf(rows[i]!) })));
  optimizer.report(rows, rows.map(growthOf), runs);
  return optimizer;
}

/** Eight runs after the initial design: the sum of their hours, and the notes about their choice. */
function campaign(more: Partial<BayesianArguments>) {
  const optimizer = begun(more);
  const notes: NonNullable<TrialNote['schedule']>[] = [];
  let hours = 0;
  for (const run of names(7, 8)) {
    optimizer.report_schedule(emptyLab(culture()));
    const rows = optimizer.sample(1, [run]);
    notes.push(...(optimizer.last_sample().rows ?? []).flatMap(({ note }) => note.schedule ?? []));
    optimizer.report_details([{ run, durations: secondsOf(rows[0]!) }]);
    optimizer.report(rows, rows.map(growthOf), [run]);
    hours += Number(rows[0]!['mix.hours']);
  }
  return { hours, notes };
}

describe('a batch that knows the schedule', () => {
  it('takes shorter runs of nearly the same worth, and says why', () => {
    const plain = campaign({});
    const aware = campaign({ batch: 'schedule_aware', batch_loss: 0.4 });
    expect(plain.notes).toEqual([]);
    expect(aware.hours).toBeLessThan(plain.hours);
    expect(aware.notes.length).toBeGreaterThan(1);
    for (const { worth, seconds, plain_seconds, reason } of aware.notes) {
      expect(worth).toBeGreaterThanOrEqual(0.6 - 1e-6);
      expect(worth).toBeLessThanOrEqual(1);
      expect(worth / seconds).toBeGreaterThan(1 / plain_seconds);
      expect(seconds).toBeLessThan(plain_seconds);
      expect(reason).toMatch(
        /^chosen because it finishes [\d.]+ (s|min|h) earlier at \d+ % of the expected improvement$/,
      );
    }
  });

  it.each([
    ['plain', { batch: 'plain' as const }, true, true],
    ['schedule_aware without a schedule', { batch: 'schedule_aware' as const }, true, false],
    ['schedule_aware without known durations', { batch: 'schedule_aware' as const }, false, true],
    ['schedule_aware without a loss', { batch: 'schedule_aware' as const, batch_loss: 0 }, true, true],
  ])('proposes as by default with %s', (_, more, timed, scheduled) => {
    const usual = begun({});
    const other = begun(more, timed);
    if (scheduled) other.report_schedule(emptyLab(culture(timed ? 100 : null)));
    for (let run = 7; run < 9; run += 1)
      expect(other.sample(1, names(run, 1))).toEqual(usual.sample(1, names(run, 1)));
  });

  it('chooses several rows of one sample, each beside the ones before', () => {
    const optimizer = begun({ batch: 'schedule_aware' });
    optimizer.report_schedule(emptyLab(culture(), 4));
    const rows = optimizer.sample(3, names(7, 3));
    expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBe(3);
  });

  it('proposes the same after a restart, whatever the order of the reports', () => {
    const optimizer = begun({ batch: 'schedule_aware' });
    const restored = new BayesianSequentialOptimizer({ ...args, batch: 'schedule_aware' });
    restored.restore(JSON.parse(JSON.stringify(optimizer.state())) as ReturnType<typeof optimizer.state>);
    const told = new BayesianSequentialOptimizer({ ...args, batch: 'schedule_aware' });
    for (const { name, point, measured } of optimizer.state().runs.reverse()) {
      told.report([point], [measured!], [name!]);
      told.report_details([{ run: name!, durations: secondsOf(point) }]);
    }
    for (const each of [optimizer, restored, told]) each.report_schedule(emptyLab(culture()));
    const rows = optimizer.sample(1, ['c_run_7']);
    expect(restored.sample(1, ['c_run_7'])).toEqual(rows);
    expect(told.sample(1, ['c_run_7'])).toEqual(rows);
  });

  it('can be switched while a campaign runs, and refuses what it cannot do', () => {
    const optimizer = begun({});
    optimizer.set_runtime_params({ batch: 'schedule_aware', batch_loss: 0.3 });
    expect(optimizer.get_runtime_params()).toMatchObject({ batch: 'schedule_aware', batch_loss: 0.3 });
    const refused = (change: Record<string, string | number>) =>
      expect(() => optimizer.set_runtime_params(change));
    refused({ batch: 'fastest' }).toThrow(/batch: "fastest" is not possible/);
    refused({ batch_loss: 1 }).toThrow(/batch_loss: 1 is not a number from 0 to 0.95/);
    refused({ acquisition_function: 'qUCB' }).toThrow(/batch: schedule_aware compares expected improvements/);
    const make = () =>
      new BayesianSequentialOptimizer({
        ...{ ...args, batch: 'schedule_aware' as const },
        acquisition_function: { kind: 'qUCB' },
      });
    expect(make).toThrow(/qUCB has none/);
  });

  it('works inside of the hybrid optimizer', async () => {
    const hybrid = new HybridOptimizer({ ...args, batch: 'schedule_aware' });
    const told = { source: 'optimizer' as const, note: {}, additional: {} };
    const runs = names(1, 6);
    const rows = await hybrid.sample(6, runs);
    hybrid.report_details(runs.map((run, i) => ({ ...told, run, durations: secondsOf(rows[i]!) })));
    await hybrid.report(rows, rows.map(growthOf), runs);
    const notes: unknown[] = [];
    for (const run of names(7, 8)) {
      hybrid.report_schedule(emptyLab(culture()));
      const [row] = await hybrid.sample(1, [run]);
      notes.push(...hybrid.last_sample().rows.flatMap(({ note }) => note.schedule ?? []));
      hybrid.report_details([{ ...told, run, durations: secondsOf(row!) }]);
      await hybrid.report([row!], [growthOf(row!)], [run]);
    }
    expect(notes[0]).toMatchObject({ worth: expect.any(Number), reason: expect.any(String) });
  });
});
