import { schedulerTypes } from '@lab/contracts/vocabulary';
import { Option, type Command } from 'commander';
import { exitCodes, UsageError } from '../exit-codes.js';
import { userError } from '../user-error.js';
import type { SimFlags } from './simulate-scenario.js';

/** `svc sim`. The engine and the policies are loaded only when it runs. */
export function addSimCommand(program: Command): void {
  program
    .command('sim')
    .description('simulate work with the engine and the scheduling policies of the service')
    .argument('<file>', 'scenario (YAML): work with its times of arrival, and failures')
    .addOption(
      new Option('--scheduler <type>', 'scheduling policy; overrides the file').choices(schedulerTypes),
    )
    .option('--jitter <share>', 'relative variation of durations, 0 to 0.99; overrides the file')
    .option('--seed <number>', 'seed of the random numbers; overrides the file')
    .option('--user-dir <folder>', 'folder of lab packages (SVC_USER_DIR, default lab-packages)')
    .option('--json', 'print the whole report as JSON')
    .option('--svg <file>', 'also write a chart')
    .action(async (file: string, flags: SimFlags) => {
      try {
        const { simulateScenario } = await import('./simulate-scenario.js');
        const lines = await simulateScenario(file, flags);
        if (lines === undefined) process.exitCode = exitCodes.failed;
        else process.stdout.write(`${lines.join('\n')}\n`);
      } catch (error) {
        process.stderr.write(`${userError(error)}\n`);
        process.exitCode = error instanceof UsageError ? exitCodes.usage : exitCodes.failed;
      }
    });
}
