import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Line, Restored } from '@lab/backup';
import { defineConfig, settings } from '@lab/runtime';
import type { Command } from 'commander';
import { seconds } from '../at-service.js';
import { exitCodes, RefusedError, UsageError } from '../exit-codes.js';
import { momentOf } from '../moments.js';
import { userError } from '../user-error.js';

/** A backup that is further behind counts as not working, in milliseconds. */
const behindMs = 300_000;

/** Commands for backups. They need no running service. */
export function addBackupCommands(program: Command): void {
  const backup = program.command('backup').description('copies of everything that "svc start" stores');
  backup
    .command('key')
    .description('make the key that opens backups, and print the recipient for config.yml')
    .requiredOption('--out <file>', 'new file for the key; keep it away from this computer')
    .action(({ out }: { out: string }) =>
      reported(async () => {
        const { makeKey } = await import('@lab/backup');
        const { secret, recipient } = await makeKey();
        await writeKey(out, `# opens the backups for ${recipient}\n${secret}\n`);
        return [recipient];
      }),
    );
  backup
    .command('list')
    .description('the moments that a backup can restore; exit code 3: it is more than 5 min behind')
    .argument('[folder]', 'the folder of the backup; default: backup.to of config.yml')
    .action((folder?: string) =>
      reported(async () => {
        const { listLines } = await import('@lab/backup');
        const lines = await listLines(await vaultAt(folder));
        const late = lateText(lines, Date.now());
        if (late !== undefined) throw new RefusedError([...listed(lines), late].join('\n'));
        return listed(lines);
      }),
    );
  backup
    .command('verify')
    .description('restore a backup into a folder of its own, look whether it is whole, and remove the folder')
    .argument('[folder]', 'the folder of the backup; default: backup.to of config.yml')
    .requiredOption('--key <file>', 'the key that opens the backup')
    .option('--to <time>', 'a moment: 2026-11-15T14:20:00Z; default: the latest')
    .option('--in <folder>', 'where it is restored; default: a folder for temporary files')
    .action((folder: string | undefined, flags: { key: string; to?: string; in?: string }) =>
      reported(async () => {
        const { verifyBackup } = await import('@lab/backup');
        const dataDir = flags.in ?? join(tmpdir(), `svc-verify-${process.pid}`);
        const restored = await verifyBackup({ ...(await opened(folder, flags)), dataDir });
        const text = [...found(restored), ...filesText(restored)];
        if ((restored.missing ?? []).length > 0) throw new RefusedError(text.join('\n'));
        return text;
      }),
    );
  backup
    .command('restore')
    .description('make the data folder as it was at a moment, from a backup')
    .argument('[folder]', 'the folder of the backup; default: backup.to of config.yml')
    .requiredOption('--key <file>', 'the key that opens the backup')
    .option('--to <time>', 'the moment: 2026-11-15T14:20:00Z; default: the latest')
    .option('--data-dir <folder>', 'the data folder, which is empty (SVC_DATA_DIR, default .svc)')
    .action((folder: string | undefined, flags: { key: string; to?: string; dataDir?: string }) =>
      reported(async () => {
        const { restoreBackup } = await import('@lab/backup');
        const { openTaskFiles } = await import('../../backup/index.js');
        const { dataDir } = defineConfig({ dataDir: settings.dataDir }).load({
          override: { SVC_DATA_DIR: flags.dataDir },
        });
        const options = await opened(folder, flags);
        const restored = await restoreBackup({ ...options, dataDir, openFiles: openTaskFiles });
        return [
          ...found(restored),
          ...filesText(restored),
          `${dataDir} is restored. The queue is paused: look at the instruments and samples, then "svc queue resume"`,
        ];
      }),
    );
}

/** @throws UsageError when there is such a file: it may be the only key of another backup */
async function writeKey(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw new UsageError(
      (error as NodeJS.ErrnoException).code === 'EEXIST'
        ? `${path} exists, and may be the key of another backup; choose another file`
        : `The key cannot be written: ${userError(error)}`,
    );
  }
}

/** @throws UsageError when neither the command nor `config.yml` names a backup */
async function vaultAt(folder: string | undefined) {
  const { openFolderVault, openVault } = await import('../../backup/index.js');
  if (folder !== undefined) return openFolderVault(folder);
  const { backup, ...keys } = defineConfig({
    backup: settings.backup,
    accessKeyId: settings.backupS3AccessKeyId,
    secretAccessKey: settings.backupS3SecretAccessKey,
  }).load();
  if (backup === undefined)
    throw new UsageError('Name the folder of the backup, or set backup.to in config.yml (SVC_CONFIG)');
  return openVault({ settings: backup, ...keys });
}

/** What restoring and verifying need. */
async function opened(folder: string | undefined, { key, to }: { key: string; to?: string }) {
  const { secretIn } = await import('@lab/backup');
  let secret: string;
  try {
    secret = secretIn(await readFile(key, 'utf8'));
  } catch (error) {
    throw new UsageError(`The key ${key} cannot be used: ${userError(error)}`);
  }
  return {
    vault: await vaultAt(folder),
    secret,
    to: to === undefined ? undefined : pastMoment(to),
    say: (line: string) => void process.stderr.write(`${line}\n`),
  };
}

/** @throws UsageError unless it is a date with a time */
function pastMoment(given: string): Date {
  if (!given.includes('T')) throw new UsageError(`"${given}" is no moment: write 2026-11-15T14:20:00Z`);
  return new Date(momentOf(given));
}

function listed(lines: readonly Line[]): string[] {
  if (lines.length === 0) return ['no whole copy yet'];
  return lines.flatMap(({ from, to, copies }) => [
    `from ${seconds(from)} to ${seconds(to)}`,
    ...copies.map(({ completedAt }) => `  whole copy of ${seconds(completedAt)}`),
  ]);
}

/** What is wrong; undefined: nothing. */
function lateText(lines: readonly Line[], now: number): string | undefined {
  const last = lines.at(-1);
  if (last === undefined) return 'nothing can be restored';
  const behind = now - Date.parse(last.to);
  return behind <= behindMs ? undefined : `it is ${Math.round(behind / 60_000)} min behind`;
}

function found({ moment, campaigns, protocolRuns, taskRuns }: Restored): string[] {
  return [
    `restored up to ${seconds(moment)}: ${campaigns} campaigns, ${protocolRuns} protocol runs, ${taskRuns} task runs`,
  ];
}

function filesText({ missing }: Restored): string[] {
  if (missing === undefined) return ['files of tasks are in a bucket, and not in this backup'];
  if (missing.length === 0) return ['every file of a task is there'];
  const named = missing.slice(0, 10).map((key) => `  ${key}`);
  return [`${missing.length} files that records name are not in the backup:`, ...named];
}

async function reported(work: () => Promise<string[]>): Promise<void> {
  try {
    process.stdout.write(`${(await work()).join('\n')}\n`);
  } catch (error) {
    process.stderr.write(`${userError(error)}\n`);
    process.exitCode =
      error instanceof UsageError
        ? exitCodes.usage
        : error instanceof RefusedError
          ? exitCodes.refused
          : exitCodes.failed;
  }
}
