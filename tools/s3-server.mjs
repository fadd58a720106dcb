/**
 * Gets what the tests of files on S3 need, a real server: OpenStack Swift from the packages of Debian, unpacked into
 * .cache/swift without root and without installing anything. Does nothing when it is there, or SVC_TEST_S3_URL names a
 * server. Never stops what comes after it: without a server those tests say what to do.
 */
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { tail, tell } from './bootstrap/command.mjs';
import { cache, unpackDebian } from './bootstrap/debian.mjs';

const target = join(cache, 'swift');

if (!existsSync(target) && !process.env.SVC_TEST_S3_URL) {
  tell('fetching OpenStack Swift for the tests (Debian packages, unpacked into .cache)');
  const use = async (unpacked) => renameSync(unpacked, target);
  const problem = await unpackDebian({ timeoutMs: 180_000, timeoutS: 10, fetch, use });
  if (problem !== undefined) tell(`no S3 server to test against: ${problem}`);
}

async function fetch(apt) {
  const update = await apt(['update']);
  if (!update.ok) return `apt-get update failed (${tail(update.output, 1)})`;
  // Installed packages are not fetched: the server runs with the Python of the system.
  const plan = await apt(['install', '--simulate', '--no-install-recommends', 'python3-swift']);
  if (!plan.ok) return `python3-swift is not available (${tail(plan.output, 1)})`;
  const names = [...plan.output.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name);
  const download = await apt(['download', ...names]);
  return download.ok ? undefined : `its packages cannot be fetched (${tail(download.output, 1)})`;
}
