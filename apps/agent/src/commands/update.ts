import type { Command } from 'commander';
import { dataFolder } from '../installation/index.js';
import { dataOption, type AgentProgram } from './context.js';
import { membership } from './doctor.js';

interface Options {
  data?: string;
  to?: string;
  check?: boolean;
}

export function addUpdateCommand(program: Command, { version }: AgentProgram): void {
  program
    .command('update')
    .description(
      'Updates the agent to the newest version that its service offers, and goes back if it fails.',
    )
    .option(...dataOption)
    .option('--to <version>', 'this version, which may be older')
    .option('--check', 'only say which version there is')
    .action(async ({ data, to, check = false }: Options) => {
      const folder = dataFolder(data);
      const joined = membership(folder, version);
      const credentials = joined?.own.membership?.credentials;
      if (joined === undefined || credentials === undefined)
        throw new Error(
          `this computer has not joined a service with an invitation: ${folder} does not say where to ask; update it by hand`,
        );
      const { gateway, proxy, own } = joined;
      // The agent itself, which runs for months, does not load what only an update needs.
      const { platformHere, update } = await import('../updates/index.js');
      await update({
        ...{ data: folder, gateway, version, to, onlyCheck: check, say: (line) => console.log(line) },
        ...{ way: { authorities: own.authorities, proxy }, credentials },
        platform: platformHere,
      });
    });
}
