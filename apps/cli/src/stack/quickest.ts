// The command line reads this file before anything else, so it imports nothing but Node's own modules.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * The bundle of a program, which starts in half the time, unless the compiler has written something since it was made.
 *
 * @param program the compiled program
 * @param root folder of the workspace, with `libs` and `apps`
 */
export function quickest(program: string, root: string): string {
  const bundle = join(dirname(program), 'bundle', basename(program));
  // An image and the npm package have one of them.
  if (!existsSync(bundle)) return program;
  if (!existsSync(program)) return bundle;
  const parts = ['libs', 'apps'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((part) => join(root, folder, part)),
  );
  const compiledAt = Math.max(...parts.map((part) => writtenAt(join(part, 'dist', '.tsbuildinfo'))));
  return writtenAt(bundle) > compiledAt ? bundle : program;
}

/** When a file was last written, in milliseconds since 1970; 0 when there is none. */
function writtenAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
