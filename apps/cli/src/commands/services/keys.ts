import { defineConfig, optional, processEnvironment, settings } from '@lab/runtime';
import type { Command } from 'commander';
import type { KeyState } from '../../keys/key.js';
import { seconds, tableOf } from '../at-service.js';
import { exitCodes, UsageError } from '../exit-codes.js';
import { momentOf } from '../moments.js';
import { userError } from '../user-error.js';

interface RotateFlags {
  overlap: string;
  now?: boolean;
}

/** Commands for the keys in the data folder. They need no running service. */
export function addKeysCommands(program: Command): void {
  const keys = program
    .command('keys')
    .description('the keys in the data folder: their age and use, and not the keys themselves')
    .option('--json', 'print them as JSON')
    .action(({ json = false }: { json?: boolean }) =>
      reported(async () => {
        const states = await (await keyring()).list();
        return json ? [JSON.stringify(states, null, 2)] : listed(states);
      }),
    );
  keys
    .command('rotate')
    .description('replace a key by a new one; the key before is accepted for a while')
    .argument('<name>', 'the key, as the list names it')
    .option('--overlap <time>', 'how long the key before is still accepted: 30m, 24h, 3d', '24h')
    .option('--now', 'the key before ends at once, for example after a theft')
    .action((name: string, flags: RotateFlags) =>
      reported(async () => {
        const overlapMs = flags.now === true ? 0 : overlapOf(flags.overlap);
        return (await keyring()).rotate(name, { overlapMs });
      }),
    );
  keys
    .command('hand-out')
    .description('write the secrets of processes that run without this data folder: one folder for each')
    .argument('<folder>', 'folder for the folders gateway, orchestrator, optimizer and agent')
    .action((folder: string) => reported(() => handedOut(folder)));
}

const listed = tableOf<KeyState>('no keys; "svc start" makes them', {
  NAME: ({ name }) => name,
  SINCE: ({ since }) => (since === null ? 'unknown' : seconds(since)),
  'KEY BEFORE ACCEPTED UNTIL': ({ previous }) =>
    previous === null ? '-' : previous === 'no end' ? previous : seconds(previous),
  'CAN ROTATE': ({ rotates }) => (rotates ? 'yes' : 'no'),
  'SIGNS OR SEALS': ({ use }) => use,
});

/** Loaded only for these commands. */
async function keyring() {
  const { Keyring } = await import('../../keys/index.js');
  const { dataDir } = defineConfig({ dataDir: settings.dataDir }).load();
  return new Keyring(dataDir, processEnvironment());
}

async function handedOut(folder: string): Promise<string[]> {
  const { handOut } = await import('../../keys/index.js');
  const { dataDir, computer, ...given } = defineConfig({
    dataDir: settings.dataDir,
    computer: settings.computer,
    uploadSecret: optional(settings.uploadSecret),
    secretsKey: settings.secretsKey,
    actKey: optional(settings.actKey),
  }).load();
  return (await handOut(dataDir, folder, computer, given)).map((path) => `wrote ${path}`);
}

/** Milliseconds. @throws UsageError */
function overlapOf(given: string): number {
  if (!/^0*[1-9]\d*[mhd]$/.test(given))
    throw new UsageError(`"${given}" is no overlap: write 30m, 24h or 3d, or --now for none`);
  return Date.parse(momentOf(given, 0));
}

async function reported(work: () => Promise<string[]>): Promise<void> {
  try {
    process.stdout.write(`${(await work()).join('\n')}\n`);
  } catch (error) {
    process.stderr.write(`${userError(error)}\n`);
    process.exitCode = error instanceof UsageError ? exitCodes.usage : exitCodes.failed;
  }
}
