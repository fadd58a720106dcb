import type { Command } from 'commander';
import { envelopeVersion } from '@lab/contracts';
import type { AgentProgram } from './context.js';

export function addVersionCommand(program: Command, { version }: AgentProgram): void {
  program
    .command('version')
    .description('Prints the versions of the agent, of its protocol and of its Node, and the platform.')
    .action(() => {
      const { platform, arch, versions } = process;
      console.log(
        `svc-agent ${version}, protocol ${envelopeVersion}, Node ${versions.node}, ${platform}-${arch}`,
      );
    });
}
