import { setTimeout as delay } from 'node:timers/promises';
import { awaitsPerson, isTerminal, type ProtocolRunRecord } from '@lab/contracts';
import logUpdate from 'log-update';
import type { CampaignWithRuns, Client } from '../client.js';
import { campaignView } from './campaign-view.js';
import { paintState } from './style.js';

/** How often the view is drawn again, in milliseconds. */
const redrawMs = 250;

/**
 * Shows a campaign until it has ended: redrawn in place on a terminal, one line a change elsewhere.
 *
 * @param signal ends the watching (not the campaign) when aborted
 */
export async function watchCampaign(
  client: Client,
  name: string,
  output: NodeJS.WriteStream,
  signal: AbortSignal,
): Promise<CampaignWithRuns> {
  const show = output.isTTY ? livePrinter() : linePrinter((line) => output.write(`${line}\n`));
  for (;;) {
    const [campaign, devices] = await Promise.all([client.campaign(name), client.devices()]);
    show.update(campaign, () => campaignView(campaign, devices));
    if (isTerminal(campaign.state) || awaitsPerson(campaign.state)) {
      show.done();
      return campaign;
    }
    await delay(redrawMs, undefined, { signal });
  }
}

interface Printer {
  update(campaign: CampaignWithRuns, view: () => string[]): void;
  done(): void;
}

function livePrinter(): Printer {
  return {
    update: (_, view) => logUpdate(view().join('\n')),
    done: () => logUpdate.done(),
  };
}

function linePrinter(print: (line: string) => void): Printer {
  const seen = new Map<string, string>();
  const tell = (key: string, state: string, line: () => string): void => {
    if (seen.get(key) === state) return;
    seen.set(key, state);
    print(line());
  };
  return {
    update(campaign) {
      for (const run of campaign.protocol_runs) {
        for (const task of run.tasks.filter((each) => each.state === 'running')) {
          const devices = Object.values(task.devices).map((device) => device.name);
          const place = devices.length === 0 ? '' : `  on ${devices.join(', ')}`;
          tell(`${run.name}/${task.name}`, task.state, () => `${run.name}  ${task.name}${place}`);
        }
        if (isTerminal(run.state)) tell(run.name, run.state, () => endOf(run, campaign));
      }
    },
    done: () => undefined,
  };
}

function endOf(run: ProtocolRunRecord, campaign: CampaignWithRuns): string {
  const ended = campaign.protocol_runs.filter((each) => isTerminal(each.state)).length;
  const reason = run.reason === null ? '' : `: ${run.reason.message}`;
  return `${run.name}  ${paintState(run.state)}${reason}  (${ended}/${campaign.max_protocol_runs} runs)`;
}
