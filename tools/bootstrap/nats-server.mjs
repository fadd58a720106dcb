import { existsSync, renameSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run, tail, tell } from './command.mjs';
import { cache, unpackDebian } from './debian.mjs';

const program = process.platform === 'win32' ? 'nats-server.exe' : 'nats-server';
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
  if (isFile(cached) || onPath(program)) return;
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

/** @returns {Promise<string | undefined>} why it did not work, as the end of a sentence; undefined when it did */
async function fromDebian() {
  if (process.platform !== 'linux' || !onPath('apt-get') || !onPath('dpkg-deb')) return '';
  tell('fetching nats-server (Debian package, unpacked into .cache)');
  const problem = await unpackDebian({ timeoutMs: 120_000, timeoutS: 5, fetch, use });
  return problem === undefined ? undefined : ` and that of Debian cannot be had: ${problem}`;
}

async function fetch(apt) {
  const update = await apt(['update']);
  let download = await apt(['download', 'nats-server']);
  // The lists of the system serve when new ones cannot be fetched.
  if (!download.ok) download = await apt(['download', 'nats-server'], true);
  const reason = lastError(download.output) ?? lastError(update.output) ?? 'no reason given';
  return download.ok ? undefined : `it cannot be fetched (${reason})`;
}

async function use(unpacked) {
  const binary = ['usr/sbin', 'usr/bin'].map((folder) => join(unpacked, folder, program)).find(isFile);
  if (binary === undefined) return `it has no ${program}`;
  const version = await run(binary, ['--version'], { timeoutMs: 10_000 });
  if (!version.ok) return `it does not run here (${tail(version.output, 1)})`;
  renameSync(binary, cached);
  return undefined;
}

function lastError(output) {
  const last = output.split('\n').findLast((line) => line.startsWith('E:'));
  return last?.slice(2).trim();
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
