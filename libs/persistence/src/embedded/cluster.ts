import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf, ifThere, type ServerBinaries } from './binaries.js';
import type { Identity } from './identity.js';

/** The superuser of the server, whom no service knows, and the database of the service. */
export const roleName = 'lab';
export const databaseName = 'lab';

const initTimeoutMs = 120_000;

/** True when the folder holds an initialised database. */
export async function clusterExists(dataDir: string): Promise<boolean> {
  return (await ifThere(stat(join(dataDir, 'PG_VERSION')))) !== undefined;
}

/**
 * Creates the database files under another name and renames them when they are complete.
 *
 * @param durable false skips the synchronisation to disk
 * @throws Error with the message of initdb
 */
export async function createCluster(
  binaries: ServerBinaries,
  identity: Identity,
  dataDir: string,
  password: string,
  durable: boolean,
): Promise<void> {
  const unfinished = `${dataDir}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  const passwordFile = join(unfinished, 'password');
  const cluster = join(unfinished, 'data');
  await mkdir(cluster, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  await identity.own(unfinished);
  const args = [
    `--pgdata=${cluster}`,
    `--username=${roleName}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    ...(durable ? [] : ['--no-sync']),
  ];
  try {
    const { code, output } = await run(identity, binaries.initdb, args);
    if (code !== 0)
      throw new Error(
        `PostgreSQL could not create its data folder (initdb ended with ${code}): ${lastLine(output)}`,
      );
    await rm(passwordFile);
    await emptyFolder(dataDir);
    await rename(cluster, dataDir);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  if (durable) await syncFolder(dirname(dataDir));
}

/** An empty folder may be used for the data. A folder with other contents belongs to somebody else. */
async function emptyFolder(dataDir: string): Promise<void> {
  try {
    await ifThere(rmdir(dataDir));
  } catch (error) {
    if (codeOf(error) === 'ENOTEMPTY')
      throw new Error(
        `${dataDir} is neither empty nor a PostgreSQL data folder; name another folder or move what is in it.`,
        { cause: error },
      );
    throw error;
  }
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Runs a program to its end.
 *
 * @param input what it reads
 * @returns its exit code or signal, and the end of its output
 */
async function run(
  identity: Identity,
  program: string,
  args: readonly string[],
  input = '',
): Promise<{ code: number | string | null; output: string }> {
  const child = identity.spawn(program, args, {
    cwd: '/',
    // The single-user mode writes prompts to standard output.
    stdio: ['pipe', input === '' ? 'pipe' : 'ignore', 'pipe'],
    env: serverEnvironment(),
    timeout: initTimeoutMs,
    windowsHide: true,
  });
  let output = '';
  const collect = (chunk: Buffer): void => {
    output = (output + chunk.toString('utf8')).slice(-4_000);
  };
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  child.stdin?.end(input);
  const code = await new Promise<number | string | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exit, signal) => resolve(exit ?? signal));
  });
  return { code, output };
}

/** The server gets nothing of the environment except where to find programs and folders for temporary files. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const inherited: NodeJS.ProcessEnv = {};
  for (const name of ['PATH', 'SystemRoot', 'TEMP', 'TMP', 'TMPDIR']) {
    // eslint-disable-next-line no-restricted-properties -- surroundings of a child process, not configuration
    const value = process.env[name];
    if (value !== undefined) inherited[name] = value;
  }
  return { ...inherited, LC_ALL: 'C', TZ: 'UTC' };
}

/**
 * Reads the password of the database, or makes one of 192 random bits.
 *
 * @param file of mode 0600 in a folder of mode 0700
 * @returns the password, and whether it is new
 */
export async function keepPassword(file: string): Promise<{ password: string; created: boolean }> {
  const kept = (await ifThere(readFile(file, 'utf8')))?.trim() ?? '';
  if (kept !== '') return { password: kept, created: false };
  const password = randomBytes(24).toString('base64url');
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}.unfinished`;
  const handle = await open(temporary, 'w', 0o600);
  try {
    await handle.writeFile(`${password}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
  return { password, created: true };
}

/** Sets the password of the superuser on a stopped database, through the server's single-user mode. */
export async function resetPassword(
  binaries: ServerBinaries,
  identity: Identity,
  dataDir: string,
  password: string,
): Promise<void> {
  if (!/^[\w-]+$/.test(password))
    throw new Error('The password of the database may hold letters, digits, "_" and "-" only.');
  const statement = `alter role ${roleName} password '${password}'\n`;
  const args = ['--single', '-D', dataDir, 'postgres'];
  const { code, output } = await run(identity, binaries.postgres, args, statement);
  if (code !== 0 || output.includes('ERROR:'))
    throw new Error(
      `The password of the database in ${dataDir} could not be set anew: ${lastLine(output.replaceAll(password, '[secret]'))}`,
    );
}

/** The last line that is not empty. */
export function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.trim() ?? '';
}
