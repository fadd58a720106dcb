import { bundle, type Bundle } from './bundle.js';
import type { External } from './outside.js';
import { bundlePython, isPython } from './python-bundle.js';

/** Bundles every entry of a package in the way of its language. See {@link bundle} and {@link bundlePython}. */
export async function bundleEntries(
  root: string,
  packageName: string,
  entries: readonly string[],
  external: External,
): Promise<Map<string, Bundle>> {
  const typescript = entries.filter((entry) => !isPython(entry));
  const bundled = await Promise.all([
    bundle(root, packageName, typescript, external),
    bundlePython(root, packageName, entries.filter(isPython)),
  ]);
  return new Map(bundled.flatMap((some) => [...some]));
}
