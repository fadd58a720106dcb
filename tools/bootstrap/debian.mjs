import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root, run, tail } from './command.mjs';

/** The folder for what is fetched. */
export const cache = join(root, '.cache');

/**
 * Fetches Debian packages and unpacks them, without touching the system: apt verifies them against the signatures of the
 * distribution, and its lists and cache are private folders.
 *
 * @param {number} timeoutMs of each command
 * @param {number} timeoutS of each connection
 * @param {(apt: (args: string[], systemLists?: boolean) => ReturnType<typeof run>) => Promise<string | undefined>} fetch runs apt in the folder into
 *   which it downloads; returns why it did not work
 * @param {(unpacked: string) => Promise<string | undefined> | undefined} use moves what is needed out of the folder, which is
 *   removed afterwards; returns why it did not work
 * @returns {Promise<string | undefined>} why it did not work; undefined when it did
 */
export async function unpackDebian({ timeoutMs, timeoutS, fetch, use }) {
  mkdirSync(join(cache, 'bin'), { recursive: true });
  const work = mkdtempSync(join(cache, 'debian-'));
  const unpacked = join(work, 'unpacked');
  try {
    for (const folder of ['lists/partial', 'apt/archives/partial', 'unpacked/usr/lib'])
      mkdirSync(join(work, folder), { recursive: true });
    const options = [
      `Dir::Cache=${join(work, 'apt')}`,
      'Acquire::Retries=1',
      `Acquire::http::Timeout=${timeoutS}`,
      `Acquire::https::Timeout=${timeoutS}`,
      'Acquire::Languages=none',
      ...(process.getuid?.() === 0 ? ['APT::Sandbox::User=root'] : []),
    ].flatMap((option) => ['-o', option]);
    const lists = ['-o', `Dir::State::lists=${join(work, 'lists')}`];
    const apt = (args, systemLists = false) =>
      run('apt-get', [...options, ...(systemLists ? [] : lists), ...args], { cwd: work, timeoutMs });
    const problem = await fetch(apt);
    if (problem !== undefined) return problem;
    for (const name of readdirSync(work).filter((each) => each.endsWith('.deb'))) {
      const unpack = await run('dpkg-deb', ['-x', join(work, name), unpacked], { timeoutMs: 60_000 });
      if (!unpack.ok) return `${name} cannot be unpacked (${tail(unpack.output, 1)})`;
    }
    return await use(unpacked);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
