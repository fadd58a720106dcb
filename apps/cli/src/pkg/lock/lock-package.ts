import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import {
  lockFile,
  lockText,
  markerHolds,
  neededBy,
  libraryOf,
  projectFile,
  readLock,
  readProject,
  requirementsOf,
  satisfies,
  wheelOf,
  wheelsFolder,
  type LockedLibrary,
  type LockedWheel,
  type PythonLock,
  type PythonProject,
} from '@lab/definitions/environments';
import { ownKind } from '@lab/definitions/model';
import { requirementLines } from '@lab/hosting';
import { kindOf, markerOf, targetIn, targetsOf, targetText, type LockTarget } from './targets.js';
import { sha256Of } from '../packed-file.js';
import { Pip } from './pip.js';
import type { Place } from '../place.js';

/** How often pip is asked again for libraries that it left out, because their markers do not hold on this computer. */
const mostRounds = 10;

export interface LockWishes {
  /** Empty: those of the present lock, or else that of this computer. */
  platforms: readonly string[];
  /** As for `platforms`. */
  pythons: readonly string[];
  /** Take the newest versions, also of libraries that the present lock has. */
  upgrade?: boolean;
  /** Fetch the wheels of the present lock, and change nothing else. */
  wheels?: boolean;
}

/** What a lock has. */
export interface Locked {
  libraries: number;
  targets: string[];
  wheels: number;
  bytes: number;
}

/** A wheel in a temporary folder. */
interface Taken {
  path: string;
  wheel: LockedWheel;
  name: string;
  version: string;
}

/**
 * Locks the libraries that the `pyproject.toml` of a package names: writes `pylock.toml`, and puts the wheels into `wheels`.
 *
 * @returns null: the package has no dependencies any more, and its lock was removed
 * @throws Error in one sentence; what was there before is unchanged then
 */
