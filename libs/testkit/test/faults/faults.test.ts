import { describe, expect, it } from 'vitest';
import { playSeeds } from '../../src/faults/campaign.js';
import { plan, play } from '../../src/faults/enumerate.js';
import { exempt, pointList } from '../../src/faults/point-list.js';

describe('whatever goes wrong', () => {
  it('300 schedules break no invariant', { timeout: 300_000 }, async () => {
    const tally = await playSeeds(Array.from({ length: 300 }, (_, n) => n + 1));
    expect(tally.failed).toEqual([]);
    expect(tally.schedules).toBe(300);
  });
});

describe('the points at which a process can be lost', () => {
  it(
    'are all reached by a scenario, and nothing is reached that is in no list',
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
    'break no invariant when a process is killed, stopped or cut off there',
    { timeout: 300_000 },
    async () => {
      const broken = [];
      for (const trial of (await plan(1)).trials) {
        const violations = await play(trial);
        if (violations.length > 0) broken.push({ trial, violations });
      }
      expect(broken).toEqual([]);
    },
  );
});
