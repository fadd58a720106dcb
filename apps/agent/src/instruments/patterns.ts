import type { FileOwner, InstrumentFolder } from '@lab/contracts';
import picomatch from 'picomatch';

/** Deepest folder that is looked into. */
const deepest = 16;

/** Which files of a folder are wanted. */
export interface Wanted {
  /** Whether a path below the folder, with `/`, is wanted. */
  matches(path: string): boolean;
  /** Number of folders below the folder in which a wanted file can be. */
  depth: number;
}

/** @throws TypeError when the pattern is none */
export function wantedBy(pattern: string): Wanted {
  const matches = matcher(pattern);
  const parts = pattern.split('/').length - 1;
  return { matches, depth: pattern.includes('**') ? deepest : Math.min(parts, deepest) };
}

/** Like {@link wantedBy}; a pattern without `/` is for the name alone. @throws TypeError when the pattern is none */
export function expectedBy(pattern: string): (path: string) => boolean {
  const matches = matcher(pattern);
  return pattern.includes('/') ? matches : (path) => matches(path.slice(path.lastIndexOf('/') + 1));
}

function matcher(pattern: string): (path: string) => boolean {
  return picomatch(pattern, { nocase: process.platform === 'win32' });
}

/** How the attempt of a file is found. */
export function ownerOf({ name, grace_s: graceS }: InstrumentFolder, path: string): FileOwner {
  if (name === undefined) return { by: 'time', grace_s: graceS };
  const groups = Object.entries(new RegExp(name, 'u').exec(path)?.groups ?? {});
  const [key, value] = groups[0] ?? [];
  return key === undefined || !value ? { by: 'nothing' } : { by: 'name', key, value };
}