export async function lockPackage(
  { packageDir: root, userDir }: Place,
  wishes: LockWishes,
  signal: AbortSignal,
): Promise<Locked | null> {
  if (root === null) throw new Error(`${userDir} is no package; name the package`);
  const before = presentLock(root);
  if (wishes.wheels === true) return fetchWheels(root, before, signal);
  const project = projectOf(root);
  if (project.dependencies.length === 0) {
    if (before === null)
      throw new Error(`${join(root, projectFile)} has no dependencies, so there is nothing to lock`);
    rmSync(join(root, lockFile));
    removeOtherWheels(root, []);
    return null;
  }
  const pip = await Pip.find(signal);
  const targets = targetsFor(wishes, before, pip.python);
  for (const { python } of targets)
    if (project.requiresPython !== null && !satisfies(`${python}.99`, project.requiresPython))
      throw new Error(
        `${projectFile} demands Python ${project.requiresPython}, so it cannot be locked for ${python}`,
      );
  const folder = mkdtempSync(join(tmpdir(), 'svc-lock-'));
  try {
    const constraints = wishes.upgrade === true || before === null ? [] : kept(before, project);
    const taken = new Map<LockTarget, Taken[]>();
    for (const [index, target] of targets.entries())
      taken.set(target, await resolve(pip, target, { project, constraints }, join(folder, `${index}`)));
    const libraries = merged(taken);
    const lock: PythonLock = {
      environments: [...new Set(targets.map(markerOf))],
      requiresPython: project.requiresPython,
      libraries,
      made: { requirements: requirementsOf(project), targets: targets.map(targetText) },
    };
    // What agents will do with it.
    for (const target of targets) neededBy(readLock(lockText(lock)), kindOf(target));
    write(root, lock, [...taken.values()].flat());
    return summary(root, lock);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The versions of a lock that stay: all but those of libraries whose requirement has changed. */
function kept({ libraries, made }: PythonLock, project: PythonProject): string[] {
  const known = new Set(made?.requirements);
  const changed = new Set(
    requirementsOf(project)
      .filter((each) => !known.has(each))
      .map(libraryOf),
  );
  return libraries.filter(({ name }) => !changed.has(name)).map(({ name, version }) => `${name}==${version}`);
}

function presentLock(root: string): PythonLock | null {
  const path = join(root, lockFile);
  if (!existsSync(path)) return null;
  try {
    return readLock(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`${path} is damaged: ${(error as Error).message}; remove it, and lock again`, {
      cause: error,
    });
  }
}

function projectOf(root: string): PythonProject {
  const path = join(root, projectFile);
  if (!existsSync(path))
    throw new Error(
      `${root} has no ${projectFile}: write one with [project] and dependencies = ["numpy>=1.26"]`,
    );
  try {
    return readProject(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`, { cause: error });
  }
}

function targetsFor(
  { platforms, pythons }: LockWishes,
  before: PythonLock | null,
  python: string,
): LockTarget[] {
  const known = (before?.made?.targets ?? []).map(targetIn);
  if (platforms.length === 0 && pythons.length === 0 && known.length > 0) return known;
  const or = (wished: readonly string[], others: string[], own: string): readonly string[] =>
    wished.length > 0 ? wished : others.length > 0 ? others : [own];
  return targetsOf(
    or(
      platforms,
      known.map((each) => each.platform),
      ownKind().platform,
    ),
    or(
      pythons,
      known.map((each) => each.python),
      python,
    ),
  );
}

/**
 * The wheels that a target needs. pip evaluates markers for the Python that it runs in, so libraries that only the target needs
 * are asked for by themselves.
 */
async function resolve(
  pip: Pip,
  target: LockTarget,
  { project, constraints }: { project: PythonProject; constraints: string[] },
  folder: string,
): Promise<Taken[]> {
  const { markers } = kindOf(target);
  const wanted = new Set(project.dependencies.flatMap((each) => neededHere(each, markers)));
  for (let round = 0; ; round += 1) {
    const into = join(folder, `${round}`);
    mkdirSync(into, { recursive: true });
    const files = await downloaded(pip, target, { requirements: [...wanted], constraints }, into);
    const taken: Taken[] = [];
    for (const file of files.sort()) taken.push(await takenOf(join(into, file)));
    const names = new Set(taken.map(({ name }) => name));
    const required = [...(await pip.requirementsOf(taken.map(({ path }) => path))).values()].flat();
    const missing = required
      .flatMap((each) => neededHere(each, markers))
      .filter((each) => !names.has(libraryOf(each)));
    if (missing.length === 0) return taken;
    if (round === mostRounds)
      throw new Error(`pip does not take ${missing.join(', ')} for ${targetText(target)}`);
    for (const each of missing) wanted.add(each);
  }
}

/** The names of the wheels that pip has put into a folder. @throws Error that says whether locked versions stand in the way */
async function downloaded(
  pip: Pip,
  target: LockTarget,
  { requirements, constraints }: { requirements: string[]; constraints: string[] },
  into: string,
): Promise<string[]> {
  try {
    return await pip.download(target, { requirements, constraints }, into);
  } catch (error) {
    if (constraints.length === 0) throw error;
    const free = mkdtempSync(join(tmpdir(), 'svc-lock-'));
    try {
      await pip.download(target, { requirements }, free);
    } finally {
      rmSync(free, { recursive: true, force: true });
    }
    const message = `${(error as Error).message.replace(/\.$/, '')}; without the versions of the present lock there is a way: add --upgrade`;
    throw new Error(message, { cause: error });
  }
}

/** A requirement without its marker, if the marker holds. */
function neededHere(requirement: string, markers: Readonly<Record<string, string>>): string[] {
  const [plain = '', ...rest] = requirement.split(';');
  const marker = rest.join(';').trim();
  return marker === '' || markerHolds(marker, markers) ? [plain.trim()] : [];
}

async function takenOf(path: string): Promise<Taken> {
  const file = basename(path);
  const parts = wheelOf(file);
  if (parts === undefined)
    throw new Error(`${JSON.stringify(file)} is no name of a wheel that can be locked`);
  const { distribution: name, version } = parts;
  return {
    path,
    name,
    version,
    wheel: { name: file, sha256: await sha256Of(path), size: statSync(path).size },
  };
}

/** The libraries of all targets. One that some targets do not need gets a marker. */
function merged(taken: ReadonlyMap<LockTarget, readonly Taken[]>): LockedLibrary[] {
  const found = new Map<string, LockedLibrary & { targets: Set<LockTarget> }>();
  for (const [target, wheels] of taken) {
    for (const { name, version, wheel } of wheels) {
      const key = `${name} ${version}`;
      const known = found.get(key) ?? { name, version, marker: null, wheels: [], targets: new Set() };
      found.set(key, known);
      known.targets.add(target);
      if (!known.wheels.some((each) => each.name === wheel.name)) known.wheels.push(wheel);
    }
  }
  const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, library]) => library);
  return sorted.map(({ targets, ...library }) => ({
    ...library,
    marker:
      targets.size === taken.size
        ? null
        : [...new Set([...targets].map(markerOf))].map((each) => `(${each})`).join(' or '),
    wheels: library.wheels.sort((a, b) => (a.name < b.name ? -1 : 1)),
  }));
}

/** Writes the wheels first, so that a lock never names one that is not there. */
function write(root: string, lock: PythonLock, taken: readonly Taken[]): void {
  putWheels(root, taken);
  const path = join(root, lockFile);
  writeFileSync(`${path}.draft`, lockText(lock), { flush: true });
  renameSync(`${path}.draft`, path);
  removeOtherWheels(root, lock.libraries);
}

function putWheels(root: string, taken: readonly Pick<Taken, 'path' | 'wheel'>[]): void {
  const folder = join(root, wheelsFolder);
  mkdirSync(folder, { recursive: true });
  for (const { path, wheel } of taken) {
    const draft = join(folder, `${wheel.name}.draft`);
    copyFileSync(path, draft);
    renameSync(draft, join(folder, wheel.name));
  }
}

function removeOtherWheels(root: string, libraries: readonly LockedLibrary[]): void {
  const folder = join(root, wheelsFolder);
  if (!existsSync(folder)) return;
  const named = new Set(libraries.flatMap(({ wheels }) => wheels.map(({ name }) => name)));
  for (const name of readdirSync(folder))
    if (/\.whl(\.draft)?$/.test(name) && !named.has(name)) rmSync(join(folder, name));
}

function summary(root: string, lock: PythonLock): Locked {
  const wheels = lock.libraries.flatMap((library) => library.wheels);
  return {
    libraries: lock.libraries.length,
    targets: lock.made?.targets ?? [],
    wheels: wheels.length,
    bytes: wheels.reduce((sum, { name }) => sum + statSync(join(root, wheelsFolder, name)).size, 0),
  };
}

/** Fetches the wheels that a lock names and that are not there. */
async function fetchWheels(root: string, lock: PythonLock | null, signal: AbortSignal): Promise<Locked> {
  if (lock === null) throw new Error(`${root} has no ${lockFile}; lock the package without --wheels`);
  const wanted = new Map(lock.libraries.flatMap(({ wheels }) => wheels.map((wheel) => [wheel.name, wheel])));
  for (const { name, sha256 } of [...wanted.values()]) {
    const path = join(root, wheelsFolder, name);
    if (existsSync(path) && (await sha256Of(path)) === sha256) wanted.delete(name);
  }
  const folder = mkdtempSync(join(tmpdir(), 'svc-lock-'));
  try {
    const targets = wanted.size === 0 ? [] : (lock.made?.targets ?? []).map(targetIn);
    const pip = targets.length === 0 ? undefined : await Pip.find(signal);
    for (const [index, target] of targets.entries()) {
      const into = join(folder, `${index}`);
      mkdirSync(into);
      const requirements = requirementLines(neededBy(lock, kindOf(target)))
        .trim()
        .split('\n');
      const files = await pip?.download(
        target,
        { requirements, options: ['--no-deps', '--require-hashes'] },
        into,
      );
      for (const file of files ?? []) {
        const wheel = wanted.get(file);
        const path = join(into, file);
        if (wheel === undefined || (await sha256Of(path)) !== wheel.sha256) continue;
        putWheels(root, [{ path, wheel }]);
        wanted.delete(file);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  if (wanted.size > 0)
    throw new Error(
      `${[...wanted.keys()].join(', ')} could not be had: put them into ${join(root, wheelsFolder)}, or lock again without --wheels`,
    );
  return summary(root, lock);
}
