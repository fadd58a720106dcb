import { describe, expect, it } from 'vitest';
import { systemTimers, uuidV7Source } from '../../src/time/clock.js';

describe('identifiers', () => {
  it('are UUIDs of version 7 that carry the time in milliseconds', () => {
    const id = uuidV7Source({ now: () => 1_700_000_000_123 }).next();
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(1_700_000_000_123);
  });

  it('rise strictly, also within one millisecond and when the clock steps back', () => {
    let now = 1_000;
    const ids = uuidV7Source({ now: () => now });
    const made: string[] = [];
    for (let i = 0; i < 5_000; i++) {
      if (i % 1_000 === 999) now -= 7;
      if (i % 700 === 0) now += 3;
      made.push(ids.next());
    }
    expect(made).toEqual([...made].sort());
    expect(new Set(made).size).toBe(made.length);
  });
});

describe('timers', () => {
  it('fire once after the time, and never after a cancel', async () => {
    const fired: string[] = [];
    systemTimers.after(5, () => fired.push('kept'));
    systemTimers.after(1, () => fired.push('cancelled'))();
    await expect.poll(() => fired).toEqual(['kept']);
  });

  it('do not fire early for a wait above the limit of the system', async () => {
    let fired = false;
    const cancel = systemTimers.after(3_000_000_000, () => {
      fired = true;
    });
    await new Promise((resolve) => systemTimers.after(20, () => resolve(undefined)));
    cancel();
    expect(fired).toBe(false);
  });
});
