import type { Command } from 'commander';
import { table } from '../at-service.js';
import { exitCodes, UsageError } from '../exit-codes.js';
import { userError } from '../user-error.js';
import type { VerifiedRelease } from './verify-release.js';

interface VerifyFlags {
  provenance: string;
  key?: string;
  unsigned?: boolean;
  json?: boolean;
}

/** `svc release verify`. It needs no service and no network. */
export function addReleaseCommand(program: Command): void {
  program
    .command('release')
    .description('files of a release of this product')
    .command('verify')
    .description('compare files of a release with their provenance, which says from what they were built')
    .argument('<files...>', 'the files, such as svc-agent-0.3.0-linux-x64.tar.gz')
    .requiredOption('--provenance <file>', 'provenance.intoto.jsonl of the release')
    .option('--key <key>', 'the code key that must have signed it, svc_code_…')
    .option('--unsigned', 'take a provenance that nobody signed; whoever changes a file can change that too')
    .option('--json', 'print the result as JSON')
    .action(async (files: string[], flags: VerifyFlags) => {
      try {
        await verify(files, flags);
      } catch (error) {
        process.stderr.write(`${userError(error)}\n`);
        process.exitCode = error instanceof UsageError ? exitCodes.usage : exitCodes.failed;
      }
    });
}

async function verify(files: string[], { provenance, key, unsigned, json }: VerifyFlags): Promise<void> {
  if ((key === undefined) !== (unsigned === true))
    throw new UsageError('name either the --key that must have signed the provenance, or --unsigned');
  const { verifyRelease } = await import('./verify-release.js');
  const found = await verifyRelease(files, provenance, key);
  if (!found.ok) process.exitCode = exitCodes.failed;
  const lines = json === true ? [JSON.stringify(found, null, 2)] : linesOf(found);
  process.stdout.write(`${lines.join('\n')}\n`);
}

function linesOf({ files, signed_by, builder, commit, changed_sources, lock }: VerifiedRelease): string[] {
  return [
    ...table([
      ['FILE', 'SHA-256', 'VERDICT'],
      ...files.map(({ file, sha256, verdict }) => [file, sha256, verdict]),
    ]),
    '',
    `signed by: ${signed_by ?? 'nobody'}`,
    `built by:  ${builder}`,
    `commit:    ${commit ?? 'unknown'}${changed_sources ? ', with changes that were not committed' : ''}`,
    `npm lock:  ${lock ?? 'unknown'}`,
  ];
}
