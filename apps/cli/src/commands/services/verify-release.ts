import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { readProvenance } from '@lab/trust/provenance';

/** What is known of files by the provenance of their build. */
export interface VerifiedRelease {
  /** Every file is as it was built. */
  ok: boolean;
  files: { file: string; sha256: string; verdict: 'as built' | 'CHANGED' | 'NOT IN THE PROVENANCE' }[];
  /** Code key; null: nobody signed the provenance. */
  signed_by: string | null;
  builder: string;
  commit: string | null;
  /** The sources had changes beside the commit. */
  changed_sources: boolean;
  /** SHA-256 of package-lock.json, which fixes all libraries. */
  lock: string | null;
}

/**
 * Compares files with the provenance of their build. The names of the files must be those of the build.
 *
 * @param key the code key that must have signed it; undefined: it is unsigned
 * @throws Error when the provenance cannot be trusted, or a file cannot be read
 */
export async function verifyRelease(
  files: readonly string[],
  provenance: string,
  key: string | undefined,
): Promise<VerifiedRelease> {
  const { subject, predicate } = readProvenance(await readFile(provenance, 'utf8'), key);
  const checked: VerifiedRelease['files'] = [];
  for (const file of files) {
    const sha256 = await hashOf(file);
    const built = subject.filter(({ name }) => name === basename(file));
    const isSame = built.some(({ digest }) => digest.sha256 === sha256);
    const verdict = isSame ? 'as built' : built.length > 0 ? 'CHANGED' : 'NOT IN THE PROVENANCE';
    checked.push({ file, sha256, verdict });
  }
  const { resolvedDependencies } = predicate.buildDefinition;
  const source = resolvedDependencies.find(({ digest }) => digest['gitCommit'] !== undefined);
  const lock = resolvedDependencies.find(({ uri }) => uri === 'package-lock.json');
  return {
    ok: checked.every(({ verdict }) => verdict === 'as built'),
    files: checked,
    signed_by: key ?? null,
    builder: predicate.runDetails.builder.id,
    commit: source?.digest['gitCommit'] ?? null,
    changed_sources: source?.annotations?.['uncommitted_changes'] === true,
    lock: lock?.digest['sha256'] ?? null,
  };
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
