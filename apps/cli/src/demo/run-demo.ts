import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CampaignSubmission } from '@lab/contracts';
import { processEnvironment } from '@lab/runtime';
import { Client } from '../client.js';
import { freePort } from '../stack/ports.js';
import { eventText, startStack } from '../stack/index.js';
import { faint } from './style.js';
import { resultTable } from './result-table.js';
import { watchCampaign } from './watch-campaign.js';

const usualPort = 8070;

/** The flagship package lies in the same tree as this program. */
const userDir = fileURLToPath(new URL('../../../../lab-packages', import.meta.url));

/**
 * Starts the whole service with data of its own, runs the sweep campaign of the color lab and shows it.
 *
 * @param signal stops the demonstration, everything it started included
 * @returns whether the campaign completed
 * @throws Error in one sentence when the service cannot be started; ProblemError when it refuses the campaign
 */
export async function runDemo(output: NodeJS.WriteStream, signal: AbortSignal): Promise<boolean> {
  const tell = (text: string): void => void output.write(`${text}\n`);
  const folder = join(process.cwd(), '.svc');
  await mkdir(folder, { recursive: true });
  const dataDir = await mkdtemp(join(folder, 'demo-'));
  try {
    tell('starting the service with a simulated color lab');
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
        if (text !== undefined) tell(faint(text));
      },
    });
    try {
      tell(`serving at ${stack.url}, described at ${stack.url}/docs`);
      const client = new Client(stack.url);
      const sweep = await client.submitCampaign(await readSweep());
      const campaign = await watchCampaign(client, sweep.name, output, signal);
      for (const line of resultTable(campaign)) tell(line);
      tell('');
      tell(`The description of the interface was at ${stack.url}/docs; \`npm start\` serves it again.`);
      return campaign.state === 'completed';
    } finally {
      await stack.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function readSweep(): Promise<CampaignSubmission> {
  const text = await readFile(join(userDir, 'color_lab', 'examples', 'sweep.json'), 'utf8');
  return JSON.parse(text) as CampaignSubmission;
}
