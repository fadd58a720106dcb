import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { archivesFile, codeManifestFile, codeManifestText, namedArchives } from '@lab/definitions';
import { lockFile } from '@lab/definitions/environments';
import { CodeSigner } from '@lab/trust/code-manifest';
import type { Place } from './place.js';
import { sha256Of } from './packed-file.js';
import { soundCode } from './sound-code.js';

/**
 * Makes a code key of a lab.
 *
 * @param path of the new file with the private key, which only this user can read
 * @returns the public key
 * @throws Error in one sentence when there is such a file, or it cannot be written
 */
export function makeCodeKey(path: string): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  try {
    writeFileSync(path, pem, { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      code === 'EEXIST'
        ? `${path} exists already; choose another file, because code that its key has signed would be refused`
        : `${path} cannot be written: ${code ?? String(error)}`,
      { cause: error },
    );
  }
  return CodeSigner.ofLab(pem).publicKey;
}

/** @param path of a file of {@link makeCodeKey} @throws Error in one sentence, without the key */
export function readCodeKey(path: string): CodeSigner {
  let pem: string;
  try {
    pem = readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code ?? String(error)}`, {
      cause: error,
    });
  }
  try {
    return CodeSigner.ofLab(pem);
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`, { cause: error });
  }
}

/** The manifest is part of a message, whose size the broker limits. */
const mostModules = 2_000;

/** A package that was signed. */
export interface SignedPackage {
  package: string;
  /** Path of its manifest. */
  file: string;
  modules: number;
}

/**
 * Signs the code of a package as it is now, and writes its manifest.
 *
 * @param now milliseconds since 1970
 * @throws Error with all faults of the package when it has some; nothing is signed then
 */
export async function signPackage(place: Place, key: CodeSigner, now: number): Promise<SignedPackage> {
  const { code, root } = await soundCode(place, 'nothing was signed');
  for (const { path, sha256 } of code.archives)
    if ((await sha256Of(path)) !== sha256)
      throw new Error(
        `nothing was signed, because ${path} is another file than ${archivesFile} says; make it anew with "svc pkg vendor"`,
      );
  for (const { path, sha256 } of code.environment)
    if ((await sha256Of(path)) !== sha256)
      throw new Error(
        `nothing was signed, because ${path} is another file than ${lockFile} says; fetch it anew with "svc pkg lock --wheels"`,
      );
  if (code.modules.length > mostModules)
    throw new Error(
      `nothing was signed, because the package has ${code.modules.length} modules, and a manifest at most ${mostModules}; divide the package`,
    );
  const signed = key.sign({
    ...{ version: 1, package: code.package, package_version: code.version, lock: code.lock },
    ...{ modules: [...code.modules], archives: namedArchives(code.archives) },
    made_at: new Date(now).toISOString(),
  });
  const file = join(root, codeManifestFile);
  writeFileSync(file, codeManifestText(signed));
  return { package: code.package, file, modules: code.modules.length };
}
