import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addAgentsCommand } from './commands/operating/agents.js';
import { addAppCommands } from './commands/services/apps.js';
import { addBackupCommands } from './commands/services/backup.js';
import { addBrokerCommands } from './commands/services/broker.js';
import { addArchiveCommands } from './commands/work/archive.js';
import { addDeletionCommands } from './commands/work/deletions.js';
import { addAttentionCommands } from './commands/operating/attention.js';
import { addCompletionCommands } from './commands/services/completion.js';
import { addDefinitionCommands } from './commands/packages/definitions.js';
import { addDatabaseCommands } from './commands/services/database.js';
import { addDemoCommand } from './commands/services/demo.js';
import { addComputerCommands } from './commands/operating/computers.js';
import { addDeviceCommands } from './commands/operating/devices.js';
import { addLabRepositoryCommand } from './commands/packages/lab-repo.js';
import { addLegalHoldCommands } from './commands/operating/legal-holds.js';
import { addReservationCommands } from './commands/operating/reservations.js';
import { addDrainComputerCommands } from './commands/operating/computer-drains.js';
import { addRolloutCommands } from './commands/operating/rollouts.js';
import { addDrainCommand } from './commands/operating/drain.js';
import { addDoctorCommands } from './commands/services/doctor.js';
import { exitCodes } from './commands/exit-codes.js';
import { addEffectsCommands } from './commands/operating/effects.js';
import { addFilesCommands } from './commands/work/files.js';
import { addListCommand } from './commands/work/list.js';
import { addLogsCommand } from './commands/operating/logs.js';
import { addEmergencyStopCommands } from './commands/operating/stops.js';
import { addQueueCommands } from './commands/operating/queue.js';
import { addMigrateCommand } from './commands/packages/migrate.js';
import { addPkgCommands } from './commands/packages/pkg.js';
import { addReleaseCommand } from './commands/services/release.js';
import { addResourceCommands } from './commands/operating/resources.js';
import { addResultsCommand } from './commands/work/results.js';
import { addScheduleCommand } from './commands/work/schedule.js';
import { addSimCommand } from './commands/packages/sim.js';
import { addKeysCommands } from './commands/services/keys.js';
import { addStartCommand } from './commands/services/start.js';
import { addSubmitCommand } from './commands/work/submit.js';
import { addTokenCommands } from './commands/operating/token.js';
import { addUsageCommand } from './commands/operating/usage.js';
import { addUpgradeCommand } from './commands/operating/upgrade.js';
import { addWebhookCommands } from './commands/operating/webhook.js';
import { addWorkCommands } from './commands/work/work.js';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** All commands of `svc`, grouped as in the help. Completion and docs/reference/cli.md are generated from them. */
export function svcProgram(): Command {
  const program = new Command('svc')
    .description('Runs automated and self-driving laboratories.')
    .version(version)
    .showHelpAfterError('(svc --help lists the commands)')
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : exitCodes.usage));
  program.commandsGroup('Service');
  addStartCommand(program);
  const agent = addAppCommands(program);
  addBrokerCommands(program);
  addDatabaseCommands(program);
  addKeysCommands(program);
  addBackupCommands(program);
  addDemoCommand(program);
  program.commandsGroup('Work');
  addSubmitCommand(program);
  addWorkCommands(program);
  addListCommand(program);
  addArchiveCommands(program);
  addDeletionCommands(program);
  addLogsCommand(program);
  addFilesCommands(program);
  addResultsCommand(program);
  program.commandsGroup('Operating');
  addScheduleCommand(program);
  addEmergencyStopCommands(program);
  addQueueCommands(program);
  addDrainCommand(program);
  addAttentionCommands(program);
  addAgentsCommand(program);
  addComputerCommands(agent);
  addDrainComputerCommands(agent);
  addRolloutCommands(agent);
  addResourceCommands(program);
  addDeviceCommands(program);
  addReservationCommands(program);
  addLegalHoldCommands(program);
  addUsageCommand(program);
  addEffectsCommands(program);
  addUpgradeCommand(program, version);
  addTokenCommands(program);
  addWebhookCommands(program);
  program.commandsGroup('Definitions');
  addDefinitionCommands(program);
  addPkgCommands(program);
  addMigrateCommand(program);
  addLabRepositoryCommand(program);
  program.commandsGroup('Tools');
  addSimCommand(program);
  addDoctorCommands(program);
  addReleaseCommand(program);
  addCompletionCommands(program);
  return program;
}
