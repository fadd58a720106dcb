import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { EosItem, EosReport } from '../../migrate/eos-report.js';
import { exitCodes } from '../exit-codes.js';

/** `svc migrate`: what of another product runs here. */
export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('say what of the packages of another product runs here')
    .command('eos')
    .description(
      'read the packages of EOS without executing them; the exit code is 1 when something cannot run',
    )
    .argument('<folder>', 'the folder of the packages, which EOS calls user')
    .option('--json', 'print the report as JSON')
    .option(
      '--write',
      'first write device.yml and task.yml for declarations in Python (EOS 0.31); needs Python',
    )
    .action(async (folder: string, flags: { json?: boolean; write?: boolean }) => {
      const path = resolve(folder);
      if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) {
        process.stderr.write(`${folder} is not a folder: give the folder that holds the packages\n`);
        process.exitCode = exitCodes.usage;
        return;
      }
      const { eosReport } = await import('../../migrate/eos-report.js');
      let report = await eosReport(path);
      if (flags.write === true) {
        const { writeDeclarations } = await import('../../migrate/eos-declarations.js');
        const written = await writeDeclarations(report);
        report = await eosReport(path);
        for (const item of report.packages.flatMap((each) => each.items))
          item.reasons = written.left.get(item.file) ?? item.reasons;
        for (const file of written.files) process.stderr.write(`wrote ${file}\n`);
      }
      const items = report.packages.flatMap((each) => each.items);
      if (items.length === 0) {
        process.stderr.write(`${folder} holds no packages: give the folder that EOS calls user\n`);
        process.exitCode = exitCodes.usage;
        return;
      }
      if (items.some(({ result }) => result === 'cannot_run')) process.exitCode = exitCodes.failed;
      process.stdout.write(flags.json === true ? `${JSON.stringify(report, null, 2)}\n` : textOf(report));
    });
}

function textOf({ packages }: EosReport): string {
  const items = packages.flatMap((each) => each.items);
  const number = (result: EosItem['result']): number => items.filter((each) => each.result === result).length;
  const width = Math.max(...items.map(({ name }) => name.length));
  const lines = packages.flatMap(({ package: name, items: own }) => [
    name,
    ...own.flatMap((item) => [
      `  ${item.kind.padEnd(9)}  ${item.name.padEnd(width)}  ${words(item)}`,
      ...item.reasons.flatMap(({ file, line, message, hint }) => [
        `    ${file}${line === null ? '' : `:${line}`}: ${message}`,
        ...(hint === null ? [] : [`    what to do: ${hint}`]),
      ]),
    ]),
  ]);
  const counts = `${number('runs')} run as they are, ${number('needs_libraries')} need libraries, ${number('cannot_run')} cannot run`;
  return `${lines.join('\n')}\n${counts}\n`;
}

function words({ result, libraries }: EosItem): string {
  if (result === 'cannot_run') return 'cannot run';
  return result === 'runs' ? 'runs as it is' : `needs ${libraries.join(', ')} of PyPI`;
}
