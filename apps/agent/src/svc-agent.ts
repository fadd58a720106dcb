/** The program of the package for instrument PCs. `svc agent` starts `main.ts` without it. */
import { readFileSync } from 'node:fs';
import { normalize } from 'node:path';
import { Command } from 'commander';
import { processEnvironment, withoutCredentials } from '@lab/runtime';
import { addCommands } from './commands/index.js';

const usageExit = 2;
/** The launcher of the package sets it. */
const launcher = processEnvironment()['SVC_AGENT_LAUNCHER'];

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const program = new Command('svc-agent')
  .description('Runs the devices and tasks of this computer for the laboratory service.')
  .showHelpAfterError('(svc-agent --help lists the commands)')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : usageExit));
addCommands(program, {
  version,
  launcher: launcher ? normalize(launcher) : undefined,
  platform: process.platform,
  serve: () => import('./main.js'),
  end: () => void process.emit('SIGTERM'),
});

try {
  await program.parseAsync();
} catch (error) {
  console.error(`svc-agent: ${withoutCredentials(error instanceof Error ? error.message : String(error))}`);
  process.exitCode = 1;
}
