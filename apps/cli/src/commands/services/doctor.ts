import { join, resolve } from 'node:path';
import { defineConfig, settings } from '@lab/runtime';
import type { Command } from 'commander';
import { measureDisk } from '../../doctor/disk-latency.js';
import { userError } from '../user-error.js';

interface Flags {
  dataDir?: string;
  computer?: string;
  json?: boolean;
  records?: boolean;
}

/** Commands that inspect the data of the service without changing it. */
export function addDoctorCommands(program: Command): void {
  const doctor = program.command('doctor').description('inspect the data that the service keeps on disk');
  doctor
    .command('ledger')
    .description(
      "print and check the ledger of a computer's agent; exit code 1 when it is damaged or missing",
    )
    .option('--data-dir <folder>', 'data folder (SVC_DATA_DIR, default .svc)')
    .option('--computer <name>', 'name of the computer in lab.yml (SVC_COMPUTER, default svc_computer)')
    .option('--records', 'print every record as one line of JSON')
    .option('--json', 'print one JSON object')
    .action(printLedger);
}

async function printLedger(flags: Flags): Promise<void> {
  try {
    const [{ encodeToken }, { lookAtLedger, reportLines, reportOf }] = await Promise.all([
      import('@lab/contracts'),
      import('../../doctor/ledger-report.js'),
    ]);
    const config = defineConfig({ dataDir: settings.dataDir, computer: settings.computer }).load();
    const computer = flags.computer ?? config.computer;
    const dataDir = flags.dataDir === undefined ? config.dataDir : resolve(flags.dataDir);
    const folder = join(dataDir, 'agents', encodeToken(computer));
    const reading = await lookAtLedger(folder);
    if (reading.generation === 0) throw new Error(`there is no ledger of ${computer} in ${folder}`);
    const fdatasync = await measureDisk(folder).catch((error: unknown) => ({ error: userError(error) }));
    const report = reportOf(reading, { computer, folder, fdatasync });
    const lines = flags.json === true ? [JSON.stringify(report, null, 2)] : reportLines(report);
    if (flags.records === true) lines.unshift(...reading.records.map((record) => JSON.stringify(record)));
    process.stdout.write(`${lines.join('\n')}\n`);
    if (report.state === 'damaged') process.exitCode = 1;
  } catch (error) {
    process.stderr.write(`${userError(error)}\n`);
    process.exitCode = 1;
  }
}
