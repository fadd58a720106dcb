import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError, type ModuleReference } from '@lab/contracts';
import type { CodeCheck, CodeManifests } from '@lab/hosting';
import type { Log } from '@lab/ports';
import {
  CodeVerifier,
  unverifiedManifest,
  whyNotIn,
  type CodeArchive,
  type CodeManifest,
  type NamedModule,
} from '@lab/trust/code-manifest';
import { writeWhole } from './joining/index.js';

/** Whose signature a module needs. */
export interface CodeKeys {
  /**
   * Public code keys of the service that this computer believes at present. Undefined: this computer has no credentials, so it
   * knows no key of the service.
   */
  service: (() => readonly string[]) | undefined;
  /**
   * False: the service has never said that it signs code, so an orchestrator of an earlier release may answer. Then a module
   * without a manifest may run until the first manifest of the service was seen.
   */
  isPromised(): boolean;
  /** Public code key of the lab. Undefined: the signature of the service suffices. */
  lab: string | undefined;
  /** Asks whether the service has replaced its key. Resolves when the answer is there. Never rejects. */
  doubt?(): Promise<void>;
}

const suffix = '.signed';

/** Longest manifest that is kept, in characters. */
const longest = 1_000_000;

/**
 * Allows the modules that signed manifests name. Manifests are kept on disk, so that a restart asks for none, and each is
 * verified once in a process.
 */
export class SignedCode implements CodeCheck {
  /** One of each key that this process has believed. */
  readonly #verifiers = new Map<string, CodeVerifier>();
  #kept: Promise<Set<string>> | undefined;
  #warned = false;

  /**
   * @param folder of the manifests
   * @throws Error in one sentence when a key is damaged
   */
  constructor(
    private readonly folder: string,
    private readonly keys: CodeKeys,
    private readonly log: Log,
  ) {
    this.#service();
    this.#lab();
  }

