import { describe, expect, it } from 'vitest';
import { playSeeds } from '../../src/faults/play/campaign.js';
import { plan, play } from '../../src/faults/play/enumerate.js';
import { exempt, pointList } from '../../src/faults/play/point-list.js';

/** A sample: `npm run sim:faults` plays any number of schedules, `npm run sim:points` all points. */
describe('random schedules with faults', () => {
  it('10 schedules break no invariant', { timeout: 300_000 }, async () => {
    const tally = await playSeeds(Array.from({ length: 10 }, (_, n) => n + 1));
    expect(tally.failed).toEqual([]);
    expect(tally.schedules).toBe(10);
  });

  it('keeps a device whose status events arrive in another order than they were sent', async () => {
    // In this schedule the doubt of a device is reported at the time of an emergency stop, and arrives before it.
    expect((await playSeeds([59_370])).failed).toEqual([]);
  });

  it('stops a device that is reloaded while a call to it is being recorded', async () => {
    // In this schedule the agent is suspended at that moment, and gets the new list of devices when it continues.
    expect((await playSeeds([71_635])).failed).toEqual([]);
  });
});

describe('the points at which a process can be lost', () => {
  it(
    'are all reached by a scenario, and every reached point is in a list',
    { timeout: 120_000 },
    async () => {
      const { uncovered, unlisted } = await plan(1);
      expect(uncovered).toEqual([]);
      expect(unlisted).toEqual([]);
    },
  );

  it('are exempt only if they exist', () => {
    expect(Object.keys(exempt).filter((point) => !pointList().includes(point))).toEqual([]);
  });

  it(
    'break no invariant when a process is killed, stopped or disconnected at every thirtieth of them',
    { timeout: 300_000 },
    async () => {
      const broken = [];
      const { trials } = await plan(1);
      for (const trial of trials.filter((_, index) => index % 30 === 0)) {
        const violations = await play(trial);
        if (violations.length > 0) broken.push({ trial, violations });
      }
      expect(broken).toEqual([]);
    },
  );
});
