/**
 * Gets what the tests of files on S3 need, a real server: OpenStack Swift from the packages of Debian, unpacked into
 * .cache/swift without root and without installing anything. Does nothing when it is there, or SVC_TEST_S3_URL names a
 * server. Never stops what comes after it: without a server those tests say what to do.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root, run, tail, tell } from './bootstrap/command.mjs';

const cache = join(root, '.cache');
const target = join(cache, 'swift');

if (!existsSync(target) && !process.env.SVC_TEST_S3_URL) {
  tell('fetching OpenStack Swift for the tests (Debian packages, unpacked into .cache)');
  const problem = await fetchSwift();
  if (problem !== undefined) tell(`no S3 server to test against: ${problem}`);
}

/** @returns {Promise<string | undefined>} why it did not work */
async function fetchSwift() {
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, 'swift-'));
  try {
    for (const folder of ['lists/partial', 'apt/archives/partial', 'unpacked/usr/lib']) {
      mkdirSync(join(work, folder), { recursive: true });
    }
    const options = [
      `Dir::Cache=${join(work, 'apt')}`,
      `Dir::State::lists=${join(work, 'lists')}`,
      'Acquire::Retries=1',
      'Acquire::http::Timeout=10',
      'Acquire::https::Timeout=10',
      'Acquire::Languages=none',
      ...(process.getuid?.() === 0 ? ['APT::Sandbox::User=root'] : []),
    ].flatMap((option) => ['-o', option]);
    const apt = (args) => run('apt-get', [...options, ...args], { cwd: work, timeoutMs: 180_000 });
    const update = await apt(['update']);
    if (!update.ok) return `apt-get update failed (${tail(update.output, 1)})`;
    // What is installed already is not fetched: the server runs with the Python of the system.
    const plan = await apt(['install', '--simulate', '--no-install-recommends', 'python3-swift']);
    if (!plan.ok) return `python3-swift is not to be had (${tail(plan.output, 1)})`;
    const names = [...plan.output.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name);
    const download = await apt(['download', ...names]);
    if (!download.ok) return `its packages cannot be fetched (${tail(download.output, 1)})`;
    for (const name of readdirSync(work).filter((each) => each.endsWith('.deb'))) {
      const unpack = await run('dpkg-deb', ['-x', join(work, name), join(work, 'unpacked')], {
        timeoutMs: 60_000,
      });
      if (!unpack.ok) return `${name} cannot be unpacked (${tail(unpack.output, 1)})`;
    }
    renameSync(join(work, 'unpacked'), target);
    return undefined;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
