import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { authorityPath } from '../stack/certificates.js';
import { readIfThere } from '../stack/data-folder.js';
import type { StoredKey } from './key.js';

/** Keys that have no overlap: they are listed, and replaced in another way. */
export function fixedKeys(dataDir: string): StoredKey[] {
  const since = (
    name: string,
    use: string,
    file: string,
    begin: (text: string) => string | null,
  ): StoredKey => ({
    ...{ name, use },
    state: async () => {
      const text = readIfThere(file);
      if (text === undefined) return undefined;
      return { name, use, since: begin(text), next: null, previous: null, rotates: false };
    },
  });
  return [
    since(
      'broker-keys',
      'credentials of all processes and agents (operator, accounts, roles, authority)',
      join(dataDir, 'secrets', 'broker-keys'),
      () => null,
    ),
    since('ca', 'certificates of servers', authorityPath(dataDir), beginOf),
    since('https', 'the connection to the gateway', join(dataDir, 'https', 'certificate.pem'), beginOf),
  ];
}

/** From when a certificate is valid; null: the text is none. */
function beginOf(pem: string): string | null {
  try {
    return new Date(new X509Certificate(pem).validFrom).toISOString();
  } catch {
    return null;
  }
}
