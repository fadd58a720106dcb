export { listLines, type CopyNote, type Line } from './copies.js';
export { encrypterFor, makeKey, secretIn } from './keys.js';
export { restoreBackup, verifyBackup, type Restored, type RestoreOptions } from './restore.js';
export { runBackup, type BackupOptions } from './run-backup.js';
export { Vault } from './vault.js';
