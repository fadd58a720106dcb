import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inTools, root } from '../../../shared/paths.js';

/** Versions of the code of methods. Campaigns of another version are played again. */

function digestOfFiles(folder: string, endings: readonly string[]): string {
  const hash = createHash('sha256');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  for (const file of files.filter((name) => endings.some((ending) => name.endsWith(ending)))) {
    hash.update(file).update(readFileSync(join(folder, file)));
  }
  return hash.digest('hex').slice(0, 12);
}

/** @param label takes the place of the digest of the compiled code of ours */
export function versionOf(method: string, label: string | undefined): string {
  if (method === 'random') return '1';
  if (method === 'ours')
    return label ?? digestOfFiles(join(root, 'libs', 'optimization', 'dist'), ['.js', '.wasm']);
  const own = method === 'botorch' ? 'botorch_method.py' : 'wrapped.py';
  return digestOfFiles(inTools('bench/peers/optimizers'), ['driver.py', own, '.txt']);
}
