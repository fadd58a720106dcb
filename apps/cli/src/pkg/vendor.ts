import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { archivesFile, archivesIn, vendorFolder, type ListedArchive } from '@lab/definitions';
import { ownKind, splitDependency } from '@lab/definitions/model';
import { npmInstall } from '@lab/hosting';
import { packModules } from './packed-file.js';
import type { Place } from './place.js';
import { soundCode } from './sound-code.js';

/** Longest run of npm, in milliseconds. */
const npmMs = 600_000;

/** A set of npm packages that was packed. */
export interface Packed {
  dependencies: string[];
  /** Relative to the folder of the package. */
  file: string;
  /** In bytes. */
  size: number;
}

/**
 * Packs the npm packages that the code of a package imports and does not contain, for computers like this one. Archives for
 * other kinds of computers stay.
 *
 * @throws Error in one sentence, or with all faults of the package; what was there before is unchanged then
 */
export async function vendorPackage(place: Place, signal: AbortSignal): Promise<Packed[]> {
  const { code, root } = await soundCode(place, 'nothing was packed');
  const sets = [...new Set(code.modules.map(({ dependencies }) => JSON.stringify(dependencies)))]
    .map((text) => JSON.parse(text) as string[])
    .filter((dependencies) => dependencies.length > 0);
  if (sets.length === 0)
    throw new Error(
      `no code of the package ${code.package} imports an npm package that "svc.external" of its package.json names, so there is nothing to pack`,
    );
  const kind = ownKind();
  mkdirSync(join(root, vendorFolder), { recursive: true });
  const made: ListedArchive[] = [];
  for (const dependencies of sets) {
    const name = idOf(dependencies);
    const file = `${vendorFolder}/${name}-${kind.platform}-abi${kind.abi}.tar.gz`;
    const packed = await packSet(root, dependencies, `${vendorFolder}/${name}-lock.json`, file, signal);
    made.push({ dependencies, ...kind, ...packed, file });
  }
  const before = listed(root);
  const isUsed = ({ dependencies }: ListedArchive): boolean =>
    sets.some((set) => JSON.stringify(set) === JSON.stringify(dependencies));
  const others = before.filter((each) => isUsed(each) && !made.some(({ file }) => file === each.file));
  const archives = [...others, ...made].sort((a, b) => (a.file < b.file ? -1 : 1));
  write(join(root, archivesFile), `${JSON.stringify({ archives }, null, 2)}\n`);
  // Of packages that no code imports any more.
  for (const { file } of before.filter((each) => !isUsed(each))) rmSync(join(root, file), { force: true });
  return made.map(({ dependencies, file, size }) => ({ dependencies, file, size }));
}

/** Installs a set from its lock file, which is made first if there is none, and packs it. */
async function packSet(
  root: string,
  dependencies: readonly string[],
  lockFile: string,
  file: string,
  signal: AbortSignal,
): Promise<{ sha256: string; size: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-vendor-'));
  const draft = join(root, `${file}.draft`);
  try {
    const versions = dependencies.map(splitDependency).map(({ name, version }) => [name, version]);
    const manifest = { private: true, dependencies: Object.fromEntries(versions) as Record<string, string> };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    const lock = join(folder, 'package-lock.json');
    // With it, npm installs the same indirect dependencies on each kind of computer, and compares their hashes.
    if (existsSync(join(root, lockFile))) writeFileSync(lock, readFileSync(join(root, lockFile)));
    const end = await npmInstall(folder, npmMs, signal);
    if (!end.ok)
      throw new Error(
        `nothing was packed, because npm could not install ${dependencies.join(', ')}: ${end.reason}`,
      );
    const packed = await packModules(folder, draft);
    renameSync(draft, join(root, file));
    write(join(root, lockFile), withoutAddresses(readFileSync(lock, 'utf8')));
    return packed;
  } finally {
    rmSync(draft, { force: true });
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The lock without addresses of the registry: other computers may use another one. The hashes stay. */
function withoutAddresses(text: string): string {
  const lock = JSON.parse(text) as { packages?: Record<string, { resolved?: string }> };
  for (const each of Object.values(lock.packages ?? {})) delete each.resolved;
  return `${JSON.stringify(lock, null, 2)}\n`;
}

/** @throws Error in one sentence when the file is damaged */
function listed(root: string): ListedArchive[] {
  const path = join(root, archivesFile);
  if (!existsSync(path)) return [];
  const archives = archivesIn(readFileSync(path, 'utf8'));
  if (archives === undefined)
    throw new Error(`${path} is damaged; remove it, and pack again on each kind of computer`);
  return archives;
}

function write(path: string, text: string): void {
  writeFileSync(`${path}.draft`, text, { flush: true });
  renameSync(`${path}.draft`, path);
}

/** Short, and the same on every computer. */
const idOf = (dependencies: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(dependencies)).digest('hex').slice(0, 12);
