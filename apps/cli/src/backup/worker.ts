import { encrypterFor, runBackup } from '@lab/backup';
import { noteBackup } from '@lab/persistence/administration';
import { defineConfig, optional, runService, settings } from '@lab/runtime';
import { backupLineIn } from '../stack/data-folder.js';
import { openTaskFiles, openVault } from './places.js';

/** Hours and days in milliseconds. */
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const config = defineConfig({
  backup: settings.backup,
  accessKeyId: settings.backupS3AccessKeyId,
  secretAccessKey: settings.backupS3SecretAccessKey,
  dataDir: settings.dataDir,
  files: settings.files,
  /** Address of the database for its superuser. */
  databaseUrl: optional({ ...settings.databaseUrl, env: 'SVC_BACKUP_DATABASE_URL' }),
  logLevel: settings.logLevel,
});

/** The last turn copies what the other services recorded when they stopped. */
const lastTurnMs = 12_000;

await runService('backup', config, async ({ config, log, shutdown }) => {
  const { backup, databaseUrl, dataDir, accessKeyId, secretAccessKey } = config;
  const keys = { accessKeyId, secretAccessKey };
  if (backup === undefined || databaseUrl === undefined) throw new Error('nothing says where to copy to');
  encrypterFor(backup.recipient);
  const end = new AbortController();
  // The folder or bucket may be away for a while. The service does not wait for it.
  const running = runBackup(
    {
      ...{ place: backup.to, recipient: backup.recipient, dataDir, databaseUrl: databaseUrl.reveal(), log },
      openVault: () => openVault({ settings: backup, ...keys }),
      lineFile: backupLineIn(dataDir),
      files: config.files.store === 'disk' ? await openTaskFiles(dataDir) : undefined,
      everyMs: backup.every_hours * hourMs,
      keepMs: backup.keep_days * dayMs,
      report: (state) => noteBackup(databaseUrl.reveal(), state),
    },
    end.signal,
  );
  shutdown.add(
    'backup',
    async () => {
      end.abort();
      await running;
    },
    { deadlineMs: lastTurnMs },
  );
});
