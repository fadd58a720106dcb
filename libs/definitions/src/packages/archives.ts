import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { CodeArchive } from '@lab/trust/code-manifest';
import { z } from 'zod';
import { isMissing } from '../code/index.js';
import type { Diagnostic } from '../documents/index.js';

/** The folder of a package with npm packages that `svc pkg vendor` has packed. */
export const vendorFolder = 'vendor';
/** Says what is in the folder. */
export const archivesFile = `${vendorFolder}/archives.json`;

/** An archive as {@link archivesFile} names it. */
export interface ListedArchive extends CodeArchive {
  /** Relative to the folder of the package, with forward slashes. */
  file: string;
}

const shape = z.object({
  archives: z.array(
    z.object({
      dependencies: z.array(z.string()).min(1),
      platform: z.string().min(1).max(40),
      abi: z.string().min(1).max(10),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
      size: z.int().positive(),
      file: z.string().regex(/^vendor\/[\w.-]+\.tar\.gz$/),
    }),
  ),
});

/** An archive that is there. */
export interface PackageArchive extends CodeArchive {
  /** Absolute. */
  path: string;
}

export interface FoundArchives {
  /** Those whose file is there with the right size. Who uses one compares its SHA-256. */
  archives: PackageArchive[];
  /** What is wrong with the others. */
  faults: Diagnostic[];
}

/**
 * @param root absolute folder of the package
 * @param folder of the package, relative to the user directory
 */
export async function readArchives(root: string, folder: string): Promise<FoundArchives> {
  const fault = (code: string, message: string): Diagnostic => ({
    ...{
      file: folder === '' ? archivesFile : `${folder}/${archivesFile}`,
      line: null,
      column: null,
      path: '',
    },
    ...{ code, message, hint: `make it anew: svc pkg vendor ${folder === '' ? '.' : folder}` },
  });
  const text = await readFile(join(root, archivesFile), 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (text === undefined) return { archives: [], faults: [] };
  const listed = archivesIn(text);
  if (listed === undefined)
    return {
      archives: [],
      faults: [fault('damaged_archives', 'the file is not one that "svc pkg vendor" wrote')],
    };
  const found: FoundArchives = { archives: [], faults: [] };
  for (const { file, ...archive } of listed) {
    const path = join(root, file);
    const size = await sizeOf(path);
    if (size === archive.size) found.archives.push({ ...archive, path });
    else
      found.faults.push(
        fault(
          'damaged_archives',
          size === undefined
            ? `it names ${file}, which is missing`
            : `${file} has ${size} bytes, and ${archive.size} are named`,
        ),
      );
  }
  return found;
}

/** The archives that the text of {@link archivesFile} names; undefined: it is damaged. */
export function archivesIn(text: string): ListedArchive[] | undefined {
  try {
    return shape.parse(JSON.parse(text)).archives;
  } catch {
    return undefined;
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
