import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { atService, withUrl, type ServiceFlags } from '../at-service.js';
import { contentOf, saved } from './download.js';

interface ResultsFlags extends ServiceFlags {
  parameters?: boolean;
  output?: string;
}

/** `svc results`. */
export function addResultsCommand(program: Command): void {
  withUrl(program.command('results'))
    .description('print the parameters and results of the runs of a campaign as CSV')
    .argument('<campaign>', 'name of the campaign')
    .option('--parameters', 'only the parameters, as input for svc submit --parameters')
    .option('-o, --output <path>', 'path of the output (default: standard output)')
    .action((name: string, { parameters, output, ...flags }: ResultsFlags) =>
      atService(flags, async (client) => {
        const path = { campaign_name: name };
        const answer =
          parameters === true
            ? await client.open('/api/campaigns/{campaign_name}/parameters.csv', { path })
            : await client.open('/api/campaigns/{campaign_name}/runs.csv', { path });
        if (output === undefined) {
          await pipeline(contentOf(answer), process.stdout, { end: false });
          return [];
        }
        return [`wrote ${await saved(output, (into) => pipeline(contentOf(answer), into))}`];
      }),
    );
}
