import { Option, type Command } from 'commander';
import { overrideEnvironment, processEnvironment } from '@lab/runtime';
import { awaitStop, dataFolder, defaultsFor, joinedFile, readJoined } from '../installation/index.js';
import { keptHere } from '../keeping/index.js';
import { dataOption, type AgentProgram } from './context.js';

export function addRunCommand(program: Command, { serve, end }: AgentProgram): void {
  program
    .command('run')
    .description('Runs the devices and tasks of this computer until Ctrl-C or "svc-agent stop".')
    .option(...dataOption)
    .option(
      '--computer <name>',
      'the name of this computer (default: SVC_COMPUTER, or the name with which it joined)',
    )
    .addOption(new Option('--kept', 'given by the process that starts the agent and updates it').hideHelp())
    .action(async ({ data, computer, kept }: { data?: string; computer?: string; kept?: true }) => {
      const keeper = kept === true ? keptHere() : undefined;
      const folder = dataFolder(data);
      const joined = readJoined(folder);
      const env = processEnvironment();
      if (joined === undefined && !env['SVC_NATS_URL'] && !env['SVC_NATS_URL_FILE']) {
        throw new Error(
          `this computer has not joined a service: ${folder} has no ${joinedFile}, and SVC_NATS_URL is not set`,
        );
      }
      overrideEnvironment({
        ...(joined === undefined ? {} : defaultsFor(env, joined)),
        ...(computer === undefined ? {} : { SVC_COMPUTER: computer }),
        SVC_DATA_DIR: folder,
      });
      awaitStop(folder, end);
      const served = await serve();
      if (keeper !== undefined && served !== undefined)
        void served.serving.then(() => keeper.tell('serving'));
    });
}
