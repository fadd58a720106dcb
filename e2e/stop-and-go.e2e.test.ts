import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { repetitions } from '@lab/testkit/scale';
import { describe, expect, it } from 'vitest';
import { eventually, isOver } from './api.js';
import { beakersAstray, campaigns, start, ways } from './stop-and-go.js';

/** `SVC_TEST_SCALE=1` tells the story ten times, else once. */
const rounds = Array.from({ length: repetitions(10) }, (_, index) => index + 1);

describe('the shipped labs', () => {
  it.each(rounds)(
    'complete their campaigns however the service is stopped meanwhile (round %i)',
    async () => {
      const dataDir = await mkdtemp(join(tmpdir(), 'svc-stop-and-go-'));
      let lab = await start(dataDir);
      try {
        for (const campaign of campaigns)
          expect((await lab.api.submit('campaigns', campaign)).status).toBe(201);
        for (const [way, { stop, goOn }] of Object.entries(ways)) {
          await sleep(500 + Math.random() * 2_000);
          await stop(lab);
          lab = await start(dataDir);
          await goOn(lab);
          for (const { name } of campaigns)
            expect([way, (await lab.api.campaign(name)).state]).not.toContain('failed');
        }
        for (const { name, max_protocol_runs: runs } of campaigns) {
          const ended = await eventually(() => lab.api.campaign(name), isOver, 120_000);
          expect(ended).toMatchObject({ state: 'completed', reason: null });
          expect(ended.protocol_runs.filter(({ state }) => state === 'completed')).toHaveLength(runs);
        }
        expect(await beakersAstray(lab)).toEqual([]);
        expect(await lab.api.attention()).toEqual([]);
      } finally {
        await lab.stack.dispose();
        await rm(dataDir, { recursive: true, force: true });
      }
    },
    600_000,
  );
});
