import { describe, expect, it } from 'vitest';
import { Timetable } from '../../src/schedule/timetable.js';
import { after, culture, task } from './lab.js';

describe('a timetable', () => {
  it('lets runs use different units at the same time, and one unit in turn', () => {
    const timetable = new Timetable();
    expect(timetable.add(culture(), [100, 10], 0)).toBe(110);
    // The other incubator is free, and the reader after the first run.
    expect(timetable.add(culture(), [100, 10], 0)).toBe(120);
    expect(timetable.add(culture(), [100, 10], 0)).toBe(210);
  });

  it('uses a gap before a later task of another run', () => {
    const timetable = new Timetable();
    timetable.add(culture(), [100, 10], 0);
    expect(timetable.add(culture(), [40, 10], 0)).toBe(50);
    // A reading from 95 would last into that from 100.
    expect(timetable.tryOut(culture(), [45, 10], 50)).toBe(120);
  });

  it('changes nothing when a run is only tried out', () => {
    const timetable = new Timetable();
    expect(timetable.tryOut(culture(), [100, 10], 5)).toBe(115);
    expect(timetable.tryOut(culture(), [100, 10], 5)).toBe(115);
  });

  it('counts the rest of a running task, at least none', () => {
    const timetable = new Timetable();
    const running = (started: number) => [task('mix.incubate', 100, [0], { started })];
    expect(timetable.add(running(-60), [100], 0)).toBe(40);
    expect(timetable.add([task('mix.incubate', 100, [0])], [100], 0)).toBe(140);
    expect(new Timetable().add(running(-300), [100], 0)).toBe(0);
  });

  it('keeps a unit for later tasks of its run, and finds a place in which it can', () => {
    const kept = [
      task('fill', 5, [], { slots: [{ units: [0], like: null, kept: [2] }] }),
      task('shake', 50, [1], after(0)),
      task('empty', 5, [], { ...after(1), slots: [{ units: [0], like: { task: 0, slot: 0 }, kept: [] }] }),
    ];
    const timetable = new Timetable();
    expect(timetable.add(kept, [5, 50, 5], 0)).toBe(60);
    // Unit 0 is free only before 70 and after 100: the run would keep it from 60 to 120.
    expect(timetable.add([task('wash', 30, [0], { earliest: 70 })], [30], 0)).toBe(100);
    expect(timetable.add(kept, [5, 50, 5], 0)).toBe(160);
  });

  it('keeps lags and earliest starts', () => {
    const tasks = [task('a', 5, [0], { earliest: 3 }), task('b', 5, [0], after(0, 7))];
    expect(new Timetable().add(tasks, [5, 5], 1)).toBe(20);
  });

  it('gives one task two different units', () => {
    const both = task('move', 5, [], {
      slots: [
        { units: [0, 1], like: null, kept: [] },
        { units: [0, 1], like: null, kept: [] },
      ],
    });
    const timetable = new Timetable();
    timetable.add([task('wash', 20, [1])], [20], 0);
    expect(timetable.add([both], [5], 0)).toBe(25);
  });

  it('says that a run cannot end whose unit nobody has, or which another run keeps for ever', () => {
    expect(
      new Timetable().add([task('a', 5, [], { slots: [{ units: [], like: null, kept: [] }] })], [5], 0),
    ).toBe(Infinity);
  });
});
