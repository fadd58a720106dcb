import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiClient } from '@lab/api-client';
import { awaitsPerson, isTerminal } from '@lab/contracts/vocabulary';
import { processEnvironment } from '@lab/runtime';
import { startingMs } from '../commands/at-service.js';
import { eventText, startStack } from '../stack/index.js';
import { freePort } from '../stack/ports.js';
import { readWork, type CampaignWithRuns } from '../watch/work.js';
import type { Progress } from './progress.js';

const usualPort = 8070;
/** Milliseconds between two looks at a campaign. */
const lookMs = 500;

interface DemoService {
  client: ApiClient;
  url: string;
}

/**
 * Starts the whole service with its own data, does the work of a demonstration and removes the data.
 *
 * @param settings environment of the service
 * @param signal stops the demonstration and everything that it started
 * @throws Error in one sentence when the service cannot be started; whatever `work` throws
 */
export async function withDemoService<T>(
  settings: Readonly<Record<string, string>>,
  progress: Progress,
  signal: AbortSignal,
  work: (service: DemoService) => Promise<T>,
): Promise<T> {
  const folder = join(process.cwd(), '.svc');
  await mkdir(folder, { recursive: true });
  const dataDir = await mkdtemp(join(folder, 'demo-'));
  try {
    progress.step('starting the service');
    const stack = await startStack({
      signal,
      sources: {
        override: {
          SVC_DATA_DIR: dataDir,
          SVC_HTTP_PORT: processEnvironment()['SVC_HTTP_PORT'] ?? String(await freePort(usualPort)),
          ...settings,
        },
      },
      onEvent: (event) => {
        const text = eventText(event);
        if (text !== undefined) progress.step(text);
      },
    });
    try {
      progress.step(`serving at ${stack.url}: open this address while the demo runs`);
      return await work({ client: new ApiClient(stack.url, { timeoutMs: startingMs }), url: stack.url });
    } finally {
      await stack.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/**
 * Follows a campaign to its end.
 *
 * @param onRuns gets the number of runs that have ended
 * @returns the campaign with its runs
 */
export async function campaignEnded(
  client: ApiClient,
  name: string,
  onRuns: (ended: number) => void,
  signal: AbortSignal,
): Promise<CampaignWithRuns> {
  for (;;) {
    const record = await client.get('/api/campaigns/{campaign_name}', {
      path: { campaign_name: name },
      signal,
    });
    onRuns(record.protocol_runs_completed + record.protocol_runs_failed);
    if (isTerminal(record.state) || awaitsPerson(record.state)) break;
    await delay(lookMs, undefined, { signal });
  }
  return (await readWork(client, { kind: 'campaign', name }, signal)).record;
}
