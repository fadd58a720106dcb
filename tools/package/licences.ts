import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../shared/paths.js';

interface Manifest {
  name: string;
  version: string;
  licence?: string;
}

/** What the `package.json` of a folder says. */
export function manifestOf(folder: string): Manifest {
  const { license, ...manifest } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  ) as Manifest & {
    license?: string;
  };
  return { ...manifest, ...(license === undefined ? {} : { licence: license }) };
}

/** The folders of the libraries whose code is in a bundle, relative to the root of the repository. */
export const librariesIn = (bundle: string): string[] =>
  JSON.parse(readFileSync(join(bundle, 'npm-packages.json'), 'utf8')) as string[];

/**
 * The licences of libraries, as one text.
 *
 * @param head its first line
 * @param folders of the libraries, relative to the root of the repository
 */
export function termsOf(head: string, folders: readonly string[]): string {
  const parts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, licence = 'unknown licence' } = manifestOf(join(root, folder));
    const text = readdirSync(join(root, folder)).find((each) => /^(licen[cs]e|copying)(\.|$)/i.test(each));
    const terms = text === undefined ? '' : `\n${readFileSync(join(root, folder, text), 'utf8').trim()}\n`;
    return `${name} ${version} (${licence})\n${terms}`;
  });
  return [`${head}\n`, ...parts].join(`\n${'-'.repeat(80)}\n\n`);
}
