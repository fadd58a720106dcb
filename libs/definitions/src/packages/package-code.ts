import { join } from 'node:path';
import {
  CodeVerifier,
  unverifiedManifest,
  whyNotIn,
  type CodeArchive,
  type CodeManifest,
  type SignedModule,
} from '@lab/trust/code-manifest';
import { z } from 'zod';
import { readIfThere, sha256 } from '../code/index.js';
import type { Diagnostic } from '../documents/index.js';
import { archivesFile, type PackageArchive } from './archives.js';
import type { EnvironmentFile } from './python-libraries.js';

/** The file in a package that says what the lab has signed. */
export const codeManifestFile = 'code-manifest.json';
const lockFile = 'package-lock.json';

/** The code of a package as it is now, and what the lab has signed of it. */
export interface PackageCode {
  package: string;
  /** `version` in its `package.json`; null: none is given. */
  version: string | null;
  /** By source. */
  modules: readonly SignedModule[];
  /** SHA-256 of its `package-lock.json`; null: it has none. */
  lock: string | null;
  /** What the lab has signed, whether it fits or not; null: nothing, or the file cannot be read. */
  signed: string | null;
  /** npm packages that were packed for computers without a registry. */
  archives: readonly PackageArchive[];
  /** The lock of its libraries for Python, and their wheels. */
  environment: readonly EnvironmentFile[];
}

/** The archives as a manifest names them; undefined: the package has none. */
export function namedArchives(archives: readonly PackageArchive[]): CodeArchive[] | undefined {
  return archives.length === 0 ? undefined : archives.map(({ path: _path, ...named }) => named);
}

/** What `code-manifest.json` and the lock file of a package say. */
export interface SignedFiles {
  lock: string | null;
  /** Text for {@link CodeVerifier}; null: there is no file, or it is damaged. */
  signed: string | null;
  /** True: there is a file, and it is no signed manifest. */
  isDamaged: boolean;
}

const fileShape = z.object({ manifest: z.record(z.string(), z.unknown()), signature: z.string().min(1) });

/** @param root absolute folder of the package */
export async function readSignedFiles(root: string): Promise<SignedFiles> {
  const [lock, text] = await Promise.all([
    readIfThere(join(root, lockFile)),
    readIfThere(join(root, codeManifestFile)),
  ]);
  const signed = text === null ? null : signedIn(text.toString());
  return { lock: lock === null ? null : sha256(lock), signed, isDamaged: text !== null && signed === null };
}

/** The text of a `code-manifest.json`. @param signed of a `CodeSigner` */
export function codeManifestText(signed: string): string {
  const [text = '', signature = ''] = signed.split('.');
  const manifest: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
  return `${JSON.stringify({ manifest, signature }, null, 2)}\n`;
}

/** The opposite of {@link codeManifestText}, whatever the spaces and line ends; null: it is no signed manifest. */
function signedIn(text: string): string | null {
  let content: unknown;
  try {
    content = JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  const { data } = fileShape.safeParse(content);
  if (data === undefined) return null;
  const signed = `${Buffer.from(JSON.stringify(data.manifest)).toString('base64url')}.${data.signature}`;
  return unverifiedManifest(signed) === undefined ? null : signed;
}

/** How the code of a package differs from what the lab has signed. */
export interface SignatureFindings {
  /** Of the whole package. They concern all its code. */
  ofPackage: Diagnostic[];
  /** By source. */
  ofModules: Map<string, Diagnostic>;
}

/**
 * Compares the code of a package with its `code-manifest.json`.
 *
 * @param folder of the package, relative to the user directory
 * @param key public code key that must have signed it; undefined: any key, and a package need not be signed
 */
export function compareWithSigned(
  code: PackageCode,
  { isDamaged }: Pick<SignedFiles, 'isDamaged'>,
  folder: string,
  key: string | undefined,
): SignatureFindings {
  const { package: owner, modules, lock, signed } = code;
  const found: SignatureFindings = { ofPackage: [], ofModules: new Map() };
  const at = (file: string): string => (folder === '' ? file : `${folder}/${file}`);
  const hint = `svc pkg sign ${owner} --key FILE`;
  const finding = (file: string, problem: string, message: string): Diagnostic => ({
    ...{ file: at(file), line: null, column: null, path: '', code: problem, message, hint },
  });
  const whole = (problem: string, message: string): void =>
    void found.ofPackage.push(finding(codeManifestFile, problem, message));
  if (modules.length === 0) return found;
  if (isDamaged) whole('damaged_signature', `the file is no manifest that "svc pkg sign" wrote`);
  else if (signed === null) {
    if (key !== undefined)
      whole('unsigned_code', `the package ${owner} is not signed, and SVC_CODE_KEY demands code of ${key}`);
  } else {
    const manifest = manifestOf(signed, key);
    if (manifest === undefined)
      whole('foreign_signature', `the manifest was not signed with ${key ?? ''}, as SVC_CODE_KEY demands`);
    else {
      for (const module of modules) {
        const why = whyNotIn(manifest, { package: owner, ...module });
        if (why !== undefined)
          found.ofModules.set(module.source, finding(module.source, 'unsigned_code', why));
      }
      const named = JSON.stringify(namedArchives(code.archives));
      if (found.ofModules.size === 0 && JSON.stringify(manifest.archives) !== named)
        found.ofPackage.push(
          finding(archivesFile, 'other_archives', 'other archives of npm packages were signed'),
        );
      if (found.ofModules.size === 0 && manifest.lock !== lock)
        found.ofPackage.push({
          ...finding(
            lockFile,
            'other_lock',
            `it was signed with the SHA-256 ${manifest.lock ?? '(no file)'} and has ${lock ?? '(no file)'}`,
          ),
        });
    }
  }
  return found;
}

function manifestOf(signed: string, key: string | undefined): CodeManifest | undefined {
  return key === undefined ? unverifiedManifest(signed) : new CodeVerifier(key).read(signed);
}
