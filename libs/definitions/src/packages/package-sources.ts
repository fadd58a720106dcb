import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isObject } from '../model/index.js';
import { discoverPackages, type DeployedPackage } from './discover.js';

/** Which version of its sources a package is. */
export interface PackageSource {
  package: string;
  /** `version` in its `package.json`; null: none is given. */
  version: string | null;
  /** The commit that is checked out, hexadecimal; null: the package is in no Git repository, or Git is not installed. */
  commit: string | null;
  /** Whether files of the package differ from the commit; null: it is not known. */
  modified: boolean | null;
}

/** Milliseconds after which Git is given up: a repository can be slow, and an orchestrator that takes over waits for it. */
const gitMs = 2_000;
const run = promisify(execFile);

/**
 * Reads which versions the packages are now. What cannot be read is null.
 *
 * @param deployed packages beside those of the user directory, each with the commit of its sources
 */
export async function readPackageSources(
  userDir: string,
  deployed: readonly (DeployedPackage & { commit: string | null })[] = [],
): Promise<PackageSource[]> {
  const { packages } = await discoverPackages(userDir, undefined, deployed);
  return Promise.all(
    packages.map(async ({ name, root }) => {
      const known = deployed.find((each) => each.root === root);
      const state =
        known === undefined
          ? await commitOf(root)
          : { commit: known.commit, modified: known.commit === null ? null : false };
      return { package: name, version: await versionOf(root), ...state };
    }),
  );
}

async function versionOf(root: string): Promise<string | null> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const version = isObject(manifest) ? manifest['version'] : undefined;
    return typeof version === 'string' ? version : null;
  } catch {
    // The loader reports a manifest that cannot be read.
    return null;
  }
}

async function commitOf(root: string): Promise<Pick<PackageSource, 'commit' | 'modified'>> {
  const [commit, changes] = await Promise.all([
    git(root, 'rev-parse', '--verify', 'HEAD'),
    git(root, 'status', '--porcelain', '--', '.'),
  ]);
  if (commit === null) return { commit: null, modified: null };
  return { commit: commit.trim(), modified: changes === null ? null : changes !== '' };
}

/** What Git prints; null when it fails, is not installed or takes too long. */
async function git(root: string, ...args: string[]): Promise<string | null> {
  // The configuration of a repository can name a program as its monitor of files. Reading must not start it.
  const command = ['--no-optional-locks', '-C', root, '-c', 'core.fsmonitor=false', ...args];
  try {
    const { stdout } = await run('git', command, { timeout: gitMs, windowsHide: true });
    return stdout;
  } catch {
    return null;
  }
}
