import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addAgentsCommand } from './commands/agents.js';
import { addAppCommands } from './commands/apps.js';
import { addArchiveCommands } from './commands/archive.js';
import { addAttentionCommands } from './commands/attention.js';
import { addCompletionCommands } from './commands/completion.js';
import { addDefinitionCommands } from './commands/definitions.js';
import { addDemoCommand } from './commands/demo.js';
import { addDeviceCommands } from './commands/devices.js';
import { addDoctorCommands } from './commands/doctor.js';
import { exitCodes } from './commands/exit-codes.js';
import { addFilesCommands } from './commands/files.js';
import { addListCommand } from './commands/list.js';
import { addLogsCommand } from './commands/logs.js';
import { addOperatingCommands } from './commands/operating.js';
import { addPkgCommands } from './commands/pkg.js';
import { addResourceCommands } from './commands/resources.js';
import { addResultsCommand } from './commands/results.js';
import { addScheduleCommand } from './commands/schedule.js';
import { addSimCommand } from './commands/sim.js';
import { addStartCommand } from './commands/start.js';
import { addSubmitCommand } from './commands/submit.js';
import { addTokenCommands } from './commands/token.js';
import { addWebhookCommands } from './commands/webhook.js';
import { addWorkCommands } from './commands/work.js';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** All commands of `svc`, in the groups that help shows: completion and docs/reference/cli.md are made of this as well. */
export function svcProgram(): Command {
  const program = new Command('svc')
    .description('Runs automated and self-driving laboratories.')
    .version(version)
    .showHelpAfterError('(svc --help lists the commands)')
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : exitCodes.usage));
  program.commandsGroup('Service');
  addStartCommand(program);
  addAppCommands(program);
  addDemoCommand(program);
  program.commandsGroup('Work');
  addSubmitCommand(program);
  addWorkCommands(program);
  addListCommand(program);
  addArchiveCommands(program);
  addLogsCommand(program);
  addFilesCommands(program);
  addResultsCommand(program);
  program.commandsGroup('Operating');
  addScheduleCommand(program);
  addOperatingCommands(program);
  addAttentionCommands(program);
  addAgentsCommand(program);
  addResourceCommands(program);
  addDeviceCommands(program);
  addTokenCommands(program);
  addWebhookCommands(program);
  program.commandsGroup('Definitions');
  addDefinitionCommands(program);
  addPkgCommands(program);
  program.commandsGroup('Tools');
  addSimCommand(program);
  addDoctorCommands(program);
  addCompletionCommands(program);
  return program;
}
