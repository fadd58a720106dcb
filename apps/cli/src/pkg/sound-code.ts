import { join } from 'node:path';
import { formatDiagnostics, type PackageCode } from '@lab/definitions';
import { packageFolders, readCatalog } from './check.js';
import type { Place } from './place.js';

/** The code of one package that has no errors. */
export interface SoundCode {
  /** Absolute folder of the package. */
  root: string;
  code: PackageCode;
}

/**
 * Reads the code of a package as it is now.
 *
 * @param nothing what was not done if it fails, such as `nothing was signed`
 * @throws Error with all faults of the package when it has some
 */
export async function soundCode({ userDir, packageDir }: Place, nothing: string): Promise<SoundCode> {
  if (packageDir === null) throw new Error(`${userDir} is no package; name the package`);
  const catalog = await readCatalog(userDir);
  const [name, folder] =
    [...packageFolders(catalog)].find(([, each]) => join(userDir, each) === packageDir) ?? [];
  const code = catalog.code.find((each) => each.package === name);
  if (folder === undefined || code === undefined)
    throw new Error(`${packageDir} is no package with definitions`);
  const inside = (file: string): boolean => folder === '' || file.startsWith(`${folder}/`);
  const faults = catalog.diagnostics.filter(({ file }) => inside(file));
  if (faults.length > 0)
    throw new Error(`${nothing}, because the package has errors:\n${formatDiagnostics(faults, { userDir })}`);
  return { root: packageDir, code };
}
