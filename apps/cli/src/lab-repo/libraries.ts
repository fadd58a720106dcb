import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Libraries of the product that a lab repository has, without `@lab/`. */
const ownLibraries = ['instruments', 'nx', 'optimization', 'sdk', 'sila', 'svc'];

/** npm packages that a lab repository has: those with which this version was tested. */
export const otherLibraries: Readonly<Record<string, string>> = {
  '@types/node': '20.19.43',
  esbuild: '0.28.2',
  nx: '23.2.1',
  typescript: '6.0.3',
  vitest: '4.1.12',
};

/** Where a lab repository gets the libraries of the product from. */
export interface OwnLibraries {
  /** What `package.json` says of each. */
  specifiers: Record<string, string>;
  /** Tarballs that the repository contains, by their path in it. */
  files: Record<string, Buffer>;
}

/** Folder of the tarballs in a lab repository. */
const folder = 'tarballs';

/**
 * Finds the tarballs of a release.
 *
 * @param place folder, whose tarballs the repository then contains, or address of the folder, from which npm gets them
 * @param version of the release
 * @throws Error when the folder lacks a tarball, or the address is not usable
 */
export function tarballsAt(place: string, version: string): OwnLibraries {
  const tarballs = ownLibraries.map((name) => [`@lab/${name}`, `lab-${name}-${version}.tgz`] as const);
  if (/^[a-z]+:\/\//i.test(place)) {
    const base = addressOf(place);
    return {
      specifiers: Object.fromEntries(tarballs.map(([name, file]) => [name, new URL(file, base).href])),
      files: {},
    };
  }
  const source = resolve(place);
  if (!existsSync(source) || !statSync(source).isDirectory())
    throw new Error(`--tarballs: there is no folder ${source}; name the one with lab-svc-${version}.tgz`);
  const missing = tarballs.map(([, file]) => file).filter((file) => !existsSync(join(source, file)));
  if (missing.length > 0)
    throw new Error(
      `--tarballs: ${source} lacks ${missing.join(', ')}; get them from the release ${version}`,
    );
  return {
    specifiers: Object.fromEntries(tarballs.map(([name, file]) => [name, `file:${folder}/${file}`])),
    files: Object.fromEntries(
      tarballs.map(([, file]) => [`${folder}/${file}`, readFileSync(join(source, file))]),
    ),
  };
}

function addressOf(text: string): string {
  const address = URL.canParse(text) ? new URL(text) : undefined;
  if (address === undefined || !['http:', 'https:'].includes(address.protocol))
    throw new Error(`--tarballs: "${text}" is no folder and no address that begins with https:// or http://`);
  // package.json would have the password, and everybody who reads the repository.
  if (address.username !== '' || address.password !== '')
    throw new Error(
      '--tarballs: the address has a user or a password; leave them out, and put them into .npmrc',
    );
  if (address.search !== '' || address.hash !== '')
    throw new Error(
      `--tarballs: the address must be that of a folder, without ${address.search}${address.hash}`,
    );
  return address.href.endsWith('/') ? address.href : `${address.href}/`;
}
