/**
 * Gets the broker mosquitto, with which the devices of MQTT are tested: the one of the system, or the package of Debian with the
 * libraries that the system lacks, unpacked into .cache/mosquitto without root and without installing anything. Never stops
 * what comes after it: without the program those tests say that they do not run.
 */
import { existsSync, renameSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { tail, tell } from './bootstrap/command.mjs';
import { cache, unpackDebian } from './bootstrap/debian.mjs';

const target = join(cache, 'mosquitto');
const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'];
const isHere = folders.some((folder) => existsSync(join(folder, 'mosquitto')));

if (process.platform === 'linux' && !isHere && !existsSync(target)) {
  tell('fetching mosquitto for the tests (Debian packages, unpacked into .cache)');
  const use = async (unpacked) => renameSync(unpacked, target);
  const problem = await unpackDebian({ timeoutMs: 120_000, timeoutS: 5, fetch, use });
  if (problem !== undefined) tell(`no mosquitto to test with: ${problem}`);
}

async function fetch(apt) {
  const update = await apt(['update']);
  if (!update.ok) return `apt-get update failed (${tail(update.output, 1)})`;
  const plan = await apt(['install', '--simulate', '--no-install-recommends', 'mosquitto']);
  if (!plan.ok) return `mosquitto is not available (${tail(plan.output, 1)})`;
  const lacking = [...plan.output.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name);
  const download = await apt(['download', ...new Set(['mosquitto', ...lacking])]);
  return download.ok ? undefined : `its packages cannot be fetched (${tail(download.output, 1)})`;
}
