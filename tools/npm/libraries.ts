import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../shared/paths.js';

/** What the `package.json` of a workspace or of an npm package says. */
export interface Manifest {
  name: string;
  version: string;
  license?: string;
  type?: string;
  main?: string;
  sideEffects?: boolean;
  exports?: string | Record<string, string | Record<string, string>>;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

/** The libraries that programs need: those of this repository, and npm packages with the exact version of each. */
export interface Libraries {
  /** Names without `@lab/`, sorted. */
  own: string[];
  required: Record<string, string>;
  /** The programs also run without them. */
  optional: Record<string, string>;
}

export const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;

/** The folder of a workspace with this name, relative to the root; undefined: there is none. */
function folderOf(name: string): string | undefined {
  if (!name.startsWith('@lab/')) return undefined;
  return [`libs/${name.slice(5)}`, `apps/${name.slice(5)}`].find((folder) => existsSync(join(root, folder)));
}

/**
 * Follows the dependencies of workspaces to the npm packages.
 *
 * @param importer folder of the workspace that imports the names
 * @param names of workspaces and of npm packages
 * @throws Error when no version is declared for a name, or two versions are
 */
export function librariesOf(importers: readonly { folder: string; names: readonly string[] }[]): Libraries {
  const own = new Set<string>();
  const required = new Map<string, string>();
  const optional = new Map<string, string>();
  const waiting = importers.flatMap(({ folder, names }) => names.map((name) => ({ folder, name })));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { folder, name } = next;
    const workspace = folderOf(name);
    if (workspace !== undefined) {
      if (own.has(name)) continue;
      own.add(name);
      const { dependencies = {}, optionalDependencies = {} } = readManifest(workspace);
      for (const each of Object.keys({ ...dependencies, ...optionalDependencies }))
        waiting.push({ folder: workspace, name: each });
      continue;
    }
    const { dependencies = {}, optionalDependencies = {} } = readManifest(folder);
    const place = name in optionalDependencies ? optional : required;
    const version = dependencies[name] ?? optionalDependencies[name];
    const known = place.get(name);
    if (version === undefined) throw new Error(`${folder}/package.json does not declare ${name}`);
    if (known !== undefined && known !== version)
      throw new Error(`${name} has two versions, ${known} and ${version}: one package can have one`);
    place.set(name, version);
  }
  return {
    own: [...own].map((name) => name.slice(5)).sort(),
    required: sorted(required),
    optional: sorted(optional),
  };
}

const sorted = (map: ReadonlyMap<string, string>): Record<string, string> =>
  Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)));
