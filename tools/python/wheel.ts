import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../shared/paths.js';

/** The packages for Python, by the names of their folders in `libs`. */
export const pythonPackages = ['python-client', 'python-host'] as const;

export interface Wheel {
  path: string;
  sha256: string;
}

/** The oldest time that an archive can hold, in seconds since 1970. The same sources give the same bytes, whenever they are packed. */
const epoch = '315532800';

/** The environment of Python that `tools/python/environment.mjs` has made. */
export function pythonEnvironment(): { python: string; wheels: string } {
  return JSON.parse(readFileSync(join(root, '.cache', 'python.json'), 'utf8')) as {
    python: string;
    wheels: string;
  };
}

/**
 * Builds the wheel of a package with setuptools, without a network and outside of the sources.
 *
 * @param out folder of the wheel
 * @throws Error with the output of pip
 */
export async function buildWheel(name: (typeof pythonPackages)[number], out: string): Promise<Wheel> {
  const work = mkdtempSync(join(tmpdir(), 'svc-wheel-'));
  try {
    const source = join(work, 'source');
    const filter = (path: string): boolean => !/__pycache__|\.egg-info/.test(path);
    for (const part of ['pyproject.toml', 'README.md', 'src']) {
      const from = join(root, 'libs', name, part);
      if (existsSync(from)) cpSync(from, join(source, part), { recursive: true, filter });
    }
    cpSync(join(root, 'LICENSE'), join(source, 'LICENSE'));
    // The archive has the permissions of the files, which the umask of a clone decides.
    for (const entry of readdirSync(source, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) chmodSync(join(entry.parentPath, entry.name), 0o644);
    const built = join(work, 'built');
    const args = ['--no-deps', '--no-index', '--no-build-isolation', '--quiet', '--wheel-dir', built, source];
    await promisify(execFile)(pythonEnvironment().python, ['-m', 'pip', 'wheel', ...args], {
      env: { ...process.env, SOURCE_DATE_EPOCH: epoch, PIP_DISABLE_PIP_VERSION_CHECK: '1' },
    });
    const [wheel = ''] = readdirSync(built);
    const path = join(out, wheel);
    cpSync(join(built, wheel), path);
    return { path, sha256: createHash('sha256').update(readFileSync(path)).digest('hex') };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
