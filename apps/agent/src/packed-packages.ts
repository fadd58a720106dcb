import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError, type ModuleReference } from '@lab/contracts';
import { ownKind, type ComputerKind } from '@lab/definitions/model';
import {
  fetchFile,
  type CodeManifests,
  type FilePiece,
  type PackedPackages,
  type Unpack,
} from '@lab/hosting';
import type { Log } from '@lab/ports';
import type { CodeArchive } from '@lab/trust/code-manifest';
import { syncFolder } from './keeping/index.js';

/** Says which archives whoever this computer believes has signed for a module. */
export interface SignedArchives {
  /** Empty: none. The manifests need not be kept. */
  archives(module: ModuleReference, given: CodeManifests): CodeArchive[];
}

/** Larger archives are refused, in bytes. */
const largestBytes = 512 * 1024 ** 2;

/**
 * npm packages that were packed on another computer of the same kind. They are fetched from the leader by the SHA-256 in a
 * signed manifest, so a computer needs no npm registry, and gets exactly what was packed.
 */
export class ArchivedPackages implements PackedPackages {
  constructor(
    private readonly signed: SignedArchives,
    private readonly log: Log,
    private readonly kind: () => ComputerKind = ownKind,
  ) {}

  unpacking(module: ModuleReference, manifests: () => Promise<CodeManifests>, piece: FilePiece): Unpack {
    return async (folder, signal) => {
      const named = this.signed.archives(module, await manifests());
      if (named.length === 0) return false;
      const { platform, abi } = this.kind();
      const archive = named.find((each) => each.platform === platform && each.abi === abi);
      if (archive === undefined) throw forOthers(module, named, { platform, abi });
      const path = join(folder, 'archive.tar.gz');
      const wanted = { ...archive, what: `the archive ${archive.sha256}`, most: largestBytes };
      await fetchFile(path, wanted, piece, signal);
      this.log.info('fetched an archive of npm packages', { sha256: archive.sha256, bytes: archive.size });
      const wrong = (what: string): Error =>
        new ServiceError(
          'not_found',
          `the archive ${archive.sha256} of ${module.package} is damaged: ${what}`,
        );
      // Its libraries are not loaded by an agent that needs no archive.
      const { unpackFiles } = await import('./archives/index.js');
      const modules = join(folder, 'node_modules');
      await mkdir(modules);
      const { folders } = await unpackFiles(path, 'archive.tar.gz', 'node_modules', modules, wrong);
      await chmod(modules, 0o755);
      for (const each of folders) syncFolder(each);
      await rm(path);
      return true;
    };
  }
}

function forOthers(
  { package: owner, dependencies = [] }: ModuleReference,
  named: readonly CodeArchive[],
  { platform, abi }: ComputerKind,
): ServiceError {
  const kinds = named.map((each) => `${each.platform} with ABI ${each.abi} of Node`).join(', ');
  return new ServiceError(
    'not_found',
    `${owner} has packed ${dependencies.join(', ')} for ${kinds}, and this computer is ${platform} with ABI ${abi}: type "svc pkg vendor" on such a computer, and load the package again`,
  );
}
