import { spawnSync } from 'node:child_process';

/**
 * Tests that start processes as other users need root.
 *
 * @throws Error that says what this computer lacks
 */
export function demandRoot(): void {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    throw new Error('these tests become other users: run them on Linux as root, for example with sudo');
  if (spawnSync('setpriv', ['--version']).status !== 0)
    throw new Error('these tests need the program setpriv: install the package util-linux');
}

/** The user of author code in tests, whom every Linux has. */
export const codeUser = 'nobody';

/** @param flag of `id` */
const idOf = (flag: string): number =>
  Number(String(spawnSync('id', [flag, codeUser], { encoding: 'utf8' }).stdout));

export const codeUid = idOf('-u');
export const codeGid = idOf('-g');
