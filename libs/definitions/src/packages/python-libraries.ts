import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfThere, sha256 } from '../code/index.js';
import type { Diagnostic } from '../documents/index.js';
import {
  differenceFrom,
  largestLock,
  lockFile,
  projectFile,
  readLock,
  readProject,
  wheelsFolder,
  type PythonLock,
} from '../environments/index.js';

/** A file that agents fetch to build an environment. */
export interface EnvironmentFile {
  sha256: string;
  /** Absolute. */
  path: string;
}

/** The libraries of a package for its code in Python. */
export interface PythonLibraries {
  /** The lock and its wheels; empty: the package has no lock. */
  files: EnvironmentFile[];
  /** Faults with which code in Python must not run. */
  errors: Diagnostic[];
  warnings: Diagnostic[];
}

/**
 * Reads which libraries a package demands and has locked, and which wheels are there. Who uses a wheel compares its SHA-256.
 *
 * @param root absolute folder of the package
 * @param folder of the package, relative to the user directory
 * @param elsewhere folder of wheels that the package does not have; undefined: none
 */
export async function readPythonLibraries(
  root: string,
  folder: string,
  elsewhere?: string,
): Promise<PythonLibraries> {
  const found: PythonLibraries = { files: [], errors: [], warnings: [] };
  const finding = (file: string, code: string, message: string, hint?: string): Diagnostic => ({
    ...{
      file: folder === '' ? file : `${folder}/${file}`,
      line: null,
      column: null,
      path: '',
      code,
      message,
    },
    hint: hint ?? `svc pkg lock ${folder === '' ? '.' : folder}`,
  });
  const [projectText, lockText] = await Promise.all([
    readIfThere(join(root, projectFile)),
    readIfThere(join(root, lockFile)),
  ]);
  const project = projectText === null ? null : reading(() => readProject(projectText.toString()));
  if (project instanceof Error) {
    const hint = 'write the libraries as dependencies = ["numpy>=1.26"] under [project]';
    found.errors.push(finding(projectFile, 'damaged_project', project.message, hint));
  }
  if (lockText === null) {
    if (project !== null && !(project instanceof Error) && project.dependencies.length > 0)
      found.errors.push(
        finding(projectFile, 'missing_lock', `it has dependencies, and there is no ${lockFile} beside it`),
      );
    return found;
  }
  const lock =
    lockText.length > largestLock
      ? new Error('it is too large')
      : reading(() => readLock(lockText.toString()));
  if (lock instanceof Error) {
    found.errors.push(finding(lockFile, 'damaged_lock', lock.message));
    return found;
  }
  const difference = project === null || project instanceof Error ? undefined : differenceFrom(lock, project);
  if (difference !== undefined) found.errors.push(finding(projectFile, 'stale_lock', difference));
  found.files.push({ sha256: sha256(lockText), path: join(root, lockFile) });
  const folders = [join(root, wheelsFolder), ...(elsewhere === undefined ? [] : [elsewhere])];
  const wheels = await wheelsIn(folders, lock);
  found.files.push(...wheels.files);
  if (wheels.missing.length > 0) {
    const message = `${wheelsFolder} does not have ${wheels.missing.join(', ')}`;
    const hint = `svc pkg lock ${folder === '' ? '.' : folder} --wheels`;
    found.warnings.push(finding(lockFile, 'missing_wheel', message, hint));
  }
  return found;
}

async function wheelsIn(
  folders: readonly string[],
  lock: PythonLock,
): Promise<{ files: EnvironmentFile[]; missing: string[] }> {
  const wheels = lock.libraries.flatMap((library) => library.wheels);
  const files: EnvironmentFile[] = [];
  const missing: string[] = [];
  await Promise.all(
    wheels.map(async ({ name, sha256: hash, size }) => {
      const paths = folders.map((folder) => join(folder, name));
      const there = await Promise.all(paths.map((path) => isThere(path, size)));
      const path = paths.find((_, index) => there[index]);
      if (path === undefined) missing.push(name);
      else files.push({ sha256: hash, path });
    }),
  );
  return { files, missing: missing.sort() };
}

async function isThere(path: string, size: number | null): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true && (size === null || found.size === size);
}

function reading<T>(read: () => T): T | Error {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}
