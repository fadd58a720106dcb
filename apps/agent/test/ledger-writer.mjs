// Appends to the ledger in the folder given until it is killed; says each id on standard output once it is durable.
import { defaultLedgerMemory, DiskLedger } from '@lab/actors';
import { FolderLedgerDisk } from '../dist/ledger-disk.js';

const [, , folder, life] = process.argv;
const quiet = () => undefined;
const log = {
  debug: quiet,
  info: quiet,
  warn: quiet,
  error: (...all) => console.error(...all),
  child: () => log,
};
const timers = { after: (ms, callback) => clearTimeout.bind(null, setTimeout(callback, ms)) };
const ledger = new DiskLedger(new FolderLedgerDisk(folder), { log, timers }, { segmentBytes: 16 * 1024 });
await ledger.open(defaultLedgerMemory);
for (let n = 0; ; n += 8) {
  const ids = Array.from({ length: 8 }, (_, i) => `${life}-${n + i}`);
  await Promise.all(
    ids.map(async (attemptId, i) => {
      await ledger.append({ type: 'accept', attemptId, label: 'x'.repeat(n % 300) });
      if (i > 0) await ledger.append({ type: 'acked', attemptId });
      process.stdout.write(`${attemptId}${i > 0 ? ' closed' : ' open'}\n`);
    }),
  );
}
