import { Command } from 'commander';
import { withoutCredentials } from '@lab/runtime';
import { addCommands } from './commands/index.js';

const usageExit = 2;

/** Runs a command of `svc-agent`. @param launcher absolute path of the launcher of the package */
export async function runCommand(version: string, launcher: string | undefined): Promise<void> {
  const program = new Command('svc-agent')
    .description('Runs the devices and tasks of this computer for the laboratory service.')
    .showHelpAfterError('(svc-agent --help lists the commands)')
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : usageExit));
  addCommands(program, {
    ...{ version, launcher, platform: process.platform },
    serve: () => import('./main.js'),
    end: () => void process.emit('SIGTERM'),
  });
  try {
    await program.parseAsync();
  } catch (error) {
    console.error(`svc-agent: ${withoutCredentials(error instanceof Error ? error.message : String(error))}`);
    process.exitCode = 1;
  }
}
