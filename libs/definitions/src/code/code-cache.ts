import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { bundle, bundleFormat, type BundleFault } from './bundle.js';
import { isMissing, sha256, writeWhole, type ModuleStore } from './module-store.js';

/** Content hashes of files, each file read once; a file that is missing has the hash null. */
class InputHashes {
  private readonly known = new Map<string, Promise<string | null>>();

  of(path: string): Promise<string | null> {
    const known = this.known.get(path);
    if (known) return known;
    const hash = readFile(path).then(
      (bytes) => sha256(bytes),
      (error: unknown) => {
        if (isMissing(error)) return null;
        throw error;
      },
    );
    this.known.set(path, hash);
    return hash;
  }
}

const cachedEntry = z.object({ hash: z.string(), inputs: z.record(z.string(), z.string().nullable()) });
const cachedPackage = z.object({ format: z.string(), entries: z.record(z.string(), cachedEntry) });
type CachedPackage = z.infer<typeof cachedPackage>;

export type BuiltCode = { ok: true; hash: string } | { ok: false; faults: BundleFault[] };

/** Bundles packages into a module store, and bundles again only what has changed. */
export class CodeCache {
  /** @param folder where it remembers what each module was made of */
  constructor(
    private readonly folder: string,
    private readonly store: ModuleStore,
  ) {}

  /**
   * The module of every entry of a package. An entry whose inputs are unchanged, and whose module is in the store, is not
   * bundled again; the inputs are compared by content.
   *
   * @param entries sources relative to the package folder
   */
  async build(
    root: string,
    packageName: string,
    entries: readonly string[],
  ): Promise<Map<string, BuiltCode>> {
    const path = join(this.folder, `${sha256(root).slice(0, 16)}.json`);
    const cached = await this.load(path);
    const hashes = new InputHashes();
    const results = new Map<string, BuiltCode>();
    await Promise.all(
      entries.map(async (entry) => {
        const known = cached.entries[entry];
        if (known && (await this.isCurrent(root, known, hashes)))
          results.set(entry, { ok: true, hash: known.hash });
      }),
    );
    const stale = entries.filter((entry) => !results.has(entry));
    if (stale.length === 0) return results;

    const startedAt = Date.now();
    const next: CachedPackage = { format: bundleFormat, entries: {} };
    for (const [entry, known] of Object.entries(cached.entries))
      if (results.has(entry)) next.entries[entry] = known;
    for (const [entry, built] of await bundle(root, packageName, stale)) {
      if (!built.ok) {
        results.set(entry, built);
        continue;
      }
      const hash = await this.store.write(built.text);
      results.set(entry, { ok: true, hash });
      // The manifest decides how imports of packages resolve, though it is not part of a bundle.
      const inputs = [...built.inputs, 'package.json'];
      if (await changedSince(root, inputs, startedAt)) continue;
      const contents = await Promise.all(
        inputs.map(async (input) => [input, await hashes.of(join(root, input))] as const),
      );
      next.entries[entry] = { hash, inputs: Object.fromEntries(contents) };
    }
    await mkdir(this.folder, { recursive: true });
    await writeWhole(path, JSON.stringify(next));
    return results;
  }

  private async isCurrent(
    root: string,
    known: z.infer<typeof cachedEntry>,
    hashes: InputHashes,
  ): Promise<boolean> {
    const inputs = await Promise.all(
      Object.entries(known.inputs).map(
        async ([input, hash]) => (await hashes.of(join(root, input))) === hash,
      ),
    );
    return inputs.every(Boolean) && this.store.has(known.hash);
  }

  /** What is remembered of a package; nothing when it was never built, or built in another format, or the file is damaged. */
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

/** Coarsest step of a file system's clock that is allowed for, in milliseconds. */
const clockStep = 20;

/** True when a file may have been written after it was read for a bundle: its content now tells nothing about the bundle. */
async function changedSince(root: string, inputs: readonly string[], time: number): Promise<boolean> {
  const times = await Promise.all(
    inputs.map((input) =>
      stat(join(root, input)).then(
        ({ mtimeMs }) => mtimeMs,
        (error: unknown) => {
          if (isMissing(error)) return 0;
          throw error;
        },
      ),
    ),
  );
  return times.some((changed) => changed >= time - clockStep);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
