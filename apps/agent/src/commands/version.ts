import type { Command } from 'commander';
import { envelopeVersion } from '@lab/contracts';
import { ownKind } from '@lab/definitions/model';
import { dataFolder } from '../installation/index.js';
import { readPointer } from '../keeping/index.js';
import { dataOption, type AgentProgram } from './context.js';

export function addVersionCommand(program: Command, { version }: AgentProgram): void {
  program
    .command('version')
    .description('Prints the versions of this program, of its protocol and of its Node, and the last update.')
    .option(...dataOption)
    .action(({ data }: { data?: string }) => {
      const { platform, abi } = ownKind();
      console.log(
        `svc-agent ${version}, protocol ${envelopeVersion}, Node ${process.versions.node} (ABI ${abi}), ${platform}`,
      );
      const pointer = readPointer(dataFolder(data));
      if (pointer === undefined) return;
      const { installed = version, failed } = pointer;
      console.log(
        `"svc-agent run" runs version ${pointer.version ?? installed}${pointer.trial ? ', which has not served yet' : ''}`,
      );
      if (failed !== undefined)
        console.log(`the update to ${failed.version} failed at ${failed.at}: ${failed.why}`);
    });
}
