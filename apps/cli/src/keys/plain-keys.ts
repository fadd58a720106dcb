import { join } from 'node:path';
import { makeAuthorityKey } from '@lab/trust/authority';
import { ringIn, textKey } from '@lab/trust/key-ring';
import { actKeysIn, publicActKeys } from '../stack/act-keys.js';
import { randomText } from '../stack/data-folder.js';
import { writePrivately } from '../stack/private-files.js';
import type { StoredKey } from './key.js';
import { RingFile, type Environment } from './ring-file.js';

const atOnce = 'The running processes on this computer take the new key at once; none of them starts again.';
const copies = (file: string, first: string, then: string): string =>
  `If a process runs on another computer, copy ${file} there: first for ${first}, then for ${then}.`;

/** Signs the tickets with which agents send and fetch files. */
export function uploadSecret(dataDir: string, env: Environment): StoredKey {
  const name = 'upload-secret';
  return new RingFile({
    ...{ name, dataDir, env, file: name, variable: 'SVC_UPLOAD_SECRET' },
    use: 'tickets of files',
    read: (text) => ringIn(text, 'secret for tickets of files', textKey),
    make: randomText,
    advice: ({ overlapMs }) => [
      atOnce,
      ...(overlapMs === 0
        ? ['Tickets of before are refused. An agent gets a new ticket when it tries again.']
        : []),
      copies(`secrets/${name}`, 'gateways', 'orchestrators'),
    ],
  });
}

/** Seals secrets in the database, such as API keys of models and secrets of webhooks. */
export function secretsKey(dataDir: string, env: Environment): StoredKey {
  const name = 'secrets-key';
  return new RingFile({
    ...{ name, dataDir, env, file: name, variable: 'SVC_SECRETS_KEY', endless: true },
    use: 'secrets in the database',
    read: (text) => ringIn(text, 'key of secrets', textKey),
    make: randomText,
    advice: () => [atOnce, copies(`secrets/${name}`, 'optimizers', 'gateways')],
  });
}

/** Signs the acts of people. */
export function actKey(dataDir: string, env: Environment): StoredKey {
  const name = 'act-key';
  const publicPath = (): string =>
    env['SVC_ACT_PUBLIC_KEY_FILE'] || join(dataDir, 'secrets', 'act-public-key');
  return new RingFile({
    ...{ name, dataDir, env, file: name, variable: 'SVC_ACT_KEY' },
    use: 'acts of people, by gateways',
    read: actKeysIn,
    make: makeAuthorityKey,
    before: (ring) => writePrivately(publicPath(), `${publicActKeys(ring)}\n`),
    advice: () => [
      atOnce,
      `If an orchestrator runs on another computer, copy ${publicPath()} there; then copy the key for gateways on others.`,
    ],
  });
}
