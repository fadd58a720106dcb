import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CodeUser, Sharing } from '@lab/hosting';
import { hostPrograms } from './hosts.js';

/** What author code of another user needs in the folder of an agent. All else stays closed to it. */
const folders: Record<string, Sharing> = {
  modules: 'read',
  packages: 'read',
  environments: 'read',
  devices: 'write',
  // A task reaches its own folder, whose name it is told, and cannot list those of others.
  spool: 'pass',
};

/**
 * Lets another user run the code of devices and tasks. From now on only the user of this process can read what this process
 * writes, except for what it shares.
 *
 * @param data data folder of the agent
 * @param folder of the agent in the data folder
 * @throws Error in one sentence when the user cannot reach the folders or the programs
 */
export function shareWith(user: CodeUser, data: string, folder: string): void {
  process.umask(0o077);
  for (let above = folder; above !== dirname(data); above = dirname(above)) user.share(above, 'pass');
  for (const [name, sharing] of Object.entries(folders)) user.share(join(folder, name), sharing);
  // The programs of a version that an update has brought.
  const versions = join(data, 'versions');
  if (existsSync(versions)) user.share(versions, 'pass');
  for (const path of [process.execPath, ...hostPrograms(), join(folder, 'modules')])
    user.demandReadable(path);
}
