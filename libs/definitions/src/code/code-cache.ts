import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { clockStep, FileMemory, Round } from './file-memory.js';
import { bundleFormat, whileBundling, type BundleFault } from './bundle.js';
import { bundleEntries } from './bundle-entries.js';
import type { External } from './outside.js';
import { sha256, type ModuleStore } from './module-store.js';
import { isMissing, removeDrafts, writeWhole } from './whole-files.js';

/** SHA-256 of the content of a file, hexadecimal; null when the file does not exist. */
async function hashOfFile(path: string): Promise<string | null> {
  try {
    return sha256(await readFile(path));
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

const cachedEntry = z.object({
  hash: z.string(),
  dependencies: z.array(z.string()),
  exports: z.array(z.string()),
  environment: z.string().optional(),
  /** Hash of `package.json`: it decides how imports resolve, although it is not part of a bundle. */
  manifest: z.string().nullable(),
  inputs: z.record(z.string(), z.string().nullable()),
});
const cachedPackage = z.object({ format: z.string(), entries: z.record(z.string(), cachedEntry) });
type CachedPackage = z.infer<typeof cachedPackage>;

export type BuiltCode =
  | {
      ok: true;
      hash: string;
      /** npm packages to install beside it, as `name@version`, sorted. */
      dependencies: string[];
      /** Names that the module exports. */
      exports: string[];
      /** SHA-256 of the lock of its libraries, of code in Python; undefined: it has none. */
      environment: string | undefined;
    }
  | { ok: false; faults: BundleFault[] };

/** The content of `package.json` that concerns code. */
export interface CodeManifest {
  /** SHA-256 of its text; null when there is none. */
  hash: string | null;
  external: External;
}

/** Entries that are bundled at once. */
const portion = 30;

/** Bundles packages into a module store, and bundles changed entries again. */
export class CodeCache {
  private readonly hashes = new FileMemory(hashOfFile);
  private readonly packages = new Map<string, CachedPackage>();
  private tidied: Promise<unknown> | undefined;

  /** @param folder stores the inputs of each module */
  constructor(
    private readonly folder: string,
    private readonly store: ModuleStore,
  ) {}

  /**
   * Returns the module of every entry of a package. An entry is not bundled again if its inputs are unchanged and its
   * module is in the store. Inputs are compared by content, and read again only when they were written since then.
   *
   * @param entries sources relative to the package folder
   */
  async build(
    root: string,
    packageName: string,
    entries: readonly string[],
    manifest: CodeManifest,
    round: Round,
  ): Promise<Map<string, BuiltCode>> {
    // A process that was killed may have left drafts.
    await (this.tidied ??= Promise.all([this.folder, this.store.folder].map(removeDrafts)));
    const path = join(this.folder, `${sha256(root).slice(0, 16)}.json`);
    const cached = this.packages.get(path) ?? (await this.load(path));
    this.packages.set(path, cached);
    const results = new Map<string, BuiltCode>();
    await Promise.all(
      entries.map(async (entry) => {
        const known = cached.entries[entry];
        if (known?.manifest === manifest.hash && (await this.isCurrent(root, known, round))) {
          const { hash, dependencies, exports, environment } = known;
          results.set(entry, { ok: true, hash, dependencies, exports, environment });
        }
      }),
    );
    const stale = entries.filter((entry) => !results.has(entry));
    if (stale.length === 0) return results;

    const next: CachedPackage = { format: bundleFormat, entries: {} };
    for (const [entry, known] of Object.entries(cached.entries))
      if (results.has(entry)) next.entries[entry] = known;
    // In portions: the texts and source maps of all entries at once would fill the memory.
    await whileBundling(async () => {
      for (let from = 0; from < stale.length; from += portion) {
        const startedAt = Date.now();
        const hashes = new FileMemory(hashOfFile);
        const now = new Round();
        const some = stale.slice(from, from + portion);
        const built = await bundleEntries(root, packageName, some, manifest.external);
        await Promise.all(
          [...built].map(async ([entry, result]) => {
            if (!result.ok) {
              results.set(entry, result);
              return;
            }
            const hash = await this.store.write(result.text);
            const { dependencies, exports, environment } = result;
            results.set(entry, { ok: true, hash, dependencies, exports, environment });
            const inputs = result.inputs.map((input) => [input, join(root, input)] as const);
            const states = await Promise.all(inputs.map(([, file]) => now.state(file)));
            // The bundle may hold the old content of a file that was written since then.
            if (states.some(({ modifiedMs }) => modifiedMs >= startedAt - clockStep)) return;
            const contents = inputs.map(
              async ([input, file]) => [input, await hashes.of(file, now)] as const,
            );
            next.entries[entry] = {
              hash,
              dependencies,
              exports,
              environment,
              manifest: manifest.hash,
              inputs: Object.fromEntries(await Promise.all(contents)),
            };
          }),
        );
      }
    });
    this.packages.set(path, next);
    await mkdir(this.folder, { recursive: true });
    await writeWhole(path, JSON.stringify(next));
    return results;
  }

  private async isCurrent(root: string, known: z.infer<typeof cachedEntry>, round: Round): Promise<boolean> {
    const inputs = await Promise.all(
      Object.entries(known.inputs).map(
        async ([input, hash]) => (await this.hashes.of(join(root, input), round)) === hash,
      ),
    );
    return inputs.every(Boolean) && (await this.hashes.of(this.store.path(known.hash), round)) === known.hash;
  }

  /**
   * The stored state of a package; empty when it was never built, was built in another format, or the file is damaged.
   */
  private async load(path: string): Promise<CachedPackage> {
    const nothing: CachedPackage = { format: bundleFormat, entries: {} };
    let text: string;
    try {
      text = await readFile(path, 'utf8');
    } catch (error) {
      if (isMissing(error)) return nothing;
      throw error;
    }
    const parsed = cachedPackage.safeParse(parseJson(text));
    return parsed.success && parsed.data.format === bundleFormat ? parsed.data : nothing;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
