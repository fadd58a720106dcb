/**
 * Gets what the chaos of a cluster needs: Patroni, etcd, HAProxy and PostgreSQL 15 from the packages of Debian, unpacked into
 * .cache/cluster without root. Nothing is installed, so no package starts a server. Does nothing when they are there. Ends with 1
 * and says why when that cannot be.
 */
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { tail, tell } from './bootstrap/command.mjs';
import { cache, unpackDebian } from './bootstrap/debian.mjs';

const target = join(cache, 'cluster');
/** The programs that are run. An older one of the system would be another version than the one that was tested. */
const wanted = ['patroni', 'etcd-server', 'haproxy', 'postgresql-15', 'postgresql-client-15', 'libpq5'];

if (!existsSync(target)) {
  tell(
    'fetching Patroni, etcd, HAProxy and PostgreSQL 15 for the cluster (Debian packages, unpacked into .cache)',
  );
  const use = async (unpacked) => renameSync(unpacked, target);
  const problem =
    process.platform === 'linux'
      ? await unpackDebian({ timeoutMs: 300_000, timeoutS: 10, fetch, use })
      : 'it runs only on Linux';
  if (problem !== undefined) {
    console.error(`no cluster to test with: ${problem}`);
    process.exit(1);
  }
}

async function fetch(apt) {
  const update = await apt(['update']);
  if (!update.ok) return `apt-get update failed (${tail(update.output, 1)})`;
  const plan = await apt(['install', '--simulate', '--no-install-recommends', ...wanted]);
  if (!plan.ok) return `the packages are not available (${tail(plan.output, 1)})`;
  const lacking = [...plan.output.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name);
  const download = await apt(['download', ...new Set([...wanted, ...lacking])]);
  return download.ok ? undefined : `the packages cannot be fetched (${tail(download.output, 1)})`;
}
