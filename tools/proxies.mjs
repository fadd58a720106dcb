/**
 * Gets the reverse proxies nginx and Caddy, with which `npm run test:deploy` tests deploy/proxy: the packages of Debian, unpacked
 * into .cache/proxies without root and without installing anything. Ends with 1 and says why when that cannot be.
 */
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { tail, tell } from './bootstrap/command.mjs';
import { cache, unpackDebian } from './bootstrap/debian.mjs';

const target = join(cache, 'proxies');

if (!existsSync(target)) {
  tell('fetching nginx and Caddy for the tests (Debian packages, unpacked into .cache), 10 MB');
  const use = async (unpacked) => renameSync(unpacked, target);
  const problem =
    process.platform === 'linux'
      ? await unpackDebian({ timeoutMs: 200_000, timeoutS: 10, fetch, use })
      : 'Debian has no packages for this system';
  if (problem !== undefined) {
    console.error(`no proxies to test with: ${problem}`);
    process.exit(1);
  }
}

async function fetch(apt) {
  const update = await apt(['update']);
  if (!update.ok) return `apt-get update failed (${tail(update.output, 1)})`;
  const plan = await apt(['install', '--simulate', '--no-install-recommends', 'nginx']);
  if (!plan.ok) return `nginx is not available (${tail(plan.output, 1)})`;
  const lacking = [...plan.output.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name);
  // Caddy is one program. What its package depends on is for certificates of a browser.
  const download = await apt(['download', ...new Set(['nginx', 'caddy', ...lacking])]);
  return download.ok ? undefined : `the packages cannot be fetched (${tail(download.output, 1)})`;
}
