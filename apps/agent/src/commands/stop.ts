import type { Command } from 'commander';
import { dataFolder, requestStop } from '../installation/index.js';
import { dataOption, type AgentProgram } from './context.js';

/** Longer than the agent takes at most, in milliseconds. */
export const stopWithinMs = 65_000;

export function addStopCommand(program: Command, _: AgentProgram): void {
  program
    .command('stop')
    .description('Stops the agent of this computer in order: its tasks end, and its devices clean up.')
    .option(...dataOption)
    .action(async ({ data }: { data?: string }) => {
      const folder = dataFolder(data);
      const pid = await requestStop(folder, stopWithinMs);
      console.log(
        pid === undefined ? `no agent runs on ${folder}` : `the agent, process ${pid}, has stopped`,
      );
    });
}
