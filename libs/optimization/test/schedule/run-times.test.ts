import { describe, expect, it } from 'vitest';
import { Rng } from '../../src/numeric/index.js';
import { TaskDurations } from '../../src/schedule/durations.js';
import { RunTimes } from '../../src/schedule/run-times.js';
import { culture, emptyLab, task } from './lab.js';

const row = (...values: number[]): Float64Array => Float64Array.from(values);
const inputOf = [0, 1];
/** Incubation takes 20 to 220 s by the first input, reading 10 s. */
const incubation = (x: number): number => 20 + 200 * x;
const finished = (count: number) => {
  const rng = Rng.seeded(5);
  return Array.from({ length: count }, () => {
    const [x, y] = [rng.uniform(), rng.uniform()];
    return { row: row(x, y), seconds: { 'mix.incubate': incubation(x), 'mix.read': 10 + 0.2 * y } };
  });
};

describe('durations of tasks', () => {
  it('are unknown before three runs, and for a task that no run had', () => {
    expect(new TaskDurations(finished(2), inputOf).of('mix.incubate', [row(0.5, 0.5)])).toBeNull();
    expect(new TaskDurations(finished(3), inputOf).of('mix.wash', [row(0.5, 0.5)])).toBeNull();
  });

  it('follow the input that they depend on', () => {
    const durations = new TaskDurations(finished(10), inputOf);
    const found = durations.of('mix.incubate', [row(0.1, 0.9), row(0.5, 0.1), row(0.9, 0.5)])!;
    [0.1, 0.5, 0.9].forEach((x, i) => {
      expect(found[i]! / incubation(x)).toBeGreaterThan(0.8);
      expect(found[i]! / incubation(x)).toBeLessThan(1.25);
    });
  });

  it('are the median where they are alike, and stay within twice of what was seen', () => {
    const durations = new TaskDurations(finished(9), inputOf);
    const read = durations.of('mix.read', [row(0, 0), row(1, 1)])!;
    expect(read[0]).toBe(read[1]);
    expect(read[0]).toBeGreaterThan(10);
    expect(read[0]).toBeLessThan(10.2);
    const far = durations.of('mix.incubate', [row(50, 0), row(-50, 0)])!;
    expect(Math.max(...far)).toBeLessThanOrEqual(440);
    expect(Math.min(...far)).toBeGreaterThanOrEqual(10);
  });
});

describe('the time of a further run', () => {
  const learned = new TaskDurations(finished(12), inputOf);
  const none = new TaskDurations([], inputOf);
  const nobody = (): undefined => undefined;

  it('is that of its tasks in an empty laboratory, as learned or else as declared', () => {
    const short = new RunTimes(emptyLab(culture()), learned, nobody).of([row(0, 0.5), row(1, 0.5)])!;
    expect(short[0]).toBeLessThan(50);
    expect(short[1]).toBeGreaterThan(180);
    expect([...new RunTimes(emptyLab(culture()), none, nobody).of([row(0, 0)])!]).toEqual([110]);
  });

  it('is unknown when a duration is, or when no device fits', () => {
    expect(new RunTimes(emptyLab(culture(null)), none, nobody).of([row(0, 0)])).toBeNull();
    const impossible = [task('mix.read', 10, [], { slots: [{ units: [], like: null, kept: [] }] })];
    expect(new RunTimes(emptyLab(impossible), none, nobody).of([row(0, 0)])).toBeNull();
  });

  it('counts from the moment at which another run of the campaign ends, and includes waits for other work', () => {
    const work = [
      { run: 'c_run_1', tasks: [task('mix.incubate', 100, [0], { started: -40 })] },
      { run: null, tasks: [task('other', 300, [1], { started: -100 })] },
    ];
    const lab = { ...emptyLab(culture()), work };
    // The first run ends at 60. Unit 0 is free from then on.
    expect([...new RunTimes(lab, none, nobody).of([row(0, 0)])!]).toEqual([110]);
    // Two runs at the same time: it may begin at once and waits 60 s for the unit.
    expect([...new RunTimes({ ...lab, concurrent: 2 }, none, nobody).of([row(0, 0)])!]).toEqual([170]);
  });

  it('knows what running and coming runs take from their parameters', () => {
    const points: Record<string, Float64Array> = { c_run_1: row(1, 0.5), c_run_2: row(0, 0.5) };
    const pointOf = (run: string) => points[run];
    const work = [{ run: 'c_run_1', tasks: [task('mix.incubate', 100, [0], { started: 0 })] }];
    const one = { ...emptyLab([task('mix.incubate', 100, [0])], 3), work };
    const [alone] = new RunTimes(one, learned, pointOf).of([row(0, 0.5)])!;
    const [behind] = new RunTimes({ ...one, coming: ['c_run_2'] }, learned, pointOf).of([row(0, 0.5)])!;
    expect(alone).toBeGreaterThan(200);
    expect(behind! - alone!).toBeGreaterThan(15);
    expect(behind! - alone!).toBeLessThan(30);
  });

  it('puts runs that were chosen before it first', () => {
    const times = new RunTimes(emptyLab([task('mix.read', 10, [2])], 4), none, nobody);
    expect([...times.of([row(0, 0)])!]).toEqual([10]);
    times.choose(row(0, 0));
    times.choose(row(0, 0));
    expect([...times.of([row(0, 0)])!]).toEqual([30]);
  });
});
