import { fileURLToPath } from 'node:url';
import type { CampaignSubmission } from '@lab/api-client';
import type { CampaignWithRuns } from '../watch/work.js';
import { comparison } from './comparison.js';
import { campaignEnded, withDemoService } from './demo-service.js';
import { Progress } from './progress.js';
import { randomRows, seededRandom } from './random-rows.js';

/** Number of runs of each campaign. */
const runs = 18;
const labels = { at_random: `${runs} runs at random`, optimized: `${runs} runs optimized` } as const;
const search = {
  protocol: 'color_matching',
  owner: 'demo',
  max_protocol_runs: runs,
  max_concurrent_protocol_runs: 3,
  on_run_failure: 'continue',
  global_parameters: { score_color: { target_red: 47, target_green: 105, target_blue: 155 } },
} satisfies Omit<CampaignSubmission, 'name'>;

/** The example package is in the same tree as this program. */
const userDir = fileURLToPath(new URL('../../../../lab-packages', import.meta.url));

/**
 * Starts the whole service with its own data, and searches for a color in the color lab twice: with random parameters, and
 * with parameters that an optimizer proposes.
 *
 * @param signal stops the demonstration and everything that it started
 * @returns whether both campaigns completed and the optimizer found the nearer color
 * @throws Error in one sentence when the service cannot be started; ProblemError when it refuses the campaign
 */
export async function runDemo(output: NodeJS.WriteStream, signal: AbortSignal): Promise<boolean> {
  const tell = (text: string): void => void output.write(`${text}\n`);
  tell('A simulated color lab looks for a color, first at random, then with an optimizer.');
  tell('The demo takes about 40 s on two free processor cores.\n');
  const bars = Object.values(labels).map((label) => ({ label, total: runs }));
  const progress = new Progress(output, bars);
  const settings = { SVC_USER_DIR: userDir, SVC_LABS: 'color_lab' };
  return withDemoService(settings, progress, signal, async ({ client, url }) => {
    const optimizer = await client.get('/api/protocols/{protocol_type}/optimizer/defaults', {
      path: { protocol_type: search.protocol },
    });
    const drawn = randomRows(optimizer, runs, seededRandom(1));
    const campaigns: CampaignWithRuns[] = [];
    for (const submission of [
      { ...search, name: 'at_random' as const, protocol_run_parameters: drawn },
      {
        ...search,
        name: 'optimized' as const,
        optimize: true,
        meta: { optimizer_overrides: { seed: 7 } },
      },
    ]) {
      await client.post('/api/campaigns', { body: submission });
      const label = labels[submission.name];
      campaigns.push(
        await campaignEnded(client, submission.name, (ended) => progress.move(label, ended), signal),
      );
    }
    progress.end();
    const [atRandom, optimized] = campaigns as [CampaignWithRuns, CampaignWithRuns];
    tell('');
    for (const line of comparison(atRandom, optimized)) tell(line);
    tell('');
    tell(`The description of the interface was at ${url}/docs; \`npm start\` serves it again.`);
    return campaigns.every(({ state }) => state === 'completed') && shortest(optimized) < shortest(atRandom);
  });
}

/** Distance of the best color; infinite: no color was measured. */
function shortest({ protocol_runs: of }: CampaignWithRuns): number {
  const distances = of.map(
    ({ tasks }) => tasks.find(({ name }) => name === 'score_color')?.output_parameters?.['loss'],
  );
  return Math.min(...distances.filter((loss): loss is number => typeof loss === 'number'));
}
