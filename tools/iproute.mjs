/**
 * Gets the program `ip`, which the tests of separate computers need: the one of the system, or the package of Debian with the
 * libraries that the system lacks, unpacked into .cache/iproute2 without root and without installing anything. Never stops
 * what comes after it: without the program those tests fail and say what to install.
 */
import { existsSync, renameSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { tail, tell } from './bootstrap/command.mjs';
import { cache, unpackDebian } from './bootstrap/debian.mjs';

const target = join(cache, 'iproute2');
const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'];
const isHere = folders.some((folder) => existsSync(join(folder, 'ip')));

if (process.platform === 'linux' && !isHere && !existsSync(target)) {
  tell('fetching iproute2 for the tests (Debian packages, unpacked into .cache)');
  const use = async (unpacked) => renameSync(unpacked, target);
  const problem = await unpackDebian({ timeoutMs: 120_000, timeoutS: 5, fetch, use });
  if (problem !== undefined) tell(`no program ip to test with: ${problem}`);
}

async function fetch(apt) {
  const update = await apt(['update']);
  if (!update.ok) return `apt-get update failed (${tail(update.output, 1)})`;
  const plan = await apt(['install', '--simulate', '--no-install-recommends', 'iproute2']);
  if (!plan.ok) return `iproute2 is not available (${tail(plan.output, 1)})`;
  const lacking = [...plan.output.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name);
  const download = await apt(['download', ...new Set(['iproute2', ...lacking])]);
  return download.ok ? undefined : `its packages cannot be fetched (${tail(download.output, 1)})`;
}
