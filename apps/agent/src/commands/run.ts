import type { Command } from 'commander';
import { overrideEnvironment, processEnvironment } from '@lab/runtime';
import { awaitStop, dataFolder, defaultsFor, joinedFile, readJoined } from '../installation/index.js';
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
    .action(async ({ data, computer }: { data?: string; computer?: string }) => {
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
      await serve();
    });
}
