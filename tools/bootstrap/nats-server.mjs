import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { root, run, tail, tell } from './command.mjs';

const program = process.platform === 'win32' ? 'nats-server.exe' : 'nats-server';
const cache = join(root, '.cache');
const cached = join(cache, 'bin', program);

/**
 * Makes sure that there is a nats-server: the one that SVC_NATS_SERVER_BIN names, one on the PATH, one in the project's
 * cache, or the Debian package unpacked into the cache without touching the system. Nothing is needed when
 * SVC_NATS_URL names a server that runs.
 *
 * @throws Error with the command that installs it on this operating system
 */
export async function provideNatsServer() {
  if (process.env.SVC_NATS_URL || process.env.SVC_NATS_URL_FILE) return;
  const named = process.env.SVC_NATS_SERVER_BIN;
  if (named) {
    if (isFile(named)) return;
    throw new Error(`SVC_NATS_SERVER_BIN names ${named}, which does not exist.`);
  }
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  if (isFile(cached) || folders.some((folder) => isFile(join(folder, program)))) return;
  const problem = await fromDebian();
  if (problem === undefined) return;
  throw new Error(`There is no nats-server${problem}; ${advice()}, or set SVC_NATS_URL to one that runs.`);
}

function advice() {
  if (process.platform === 'darwin') return 'install it with "brew install nats-server"';
  if (process.platform === 'win32') return 'install it with "scoop install nats-server"';
  if (existsSync('/etc/debian_version')) return 'install it with "sudo apt-get install nats-server"';
  return `install it with the package manager of this system, or put the program from https://github.com/nats-io/nats-server/releases at ${cached}`;
}

/**
 * apt verifies the package against the distribution's signatures; its lists and cache are private folders, so neither
 * root nor the system's package state is needed.
 *
 * @returns {Promise<string | undefined>} why it did not work, as the end of a sentence; undefined when it did
 */
async function fromDebian() {
  if (process.platform !== 'linux' || !onPath('apt-get') || !onPath('dpkg-deb')) return '';
  tell('fetching nats-server (Debian package, unpacked into .cache)');
  mkdirSync(join(cache, 'bin'), { recursive: true });
  const work = mkdtempSync(join(cache, 'nats-'));
  try {
    for (const folder of ['lists/partial', 'apt/archives/partial', 'unpacked']) {
      mkdirSync(join(work, folder), { recursive: true });
    }
    const options = [
      `Dir::Cache=${join(work, 'apt')}`,
      'Acquire::Retries=0',
      'Acquire::http::Timeout=5',
      'Acquire::https::Timeout=5',
      'Acquire::Languages=none',
      ...(process.getuid?.() === 0 ? ['APT::Sandbox::User=root'] : []),
    ].flatMap((option) => ['-o', option]);
    const ownLists = ['-o', `Dir::State::lists=${join(work, 'lists')}`];
    const apt = (args) => run('apt-get', args, { cwd: work, timeoutMs: 120_000 });
    const update = await apt(['update', ...options, ...ownLists]);
    let download = await apt(['download', 'nats-server', ...options, ...ownLists]);
    if (!download.ok) download = await apt(['download', 'nats-server', ...options]);
    const file = readdirSync(work).find((name) => name.endsWith('.deb'));
    if (!download.ok || file === undefined) {
      return ` and its Debian package cannot be fetched (${lastError(download.output) ?? lastError(update.output) ?? 'no reason given'})`;
    }
    const unpack = await run('dpkg-deb', ['-x', join(work, file), join(work, 'unpacked')], {
      timeoutMs: 60_000,
    });
    const binary = ['usr/sbin', 'usr/bin']
      .map((folder) => join(work, 'unpacked', folder, program))
      .find(isFile);
    if (!unpack.ok || binary === undefined) {
      return ` and its Debian package cannot be unpacked (${tail(unpack.output, 1)})`;
    }
    const version = await run(binary, ['--version'], { timeoutMs: 10_000 });
    if (!version.ok)
      return ` and the one of the Debian package does not run here (${tail(version.output, 1)})`;
    renameSync(binary, cached);
    return undefined;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function lastError(output) {
  return output
    .split('\n')
    .filter((line) => line.startsWith('E:'))
    .at(-1)
    ?.slice(2)
    .trim();
}

function onPath(name) {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .some((folder) => folder !== '' && isFile(join(folder, name)));
}

/** False also for what may not be looked at: a folder of the PATH may be closed to this user. */
function isFile(path) {
  try {
    return statSync(path).isFile();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(error.code)) return false;
    throw error;
  }
}
