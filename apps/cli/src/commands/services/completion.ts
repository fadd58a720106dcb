import { Argument, type Command } from 'commander';
import { candidates, scripts } from '../../completion.js';

/** `svc completion`, and the hidden command that its scripts call. */
export function addCompletionCommands(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands in a shell')
    .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(scripts)))
    .action((shell: keyof typeof scripts) => void process.stdout.write(scripts[shell]));
  program
    .command('complete', { hidden: true })
    .description('print the possible completions of the last word')
    .argument('[words...]')
    .action((words: string[]) => {
      for (const word of candidates(program, words)) process.stdout.write(`${word}\n`);
    });
}