  async allows(module: ModuleReference): Promise<boolean> {
    const named = namedModule(module);
    const kept = [...(await this.#all())];
    return [this.#service(), this.#lab()].every(
      (verifiers) => verifiers === undefined || kept.some((signed) => isIn(verifiers, signed, named)),
    );
  }

  async demand(module: ModuleReference, given: CodeManifests): Promise<void> {
    const named = namedModule(module);
    const kept = [...(await this.#all())];
    const found: string[] = [];
    if (given.manifest !== undefined && readIn(this.#service() ?? [], given.manifest) === undefined)
      await this.keys.doubt?.();
    for (const { verifiers, signed, who } of [
      { verifiers: this.#service(), signed: given.manifest, who: 'service' as const },
      { verifiers: this.#lab(), signed: given.lab_manifest, who: 'lab' as const },
    ]) {
      if (verifiers === undefined || kept.some((each) => isIn(verifiers, each, named))) continue;
      if (signed === undefined && who === 'service' && (await this.#toleratesNone(named))) continue;
      demandIn(verifiers, signed, named, who);
      found.push(signed);
    }
    for (const signed of found) await this.#keep(signed);
  }

  /**
   * The archives of npm packages that signed manifests name for the packages of a module: those of the lab, if this computer
   * demands its signature, else those of the service.
   */
  archives(module: ModuleReference, given: CodeManifests): CodeArchive[] {
    const named = namedModule(module);
    const verifiers = this.#lab() ?? this.#service() ?? [];
    const signed = this.keys.lab === undefined ? given.manifest : given.lab_manifest;
    const manifest = signed === undefined ? undefined : readIn(verifiers, signed);
    if (manifest === undefined || whyNotIn(manifest, named) !== undefined) return [];
    const wanted = JSON.stringify(named.dependencies);
    return (manifest.archives ?? []).filter(({ dependencies }) => JSON.stringify(dependencies) === wanted);
  }

  /** An orchestrator of an earlier release signs nothing. */
  async #toleratesNone({ package: owner, source }: NamedModule): Promise<boolean> {
    if (this.keys.isPromised()) return false;
    const verifiers = this.#service() ?? [];
    for (const signed of await this.#all()) if (readIn(verifiers, signed) !== undefined) return false;
    if (!this.#warned)
      this.log.warn('the orchestrator signs no code, so code runs without a signature of the service', {
        module: `${owner}/${source}`,
        hint: 'update the service',
      });
    this.#warned = true;
    return true;
  }

  /** Undefined: no signature of the service is demanded. */
  #service(): CodeVerifier[] | undefined {
    return this.keys.service?.().map((key) => this.#verifier(key));
  }

  /** Undefined: no signature of the lab is demanded. */
  #lab(): CodeVerifier[] | undefined {
    return this.keys.lab === undefined ? undefined : [this.#verifier(this.keys.lab)];
  }

  #verifier(key: string): CodeVerifier {
    const known = this.#verifiers.get(key) ?? new CodeVerifier(key);
    this.#verifiers.set(key, known);
    return known;
  }

  #all(): Promise<Set<string>> {
    const found = (this.#kept ??= readKept(this.folder));
    found.catch(() => (this.#kept = undefined));
    return found;
  }

  async #keep(signed: string): Promise<void> {
    if (signed.length > longest) return;
    const kept = await this.#all();
    if (kept.has(signed)) return;
    kept.add(signed);
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      writeWhole(join(this.folder, `${sha256(signed)}${suffix}`), signed);
    } catch (error) {
      // It allows the module until this process ends, and is asked for again after that.
      this.log.warn('a code manifest could not be kept', { error });
    }
  }
}

function namedModule({ package: owner, source, hash, dependencies = [] }: ModuleReference): NamedModule {
  return { package: owner, source, sha256: hash, dependencies };
}

/** @returns undefined: none of the keys has signed it, or it is no manifest */
function readIn(verifiers: readonly CodeVerifier[], signed: string): CodeManifest | undefined {
  return verifiers.map((verifier) => verifier.read(signed)).find((manifest) => manifest !== undefined);
}

function isIn(verifiers: readonly CodeVerifier[], signed: string, module: NamedModule): boolean {
  const manifest = readIn(verifiers, signed);
  return manifest !== undefined && whyNotIn(manifest, module) === undefined;
}

/** @throws ServiceError `forbidden`; `service_unavailable` when the service sends no manifest */
function demandIn(
  verifiers: readonly CodeVerifier[],
  signed: string | undefined,
  module: NamedModule,
  who: 'service' | 'lab',
): asserts signed is string {
  const { package: owner, source } = module;
  const sign = `svc pkg sign ${owner} --key FILE`;
  if (signed === undefined)
    throw who === 'lab'
      ? new ServiceError(
          'forbidden',
          `the package ${owner} is not signed, and this computer runs only code that the code key ${verifiers[0]?.publicKey} has signed (SVC_CODE_KEY). Sign the package: ${sign}; then load it again`,
        )
      : new ServiceError(
          'service_unavailable',
          `the orchestrator has sent no signed manifest for ${owner}/${source}, and this computer runs only code that its service has signed. The orchestrator may be of an earlier release, or lack SVC_AUTHORITY_KEY: update the service, or give it the key`,
        );
  const manifest = readIn(verifiers, signed);
  const hint = who === 'lab' ? `Sign the package: ${sign}; then load it again` : 'Load the package again';
  if (manifest !== undefined) {
    const fault = whyNotIn(manifest, module);
    if (fault === undefined) return;
    throw new ServiceError('forbidden', `${fault}. ${hint}`);
  }
  const claimed = unverifiedManifest(signed);
  if (claimed === undefined)
    throw new ServiceError(
      'forbidden',
      `the manifest of ${owner} is damaged, or made by a newer release. ${hint}`,
    );
  throw new ServiceError(
    'forbidden',
    who === 'lab'
      ? `the manifest of ${owner} is not signed with the code key of this computer, ${verifiers[0]?.publicKey} (SVC_CODE_KEY). ${hint}`
      : `the service that this computer joined has not signed the manifest of ${owner}. Somebody may answer in its place, or the service was set up anew: then join again`,
  );
}

async function readKept(folder: string): Promise<Set<string>> {
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Set();
    throw error;
  }
  const kept = new Set<string>();
  for (const name of names) {
    const path = join(folder, name);
    const signed = name.endsWith(suffix) ? await readFile(path, 'utf8') : '';
    // Also what a crash left behind. A manifest is asked for again.
    if (`${sha256(signed)}${suffix}` === name) kept.add(signed);
    else await rm(path, { force: true });
  }
  return kept;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
