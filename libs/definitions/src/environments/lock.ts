import { parse, stringify } from 'smol-toml';
import { z } from 'zod';
import { markerHolds } from './markers.js';
import { satisfies } from './versions.js';
import { fits, normalizedName, wheelOf, type PythonKind } from './wheels.js';

/** The file in a package that says which libraries its code in Python has (PEP 751). */
export const lockFile = 'pylock.toml';
/** The folder of a package with the wheels of the lock. */
export const wheelsFolder = 'wheels';
/** Larger wheels are refused, in bytes. */
export const largestWheel = 512 * 1024 ** 2;
/** Larger locks are refused, in bytes. */
export const largestLock = 4 * 1024 ** 2;

/** One file with a library. */
export interface LockedWheel {
  /** Name of the file. It leads to no other folder. */
  name: string;
  sha256: string;
  /** In bytes; null: not stated. */
  size: number | null;
}

/** A library with its version. */
export interface LockedLibrary {
  /** Normalized. */
  name: string;
  version: string;
  /** On which computers it is needed; null: on all. */
  marker: string | null;
  wheels: LockedWheel[];
}

export interface PythonLock {
  /** Markers of the computers that it is for; empty: not stated. */
  environments: string[];
  /** Such as `>=3.9`; null: not stated. */
  requiresPython: string | null;
  libraries: LockedLibrary[];
  /** What `svc pkg lock` locked; null: another tool has written the lock. */
  made: { requirements: string[]; targets: string[] } | null;
}

const wheelShape = z.object({
  name: z.string().optional(),
  path: z.string().optional(),
  url: z.string().optional(),
  size: z.int().positive().optional(),
  hashes: z.record(z.string(), z.string()),
});
const shape = z.object({
  'lock-version': z.string().regex(/^1\.\d+$/),
  environments: z.array(z.string()).optional(),
  'requires-python': z.string().optional(),
  packages: z
    .array(
      z.object({
        name: z.string(),
        version: z.string().optional(),
        marker: z.string().optional(),
        'requires-python': z.string().optional(),
        wheels: z.array(wheelShape).optional(),
      }),
    )
    .default([]),
  tool: z
    .object({
      svc: z.object({ requirements: z.array(z.string()), targets: z.array(z.string()) }).optional(),
    })
    .optional(),
});

/**
 * Reads a lock.
 *
 * @throws Error in one sentence when it is damaged, has a library without wheels, or names a wheel without SHA-256 or with a
 *   name that is none
 */
export function readLock(text: string): PythonLock {
  const { packages, environments = [], tool, ...content } = shapeOf(text);
  const names = new Set<string>();
  const libraries = packages.map(({ name, version, marker, wheels = [] }): LockedLibrary => {
    if (version === undefined || wheels.length === 0)
      throw new Error(
        `${name} has no ${version === undefined ? 'version' : 'wheel'}, and agents compile nothing`,
      );
    const read = wheels.map((wheel) => wheelIn(name, version, wheel));
    for (const wheel of read) {
      if (names.has(wheel.name)) throw new Error(`it names ${wheel.name} twice`);
      names.add(wheel.name);
    }
    return { name: normalizedName(name), version, marker: marker ?? null, wheels: read };
  });
  return {
    ...{ environments, requiresPython: content['requires-python'] ?? null, libraries },
    made: tool?.svc ?? null,
  };
}

function shapeOf(text: string): z.infer<typeof shape> {
  let content: unknown;
  try {
    content = parse(text);
  } catch (error) {
    throw new Error(`it is no TOML: ${firstLine(error)}`, { cause: error });
  }
  const { data, error } = shape.safeParse(content);
  if (data !== undefined) return data;
  const [issue] = error.issues;
  throw new Error(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'it is no lock'}`);
}

function wheelIn(library: string, version: string, found: z.infer<typeof wheelShape>): LockedWheel {
  const name = found.name ?? lastPart(found.path ?? found.url ?? '');
  const sha256 = found.hashes['sha256']?.toLowerCase() ?? '';
  const parts = wheelOf(name);
  if (parts === undefined) throw new Error(`${JSON.stringify(name)} is no name of a wheel`);
  if (parts.distribution !== normalizedName(library))
    throw new Error(`${name} is no wheel of ${library} ${version}`);
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new Error(`${name} has no SHA-256`);
  if ((found.size ?? 0) > largestWheel)
    throw new Error(`${name} has ${found.size} bytes, and a wheel may have ${largestWheel}`);
  return { name, sha256, size: found.size ?? null };
}

const lastPart = (path: string): string =>
  decodeURIComponent(path.split(/[?#]/)[0] ?? '')
    .split('/')
    .at(-1) ?? '';
const firstLine = (error: unknown): string => (error as Error).message.split('\n')[0] ?? '';

/** The text of a lock of {@link readLock}. Its wheels are in {@link wheelsFolder}. */
export function lockText({ environments, requiresPython, libraries, made }: PythonLock): string {
  return stringify({
    'lock-version': '1.0',
    ...(environments.length === 0 ? {} : { environments }),
    ...(requiresPython === null ? {} : { 'requires-python': requiresPython }),
    'created-by': 'svc pkg lock',
    packages: libraries.map(({ name, version, marker, wheels }) => ({
      ...{ name, version, ...(marker === null ? {} : { marker }) },
      wheels: wheels.map(({ name: file, sha256, size }) => ({
        ...{ name: file, path: `${wheelsFolder}/${file}` },
        ...(size === null ? {} : { size }),
        hashes: { sha256 },
      })),
    })),
    ...(made === null ? {} : { tool: { svc: made } }),
  });
}

/** A library that a computer needs, with the wheels that fit it. */
export interface NeededLibrary {
  name: string;
  version: string;
  wheels: LockedWheel[];
}

/**
 * What a Python needs of a lock.
 *
 * @throws Error in one sentence without a subject, such as `is for ..., and ...`: the lock is not for this Python, or a library
 *   has no wheel for it
 */
export function neededBy(lock: PythonLock, kind: PythonKind): NeededLibrary[] {
  const { environments, requiresPython, libraries } = lock;
  if (requiresPython !== null && !satisfies(kind.version, requiresPython))
    throw new Error(`needs Python ${requiresPython}, and there is Python ${kind.version}`);
  if (environments.length > 0 && !environments.some((marker) => markerHolds(marker, kind.markers)))
    throw new Error(`is for ${lock.made?.targets.join(', ') ?? environments.join(', ')} alone`);
  const needed = libraries.filter(({ marker }) => marker === null || markerHolds(marker, kind.markers));
  const names = new Set<string>();
  return needed.map(({ name, version, wheels }) => {
    if (names.has(name)) throw new Error(`names ${name} twice for this computer`);
    names.add(name);
    const fitting = wheels.filter((wheel) => {
      const parts = wheelOf(wheel.name);
      return parts !== undefined && fits(parts, kind);
    });
    if (fitting.length > 0) return { name, version, wheels: fitting };
    throw new Error(
      `has no wheel of ${name} ${version} that fits: ${wheels.map((wheel) => wheel.name).join(', ')}`,
    );
  });
}
