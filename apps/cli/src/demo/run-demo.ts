import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ApiClient, type CampaignSubmission } from '@lab/api-client';
import { awaitsPerson, isTerminal } from '@lab/contracts/vocabulary';
import { processEnvironment } from '@lab/runtime';
import { freePort } from '../stack/ports.js';
import { eventText, startStack } from '../stack/index.js';
import { randomRows, seededRandom } from './random-rows.js';
import { comparison } from './comparison.js';
import { startingMs } from '../commands/at-service.js';
import { readWork, type CampaignWithRuns } from '../watch/work.js';
import { Progress } from './progress.js';

const usualPort = 8070;
/** Number of runs of each campaign. */
const runs = 18;
const labels = { at_random: `${runs} runs at random`, optimized: `${runs} runs optimized` } as const;
/** Milliseconds between two looks at a campaign. */
const lookMs = 500;
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
  const folder = join(process.cwd(), '.svc');
  await mkdir(folder, { recursive: true });
  const dataDir = await mkdtemp(join(folder, 'demo-'));
  tell('A simulated color lab looks for a color, first at random, then with an optimizer.');
  tell('The demo takes about 40 s on two free processor cores.\n');
  const bars = Object.values(labels).map((label) => ({ label, total: runs }));
  const progress = new Progress(output, bars);
  try {
    progress.step('starting the service');
    const stack = await startStack({
      signal,
      sources: {
        override: {
          SVC_DATA_DIR: dataDir,
          SVC_USER_DIR: userDir,
          SVC_LABS: 'color_lab',
          SVC_HTTP_PORT: processEnvironment()['SVC_HTTP_PORT'] ?? String(await freePort(usualPort)),
        },
      },
      onEvent: (event) => {
        const text = eventText(event);
        if (text !== undefined) progress.step(text);
      },
    });
    try {
      progress.step(`serving at ${stack.url}: open this address while the demo runs`);
      const client = new ApiClient(stack.url, { timeoutMs: startingMs });
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
        campaigns.push(await ended(client, submission.name, progress, signal));
      }
      progress.end();
      const [atRandom, optimized] = campaigns as [CampaignWithRuns, CampaignWithRuns];
      tell('');
      for (const line of comparison(atRandom, optimized)) tell(line);
      tell('');
      tell(`The description of the interface was at ${stack.url}/docs; \`npm start\` serves it again.`);
      return (
        campaigns.every(({ state }) => state === 'completed') && shortest(optimized) < shortest(atRandom)
      );
    } finally {
      await stack.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Follows a campaign to its end. @returns the campaign with its runs */
async function ended(
  client: ApiClient,
  name: keyof typeof labels,
  progress: Progress,
  signal: AbortSignal,
): Promise<CampaignWithRuns> {
  for (;;) {
    const record = await client.get('/api/campaigns/{campaign_name}', {
      path: { campaign_name: name },
      signal,
    });
    progress.move(labels[name], record.protocol_runs_completed + record.protocol_runs_failed);
    if (isTerminal(record.state) || awaitsPerson(record.state)) break;
    await delay(lookMs, undefined, { signal });
  }
  return (await readWork(client, { kind: 'campaign', name }, signal)).record;
}

/** Distance of the best color; infinite: no color was measured. */
function shortest({ protocol_runs: of }: CampaignWithRuns): number {
  const distances = of.map(
    ({ tasks }) => tasks.find(({ name }) => name === 'score_color')?.output_parameters?.['loss'],
  );
  return Math.min(...distances.filter((loss): loss is number => typeof loss === 'number'));
}
