import { FileSecret, Secret } from '@lab/runtime';
import { authorityKeyAlone, authorityKeyIn, makeAuthorityKey, type AuthorityKey } from '@lab/trust/authority';
import { ringIn, ringText, type KeyRing } from '@lab/trust/key-ring';
import { type SecretFiles } from './data-folder.js';
import { readIfThere } from './private-files.js';

/** Files with the keys for acts of people: gateways sign with the private one, orchestrators verify with the public one. */
export interface ActKeyFiles {
  actKey: string;
  actPublicKey: string;
}

/**
 * Writes both keys into the data folder. They stay the same for this folder until `svc keys rotate`.
 *
 * @param given private key of the configuration; undefined: the folder keeps one of its own
 * @throws Error in one sentence, without the key, when it is damaged
 */
export function actKeyFiles(data: SecretFiles, given: Secret | undefined): ActKeyFiles {
  const kept = given?.reveal() ?? readIfThere(data.secretPath('act-key'))?.trim();
  const text = kept ?? JSON.stringify(makeAuthorityKey());
  const actPublicKey = data.writeSecret('act-public-key', new Secret(publicActKeys(actKeysIn(text))));
  const copy = data.writeSecret('act-key', new Secret(text.trim()));
  return { actKey: given instanceof FileSecret ? given.path : copy, actPublicKey };
}

/** @throws Error in one sentence, without the text, when it is damaged */
export function actKeysIn(text: string): KeyRing<AuthorityKey> {
  try {
    return ringIn(text, 'key for acts of people', authorityKeyIn, authorityKeyAlone);
  } catch (error) {
    throw new Error(
      'The key for acts of people is damaged; correct SVC_ACT_KEY, or remove secrets/act-key from the data folder.',
      { cause: error },
    );
  }
}

/** The text of the file with which orchestrators verify. It has the form of the private file: one key, or a ring. */
export function publicActKeys(keys: KeyRing<AuthorityKey>): string {
  const [first, ...others] = keys;
  if (first.since === null && others.length === 0) return first.key.x;
  return ringText(keys.map(({ key: { x }, ...times }) => ({ key: x, ...times }))).trim();
}
