import type { CampaignSubmission } from '@lab/contracts';
import { ints, open, TestLab } from './test-lab.js';

/** A laboratory with a campaign `c` whose parameters an optimizer proposes. */

export const here = '127.0.0.1';

/** A protocol with one task `a`, inputs `n` and `m` and an output score. An optimizer proposes `n`. */
export async function lab(): Promise<TestLab> {
  const test = new TestLab();
  test.lab('l', { arm: 'arm' });
  test.taskType('measure', {
    input_parameters: ints('n', 'm'),
    output_parameters: { score: { type: 'float', desc: '', unit: 'n/a' } },
  });
  test.protocol('p', [{ name: 'a', type: 'measure', parameters: { n: open, m: open } }]);
  const snapshot = test.definitions.protocols.get('p');
  if (snapshot === undefined) throw new Error('no protocol');
  snapshot.protocol.optimizer = { hash: 'o', package: 'l', source: 'optimizer.ts' };
  test.optimizers.boot(here);
  await test.open();
  return test;
}

export async function campaign(test: TestLab, more: Partial<CampaignSubmission> = {}): Promise<void> {
  await test.engine.submissions.campaign({
    name: 'c',
    protocol: 'p',
    max_protocol_runs: 3,
    optimize: true,
    global_parameters: { a: { m: 7 } },
    ...more,
  });
  await test.clock.settle();
}

/** Completes the run of that number with a score. */
export async function measure(test: TestLab, n: number, score = 100 - n): Promise<void> {
  await test.complete(`c_run_${n}/a`, { score });
}

/** Number, state and proposed value of each trial of the campaign. */
export function trials(test: TestLab): [number, string, unknown][] {
  const { id } = test.campaignRow('c');
  return [...test.store.rows.trials.values()]
    .filter((row) => row.campaignId === id)
    .sort((a, b) => a.number - b.number)
    .map((row) => [row.number, row.state, row.inputs['a.n']]);
}

/** Runs the campaign to its end. */
export async function finish(test: TestLab): Promise<void> {
  for (let round = 0; round < 60 && test.campaignRow('c').endedAt === null; round += 1) {
    const [next] = test.running();
    if (next === undefined) await test.live(1_000);
    else await measure(test, Number(/\d+/.exec(next)?.[0]));
  }
}
