import { realpath } from 'node:fs/promises';
import { isAbsolute, relative } from 'node:path';

/** A folder cannot be watched. The message is one sentence for the operator of the computer. */
export class FolderRefused extends Error {
  override readonly name = 'FolderRefused';
  /** False: it may be there again later, as a share may. */
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean, options?: ErrorOptions) {
    super(message, options);
    this.isFinal = isFinal;
  }
}

/**
 * The folder with all links resolved, if the operator of this computer has allowed it.
 *
 * @param roots the allowed folders
 * @throws FolderRefused when it is not in an allowed folder, or cannot be reached
 */
export async function allowedFolder(folder: string, roots: readonly string[]): Promise<string> {
  if (roots.length === 0)
    throw new FolderRefused(
      `SVC_INSTRUMENT_FOLDERS of this agent allows no folder; set it to the folders that the agent may read, and start the agent again`,
      true,
    );
  if (!isAbsolute(folder))
    throw new FolderRefused('it is not an absolute path on this computer; correct lab.yml', true);
  const real = await realpath(folder).catch((error: NodeJS.ErrnoException) => {
    throw new FolderRefused(`it cannot be reached (${error.code ?? error.message})`, false, { cause: error });
  });
  for (const root of roots) {
    const allowed = await realpath(root).catch(() => undefined);
    if (allowed !== undefined && (allowed === real || isInside(allowed, real))) return real;
  }
  throw new FolderRefused(
    `it leads to ${real}, which SVC_INSTRUMENT_FOLDERS of this agent does not allow; it allows ${roots.join(', ')}`,
    true,
  );
}

/** Whether a path is below a folder. Both are absolute and have no links. */
export function isInside(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return below !== '' && below.split(/[\\/]/)[0] !== '..' && !isAbsolute(below);
}
