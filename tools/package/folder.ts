import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Entry, Link } from './archive.js';

/** All files and links below a folder, in alphabetical order, with paths relative to it. */
export function entriesBelow(folder: string): (Entry | Link)[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort((a, b) => (a < b ? -1 : 1))
    .map((path) => {
      const place = join(folder, path);
      const stats = lstatSync(place);
      if (stats.isSymbolicLink()) return { path, target: readlinkSync(place) };
      return { path, content: readFileSync(place), isProgram: (stats.mode & 0o100) !== 0 };
    });
}
