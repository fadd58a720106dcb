import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { signStatement, statementOf } from '@lab/trust/provenance';
import { text } from '../shared/flags.js';
import { root } from '../shared/paths.js';

/** Options of a command that makes files of a release: a private code key, and the address that names who builds. */
export const provenanceFlags = { key: text, builder: text };

const startedOn = new Date().toISOString();

/** Names no address on the web, because the type of the build is described in docs/guide/upgrading.md. */
const urn = 'urn:lab-orchestration-service';

export interface Built {
  /** The target that made the files, such as `agent:package`. */
  target: string;
  folder: string;
  files: readonly { path: string; sha256: string }[];
  /** The file of a private code key, which signs the provenance; undefined: nobody signs it. */
  key: string | undefined;
  /** URI of whoever builds; undefined: somebody at a computer of theirs. */
  builder: string | undefined;
}

/**
 * Writes the provenance of files beside them: `provenance.intoto.jsonl` if it is signed, else `provenance.json`. The files themselves do
 * not depend on times and places; what does is here.
 *
 * @returns path of the written file
 */
export function writeProvenance({ target, folder, files, key, builder }: Built): string {
  const statement = statementOf(
    files.map(({ path, sha256 }) => ({ name: basename(path), digest: { sha256 } })),
    {
      buildDefinition: {
        buildType: `${urn}:nx-target:1`,
        externalParameters: { target },
        internalParameters: { node: process.version, platform: `${process.platform}-${process.arch}` },
        resolvedDependencies: [
          ...sources(),
          { uri: 'package-lock.json', digest: { sha256: hashOf(join(root, 'package-lock.json')) } },
        ],
      },
      runDetails: {
        builder: { id: builder ?? `${urn}:own-computer` },
        metadata: { invocationId: randomUUID(), startedOn, finishedOn: new Date().toISOString() },
      },
    },
  );
  const [signed, unsigned] = ['provenance.intoto.jsonl', 'provenance.json'].map((name) => join(folder, name));
  const [written, stale] = key === undefined ? [unsigned, signed] : [signed, unsigned];
  rmSync(String(stale), { force: true });
  const content =
    key === undefined
      ? `${JSON.stringify(statement, null, 2)}\n`
      : signStatement(statement, readFileSync(key, 'utf8'));
  writeFileSync(String(written), content);
  return String(written);
}

/** The commit, if the sources are those of a repository. */
function sources(): { uri: string; digest: { gitCommit: string }; annotations?: Record<string, unknown> }[] {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    const gitCommit = git('rev-parse', '--verify', 'HEAD');
    const isChanged = git('status', '--porcelain') !== '';
    const annotations = { uncommitted_changes: true };
    return [{ uri: 'git+file:.', digest: { gitCommit }, ...(isChanged ? { annotations } : {}) }];
  } catch {
    // An archive of the sources has no repository.
    return [];
  }
}

const hashOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');
