import { sign, verify, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import type { Authority } from './authority.js';
import { codeKeyOf, privateCodeKey, publicCodeKey } from './code-key.js';

export { codeKeyOf, isCodeKey } from './code-key.js';

/**
 * A code manifest says which modules belong to a version of a package. It is signed (Ed25519, RFC 8032): by the service for
 * every package that it loads, and by the lab for packages that may run on its computers.
 */

const hash = z.string().regex(/^[0-9a-f]{64}$/);

const moduleShape = z.object({
  /** Path of the source inside the package. */
  source: z.string().min(1),
  sha256: hash,
  /** npm packages that the module imports and does not hold, as `name@version`, sorted. */
  dependencies: z.array(z.string()),
});

const archiveShape = z.object({
  /** The npm packages in it, with all that they need: as in a module. */
  dependencies: z.array(z.string()).min(1),
  /** Operating system and processor, such as `linux-x64` or `linux-arm64-musl`. */
  platform: z.string().min(1).max(40),
  /** Version of the binary interface of Node, such as `115`. */
  abi: z.string().min(1).max(10),
  sha256: hash,
  /** In bytes. */
  size: z.int().positive(),
});

const manifestShape = z.object({
  version: z.literal(1),
  package: z.string().min(1),
  /** `version` in the `package.json` of the package; null: none is given. */
  package_version: z.string().nullable(),
  modules: z.array(moduleShape),
  /** npm packages that were installed on computers of these kinds and packed. Absent: none; computers install them. */
  archives: z.array(archiveShape).optional(),
  /** SHA-256 of the `package-lock.json` of the package; null: it has none. */
  lock: hash.nullable(),
  made_at: z.iso.datetime(),
});

/** npm packages that were installed on one kind of computer, in a `.tar.gz`. */
export type CodeArchive = z.infer<typeof archiveShape>;
export type SignedModule = z.infer<typeof moduleShape>;
export type CodeManifest = z.infer<typeof manifestShape>;

/** A module as a process wants to run it. */
export interface NamedModule extends SignedModule {
  package: string;
}

/** Readings that a process keeps, so that a manifest is verified once. */
const mostKept = 1_000;

/** No other text that is signed with the key begins like this. */
const signedText = (text: Buffer): Buffer => Buffer.concat([Buffer.from('svc code manifest '), text]);

/** Signs code manifests. */
export class CodeSigner {
  /** @param key gives the public key, for {@link CodeVerifier}, and makes signatures */
  private constructor(private readonly key: { publicKey(): string; sign(data: Buffer): Buffer }) {}

  /** With the key of the leading orchestrator. */
  static ofService(authority: Authority): CodeSigner {
    return new CodeSigner({
      publicKey: () => codeKeyOf(authority.publicKey),
      sign: (data) => authority.signBytes(data),
    });
  }

  /** The code key of a lab. @param pem PKCS #8 @throws Error in one sentence, without the text */
  static ofLab(pem: string): CodeSigner {
    const { key, publicKey } = privateCodeKey(pem);
    return new CodeSigner({ publicKey: () => publicKey, sign: (data) => sign(null, data, key) });
  }

  /** For {@link CodeVerifier}: of the key that signs at present. It is no secret. */
  get publicKey(): string {
    return this.key.publicKey();
  }

  /** @returns the manifest as JSON and its signature, both in base64url, separated by a dot */
  sign(manifest: CodeManifest): string {
    const text = Buffer.from(JSON.stringify(manifestShape.parse(manifest)));
    return `${text.toString('base64url')}.${this.key.sign(signedText(text)).toString('base64url')}`;
  }
}

/** Verifies code manifests with one public key. Each signed text is verified once. */
export class CodeVerifier {
  readonly #key: KeyObject;
  readonly #kept = new Map<string, CodeManifest | undefined>();

  /** @param publicKey of {@link CodeSigner} @throws Error in one sentence when it is none */
  constructor(readonly publicKey: string) {
    this.#key = publicCodeKey(publicKey);
  }

  /** @returns undefined: the key has not signed it, or this release cannot read it */
  read(signed: string): CodeManifest | undefined {
    if (this.#kept.has(signed)) return this.#kept.get(signed);
    const [text = '', signature = ''] = signed.split('.');
    const data = Buffer.from(text, 'base64url');
    const isSigned = verify(null, signedText(data), this.#key, Buffer.from(signature, 'base64url'));
    const manifest = isSigned ? manifestIn(data.toString()) : undefined;
    this.#kept.set(signed, manifest);
    if (this.#kept.size > mostKept) this.#kept.delete(this.#kept.keys().next().value ?? '');
    return manifest;
  }
}

/** What a signed text says, whoever signed it; undefined: it is no manifest. */
export function unverifiedManifest(signed: string): CodeManifest | undefined {
  return manifestIn(Buffer.from(signed.split('.')[0] ?? '', 'base64url').toString());
}

function manifestIn(text: string): CodeManifest | undefined {
  try {
    return manifestShape.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/**
 * Why a manifest does not allow a module to run.
 *
 * @returns undefined: it names the module with this package, source, hash and dependencies
 */
export function whyNotIn(manifest: CodeManifest, module: NamedModule): string | undefined {
  const { package: owner, source, sha256, dependencies } = module;
  const what = `${owner}/${source}`;
  if (manifest.package !== owner) return `${what}: the manifest is that of the package ${manifest.package}`;
  const named = manifest.modules.filter((each) => each.source === source);
  if (named.length === 0) return `${what} is not in the signed manifest of ${versionOf(manifest)}`;
  const same = named.find((each) => each.sha256 === sha256);
  if (same === undefined)
    return `${what} was signed with the SHA-256 ${named.map((each) => each.sha256).join(', ')} in ${versionOf(manifest)}, and ${sha256} is offered`;
  if (JSON.stringify(same.dependencies) === JSON.stringify(dependencies)) return undefined;
  return `${what} was signed with the npm packages ${listed(same.dependencies)}, and ${listed(dependencies)} are offered`;
}

const versionOf = ({ package: owner, package_version: version }: CodeManifest): string =>
  version === null ? owner : `${owner} ${version}`;

const listed = (dependencies: readonly string[]): string =>
  dependencies.length === 0 ? '(none)' : dependencies.join(', ');

const beginning = '-----BEGIN SVC CODE KEY-----';
const end = '------END SVC CODE KEY------';

/** What is added to the credentials of an agent that must demand signed code. @param publicKey of {@link CodeSigner} */
export const codeKeyBlock = (publicKey: string): string => `${beginning}\n${publicKey}\n${end}\n`;

/** The code key of the service in the credentials of an agent; undefined: they have none. */
export function codeKeyIn(credentials: string): string | undefined {
  const from = credentials.indexOf(beginning);
  if (from < 0) return undefined;
  return credentials.slice(from + beginning.length, credentials.indexOf(end, from)).trim();
}
