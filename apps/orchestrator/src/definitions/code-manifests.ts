import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModuleReference } from '@lab/contracts';
import { namedArchives, type PackageCode } from '@lab/definitions';
import {
  CodeVerifier,
  unverifiedManifest,
  whyNotIn,
  type CodeManifest,
  type CodeSigner,
  type NamedModule,
} from '@lab/trust/code-manifest';

/** What was signed about a module. */
export interface SignedAbout {
  manifest?: string;
  lab_manifest?: string;
}

/** What signs and demands signatures in an orchestrator. */
export interface CodeKeys {
  /** Undefined: this orchestrator has no key of the service, so it signs no code. */
  signer: CodeSigner | undefined;
  /** Public code key of the lab; undefined: any key. */
  lab: string | undefined;
}

const suffix = '.signed';

/** Most modules in one manifest of the service, which is part of a message. A larger package has several. */
const portion = 1_000;

/**
 * The manifests of the code that agents may run. The service signs those of the packages that it has read. Those of the lab
 * are kept on disk, because accepted runs keep the code of earlier versions.
 */
export class CodeManifests {
  /** Manifests of the service, by package as it was read, the key that signed and the index of their first module. */
  readonly #signed = new WeakMap<PackageCode, Map<string, string>>();
  /** Manifests of the lab, the latest last. */
  readonly #lab = new Map<string, CodeManifest>();
  #packages: ReadonlyMap<string, PackageCode> = new Map();
  readonly #labKey: CodeVerifier | undefined;
  #isRead = false;

  /** @param folder of the manifests of the lab */
  constructor(
    private readonly folder: string,
    private readonly keys: CodeKeys,
    private readonly now: () => number = Date.now,
  ) {
    this.#labKey = keys.lab === undefined ? undefined : new CodeVerifier(keys.lab);
  }

  /** Notes the packages as they were last read. @throws Error when the folder cannot be read or written */
  async note(packages: readonly PackageCode[]): Promise<void> {
    await this.#readKept();
    for (const { signed } of packages) if (signed !== null) await this.#keep(signed);
    this.#packages = new Map(packages.map((code) => [code.package, code]));
  }

  /**
   * The manifests that name a module. If the lab has signed the package and not this module, the manifest of the package, so
   * that the agent can say what is wrong.
   *
   * @param inUse code of accepted work and of loaded devices, which may be of an earlier version of its package
   */
  about(
    hash: string,
    named: { package: string; source: string },
    inUse: () => readonly ModuleReference[],
  ): SignedAbout {
    const code = this.#packages.get(named.package);
    const current = code?.modules.findIndex(
      ({ source, sha256 }) => source === named.source && sha256 === hash,
    );
    if (code !== undefined && current !== undefined && current >= 0) {
      const { dependencies = [] } = code.modules[current] ?? {};
      return this.#both(this.#ofPackage(code, current), { ...named, sha256: hash, dependencies });
    }
    const used = inUse().find(
      (module) => module.hash === hash && module.package === named.package && module.source === named.source,
    );
    const module = { ...named, sha256: hash, dependencies: used?.dependencies ?? [] };
    return this.#both(used === undefined ? undefined : this.#ofOne(module), module);
  }

  /** @param manifest of the service */
  #both(manifest: string | undefined, module: NamedModule): SignedAbout {
    const lab = this.#ofLab(module) ?? this.#packages.get(module.package)?.signed ?? undefined;
    return {
      ...(manifest === undefined ? {} : { manifest }),
      ...(lab === undefined ? {} : { lab_manifest: lab }),
    };
  }

  /** @param index of the module that the manifest must name */
  #ofPackage(code: PackageCode, index: number): string | undefined {
    const { signer } = this.keys;
    if (signer === undefined) return undefined;
    const signed = this.#signed.get(code) ?? new Map<string, string>();
    this.#signed.set(code, signed);
    const begin = index - (index % portion);
    const kept = `${signer.publicKey} ${begin}`;
    const known = signed.get(kept);
    if (known !== undefined) return known;
    const text = signer.sign({
      ...{ version: 1, package: code.package, package_version: code.version, lock: code.lock },
      modules: code.modules.slice(begin, begin + portion),
      archives: namedArchives(code.archives),
      made_at: new Date(this.now()).toISOString(),
    });
    signed.set(kept, text);
    return text;
  }

  #ofOne({ package: owner, ...module }: NamedModule): string | undefined {
    return this.keys.signer?.sign({
      ...{ version: 1, package: owner, package_version: null, lock: null },
      modules: [module],
      // The packages of an earlier version of the code are the same if their versions are.
      archives: namedArchives(this.#packages.get(owner)?.archives ?? []),
      made_at: new Date(this.now()).toISOString(),
    });
  }

  #ofLab(module: NamedModule): string | undefined {
    for (const [signed, manifest] of [...this.#lab].reverse()) {
      const isOfKey = this.#labKey === undefined || this.#labKey.read(signed) !== undefined;
      if (isOfKey && whyNotIn(manifest, module) === undefined) return signed;
    }
    return undefined;
  }

  async #readKept(): Promise<void> {
    if (this.#isRead) return;
    await mkdir(this.folder, { recursive: true });
    for (const name of (await readdir(this.folder)).sort()) {
      if (!name.endsWith(suffix)) continue;
      const signed = await readFile(join(this.folder, name), 'utf8');
      const manifest = unverifiedManifest(signed);
      if (manifest !== undefined) this.#lab.set(signed, manifest);
    }
    this.#isRead = true;
  }

  async #keep(signed: string): Promise<void> {
    const isKept = this.#lab.get(signed);
    const manifest = isKept ?? unverifiedManifest(signed);
    if (manifest === undefined) return;
    this.#lab.delete(signed);
    this.#lab.set(signed, manifest);
    if (isKept !== undefined) return;
    const name = createHash('sha256').update(signed).digest('hex') + suffix;
    const draft = join(this.folder, `${name}.${randomUUID()}.draft`);
    await writeFile(draft, signed);
    await rename(draft, join(this.folder, name));
  }
}
