import { join } from 'node:path';
import { readIfThere } from '../stack/private-files.js';
import { beginOf } from './certificate-authority.js';
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
      'the broker (operator and accounts)',
      join(dataDir, 'secrets', 'broker-keys'),
      () => null,
    ),
    since('https', 'the connection to the gateway', join(dataDir, 'https', 'certificate.pem'), beginOf),
  ];
}
