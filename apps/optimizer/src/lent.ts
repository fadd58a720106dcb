import { fileURLToPath, pathToFileURL } from 'node:url';
import type { JsonObject } from '@lab/contracts';

/**
 * What a worker does for the process of an optimizer.
 *
 * @param gone aborted when the process has ended, so that nobody waits
 * @throws Error that the process gets as the failure of its call
 */
export type Lend = (name: string, args: JsonObject, gone: AbortSignal) => Promise<JsonObject>;

/** The built module. The path is the same from the sources and from the build. */
const module = fileURLToPath(new URL('../dist/hybrid-parts.js', import.meta.url));

/** Loads what it lends on the first use. */
export const lendHybrid: Lend = async (name, args, gone) => {
  const { lend } = (await import(pathToFileURL(module).href)) as { lend: Lend };
  return lend(name, args, gone);
};
