import type { Command } from 'commander';
import { relativeTo } from '../../pkg/place.js';
import { exitCodes } from '../exit-codes.js';
import { userError } from '../user-error.js';

/** `svc lab-repo`: a repository of labs that needs no clone of the product. */
export function addLabRepositoryCommand(program: Command): void {
  program
    .command('lab-repo')
    .description('start a repository of labs of your own')
    .command('create')
    .description(
      'write a repository with one lab that works, with tests, Nx and pipelines; nothing is overwritten',
    )
    .argument('<folder>', 'folder of the repository; it is made')
    .requiredOption(
      '--tarballs <folder or URL>',
      'npm packages of this release, which the repository installs',
    )
    .option('--name <lab>', 'name of the lab and its package: letters, digits and underscores', 'my_lab')
    .action(async (folder: string, flags: { name: string; tarballs: string }) => {
      try {
        const { createLabRepository } = await import('../../lab-repo/create.js');
        for (const file of createLabRepository(folder, flags))
          process.stdout.write(`wrote ${relativeTo(process.cwd(), file)}\n`);
        process.stdout.write(`next: cd ${folder} && npm install && npx nx run-many -t check,test,simulate\n`);
      } catch (error) {
        process.stderr.write(`${userError(error)}\n`);
        process.exitCode = exitCodes.failed;
      }
    });
}
