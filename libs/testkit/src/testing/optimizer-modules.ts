import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModuleReference } from '@lab/contracts';
import { loadPackages } from '@lab/definitions';

/** The optimizer of a protocol, bundled as the service bundles it. */
export interface OptimizerModule {
  reference: ModuleReference;
  text: string;
}

/**
 * Bundles the optimizers of packages.
 *
 * @param userDir folder of packages
 * @param packages names of those to load
 * @returns by protocol
 * @throws Error with what is wrong, when anything of the packages is
 */
export async function optimizerModules(
  userDir: string,
  packages: readonly string[],
): Promise<Map<string, OptimizerModule>> {
  const cacheDir = await mkdtemp(join(tmpdir(), 'lab-bundles-'));
  try {
    const catalog = await loadPackages({ userDir, packages, cacheDir });
    const [fault] = catalog.diagnostics;
    if (fault !== undefined) throw new Error(`${fault.file}: ${fault.message}`);
    const found = new Map<string, OptimizerModule>();
    for (const type of catalog.protocolTypes()) {
      const reference = catalog.protocol(type)?.protocol.optimizer;
      if (reference === undefined) continue;
      found.set(type, { reference, text: await catalog.module(reference.hash) });
    }
    return found;
  } finally {
    await rm(cacheDir, { recursive: true, force: true });
  }
}
