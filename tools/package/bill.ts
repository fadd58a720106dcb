import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../shared/paths.js';

/** File of a package or an image that lists its parts, in the format CycloneDX. */
export const billPath = 'sbom.cdx.json';

/** A part as CycloneDX writes it. */
type Component = Record<string, unknown>;

interface Locked {
  version?: string;
  license?: string;
  /** Hash of the archive in npm, such as `sha512-…` with base 64. */
  integrity?: string;
}

const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked | undefined>;
};

/**
 * The bill of materials of a program. It has no time and no random number, so the same parts give the same bill.
 *
 * @param subject the program
 * @param folders of the npm packages whose code it contains, relative to the root of the repository
 * @param others parts that are no npm packages
 */
export function billOf(
  subject: { name: string; version: string },
  folders: readonly string[],
  others: readonly Component[] = [],
): string {
  const libraries = new Map(folders.map((folder) => [String(componentOf(folder)['purl']), folder]));
  const components = [...[...libraries.values()].map(componentOf), ...others].sort((a, b) =>
    String(a['purl']) < String(b['purl']) ? -1 : 1,
  );
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: {
        ...{ type: 'application', 'bom-ref': subject.name, ...subject },
        licenses: [{ license: { id: 'Apache-2.0' } }],
      },
    },
    components,
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

/** The Node that a package brings along. */
export const nodeRuntime = (version: string): Component => ({
  ...{ type: 'platform', 'bom-ref': 'node', name: 'node', version, purl: `pkg:generic/node@${version}` },
  externalReferences: [{ type: 'website', url: 'https://nodejs.org' }],
});

/** @throws Error when package-lock.json has no such package */
function componentOf(folder: string): Component {
  const { version, license, integrity } = packages[folder] ?? {};
  if (version === undefined) throw new Error(`package-lock.json has no package in ${folder}`);
  const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const [scope, rest] = name.startsWith('@') ? name.split('/') : [undefined, name];
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const [, base64] = /^sha512-(\S+)/.exec(integrity ?? '') ?? [];
  return {
    ...{ type: 'library', 'bom-ref': purl },
    ...(scope === undefined ? {} : { group: scope }),
    ...{ name: rest, version, purl },
    ...(base64 === undefined
      ? {}
      : { hashes: [{ alg: 'SHA-512', content: Buffer.from(base64, 'base64').toString('hex') }] }),
    ...(license === undefined ? {} : { licenses: [termsOf(license)] }),
  };
}

/** @param license an SPDX id such as `MIT`, or an expression such as `(MIT OR Apache-2.0)` */
const termsOf = (license: string): object =>
  /[ (]/.test(license) ? { expression: license } : { license: { id: license } };
