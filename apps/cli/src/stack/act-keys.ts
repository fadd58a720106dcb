import { Secret } from '@lab/runtime';
import { makeAuthorityKey, type AuthorityKey } from '@lab/trust/authority';
import { readIfThere, type DataFolder } from './data-folder.js';

/** Files with the keys for acts of people: gateways sign with the private one, orchestrators verify with the public one. */
export interface ActKeyFiles {
  actKey: string;
  actPublicKey: string;
}

/**
 * Writes both keys into the data folder. They stay the same for this folder.
 *
 * @param given private key of the configuration; undefined: the folder keeps one of its own
 * @throws Error in one sentence, without the key, when it is damaged
 */
export function actKeyFiles(data: DataFolder, given: Secret | undefined): ActKeyFiles {
  const kept = given?.reveal() ?? readIfThere(data.secretPath('act-key'));
  const key = kept === undefined ? makeAuthorityKey() : readKey(kept);
  return {
    actKey: data.writeSecret('act-key', new Secret(JSON.stringify({ d: key.d, x: key.x }))),
    actPublicKey: data.writeSecret('act-public-key', new Secret(key.x)),
  };
}

function readKey(text: string): AuthorityKey {
  try {
    const { d, x } = JSON.parse(text) as Partial<AuthorityKey>;
    if (typeof d === 'string' && typeof x === 'string') return { d, x };
  } catch {
    // Reported below without the text, which is secret.
  }
  throw new Error(
    'The key for acts of people is damaged; correct SVC_ACT_KEY, or remove secrets/act-key from the data folder.',
  );
}
