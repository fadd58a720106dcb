import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../shared/paths.js';

interface Locked {
  /** A workspace: `resolved` is its folder. */
  link?: boolean;
  resolved?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked | undefined>;
};

/**
 * The packages that a program needs to import the given ones, as npm has installed them.
 *
 * @param names of npm packages and workspaces that the root finds
 * @param isLeftOut says which packages are not needed, and so none of their own dependencies
 * @returns folders relative to the root: `libs/sdk`, `node_modules/zod`
 */
export function withDependencies(
  names: readonly string[],
  isLeftOut: (name: string) => boolean = () => false,
): string[] {
  const found = new Set<string>();
  const waiting = names.map((name) => folderOf(name, ''));
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    if (found.has(folder)) continue;
    found.add(folder);
    const { dependencies, optionalDependencies } = packages[folder] ?? {};
    for (const name of Object.keys(dependencies ?? {})) {
      if (!isLeftOut(name)) waiting.push(folderOf(name, folder));
    }
    for (const name of Object.keys(optionalDependencies ?? {})) {
      const optional = find(name, folder);
      // Those for other platforms are not installed.
      if (optional !== undefined && existsSync(join(root, optional)) && !isLeftOut(name))
        waiting.push(optional);
    }
  }
  return [...found].sort();
}

/** @throws Error when package-lock.json has no such package */
function folderOf(name: string, importer: string): string {
  const folder = find(name, importer);
  if (folder === undefined) throw new Error(`package-lock.json has no ${name} for ${importer || 'the root'}`);
  return folder;
}

/** Looks where Node looks: beside the importer, then in the folders above it. */
function find(name: string, importer: string): string | undefined {
  const parts = importer === '' ? [] : importer.split('/');
  for (let length = parts.length; length >= 0; length -= 1) {
    const path = [...parts.slice(0, length), 'node_modules', name].join('/');
    const locked = packages[path];
    if (locked !== undefined) return locked.link === true ? locked.resolved : path;
  }
  return undefined;
}
