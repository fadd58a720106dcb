import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OptimizerRecord, Trial } from '@lab/contracts';
import { eventually, isOver } from './api.js';
import { startLab, type Lab } from './lab.js';

/**
 * A campaign that chooses by the schedule, in the whole service: two incubators work as long as the parameters of a run say, and the
 * processes that decide are killed meanwhile.
 */

const limitMs = 120_000;
const name = 'cultures';
/** Points of the initial design of the package. */
const initial = 6;

let lab: Lab;
beforeAll(async () => {
  const userDir = join(import.meta.dirname, '..', 'tools', 'bench', 'proposals', 'packages');
  lab = await startLab(['incubator_lab'], { userDir, env: { SVC_PROTOCOLS: 'culture' } });
});
afterAll(() => lab.stack.dispose());

/** Undefined: the process has ended, and the next one was not started yet. */
async function pidOf(service: string): Promise<number | undefined> {
  const text = await readFile(join(lab.stack.dataDir, 'run', 'processes.json'), 'utf8');
  return (JSON.parse(text) as { name: string; pid: number }[]).find((each) => each.name === service)?.pid;
}

const trials = (): Promise<Trial[]> => lab.api.all(`/api/campaigns/${name}/trials`);
const chosen = ({ note }: Trial): boolean => note.schedule !== undefined;

/** Waits until a run that was proposed after the first ones was chosen by the schedule. @returns all trials */
const chosenAfter = (count: number): Promise<Trial[]> =>
  eventually(trials, (all) => all.some((trial) => trial.number > count && chosen(trial)), limitMs);

/** Kills a process of the service and waits until another one has taken its place. */
async function killed(service: 'orchestrator' | 'optimizer'): Promise<void> {
  const before = await pidOf(service);
  if (before === undefined) throw new Error(`there is no process ${service}`);
  process.kill(before, 'SIGKILL');
  await eventually(
    () => pidOf(service),
    (pid) => pid !== undefined && pid !== before,
    limitMs,
  );
}

describe('a campaign that chooses by the schedule', () => {
  it(
    'says why it chose a shorter run, and chooses by the same rule after the optimizer and the orchestrator were killed',
    async () => {
      const submitted = await lab.api.submit('campaigns', {
        ...{ name, protocol: 'culture', optimize: true },
        ...{ max_protocol_runs: 0, max_concurrent_protocol_runs: 2 },
        meta: { optimizer_overrides: { batch: 'schedule_aware' } },
      });
      expect(submitted.status).toBe(201);
      await chosenAfter(initial);

      for (const service of ['optimizer', 'orchestrator'] as const) {
        await killed(service);
        await chosenAfter((await trials()).length);
      }

      const { body: optimizer } = await lab.api.call<OptimizerRecord>(
        'GET',
        `/api/campaigns/${name}/optimizer`,
      );
      expect(optimizer).toMatchObject({ runtime_params: { batch: 'schedule_aware' }, failure: null });
      await lab.api.call('POST', `/api/campaigns/${name}/cancel`);
      await eventually(() => lab.api.campaign(name), isOver, limitMs);

      const all = await trials();
      expect(all.map(({ number }) => number)).toEqual(all.map((_, index) => index + 1));
      expect(all.slice(0, initial).filter(chosen)).toEqual([]);
      for (const { note, source } of all.filter(chosen)) {
        expect(source).toBe('optimizer');
        const { reason, worth, seconds, plain_seconds: plain } = note.schedule!;
        expect(reason).toMatch(
          /^chosen because it finishes [\d.]+ s earlier at \d+ % of the expected improvement$/,
        );
        expect(worth).toBeGreaterThanOrEqual(0.5 - 1e-6);
        expect(seconds).toBeLessThan(plain);
      }
      // The incubators worked as long as the points say.
      const campaign = await lab.api.campaign(name);
      for (const run of campaign.protocol_runs) {
        const task = run.tasks.find((each) => each.name === 'incubate' && each.state === 'completed');
        if (task === undefined) continue;
        const seconds = (Date.parse(task.ended_at!) - Date.parse(task.started_at!)) / 1000;
        expect(seconds).toBeGreaterThanOrEqual(0.1 * Number(run.parameters['incubate']?.['hours']) - 0.02);
      }
    },
    4 * limitMs,
  );
});
