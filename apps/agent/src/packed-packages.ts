import { createHash } from 'node:crypto';
import { chmod, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError, type ModuleReference } from '@lab/contracts';
import { ownKind, type ComputerKind } from '@lab/definitions/model';
import type { ArchivePiece, CodeManifests, PackedPackages, Unpack } from '@lab/hosting';
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

  unpacking(module: ModuleReference, manifests: () => Promise<CodeManifests>, piece: ArchivePiece): Unpack {
    return async (folder, signal) => {
      const named = this.signed.archives(module, await manifests());
      if (named.length === 0) return false;
      const { platform, abi } = this.kind();
      const archive = named.find((each) => each.platform === platform && each.abi === abi);
      if (archive === undefined) throw forOthers(module, named, { platform, abi });
      const path = join(folder, 'archive.tar.gz');
      await fetchArchive(path, archive, piece, signal);
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

/** @throws ServiceError when what comes is not the archive, or `signal` fires */
async function fetchArchive(
  path: string,
  { sha256, size }: CodeArchive,
  piece: ArchivePiece,
  signal: AbortSignal,
): Promise<void> {
  const other = (what: string): ServiceError =>
    new ServiceError('forbidden', `what came for the archive ${sha256} is another file: ${what}`);
  if (size > largestBytes)
    throw new ServiceError(
      'not_found',
      `the archive ${sha256} has ${size} bytes; at most ${largestBytes} are taken`,
    );
  const hash = createHash('sha256');
  const file = await open(path, 'wx', 0o600);
  try {
    for (let offset = 0; offset < size;) {
      if (signal.aborted)
        throw new ServiceError('service_unavailable', 'this part of the service is stopping');
      const { data, total } = await piece(sha256, offset);
      if (total !== size) throw other(`it has ${total} bytes, and ${size} are signed`);
      if (data.length === 0 || offset + data.length > size) throw other(`it ends at byte ${offset}`);
      await file.writeFile(data);
      hash.update(data);
      offset += data.length;
    }
  } finally {
    await file.close();
  }
  if (hash.digest('hex') !== sha256) throw other('it has another SHA-256');
}
