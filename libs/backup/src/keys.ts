import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';

/** A new key, in the format of age (C2SP age-encryption.org/v1): the secret opens what is encrypted for the recipient. */
export async function makeKey(): Promise<{ secret: string; recipient: string }> {
  const secret = await generateX25519Identity();
  return { secret, recipient: await identityToRecipient(secret) };
}

/** The secret in the text of a key file, of which lines that begin with `#` are comments. @throws Error when there is none */
export function secretIn(text: string): string {
  const secret = text
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line.startsWith('AGE-SECRET-KEY-'));
  if (secret === undefined) throw new Error('it has no line that begins with AGE-SECRET-KEY-');
  return secret;
}

/** @throws Error when the text is no recipient */
export function encrypterFor(recipient: string): Encrypter {
  const encrypter = new Encrypter();
  encrypter.addRecipient(recipient);
  return encrypter;
}

/** @throws Error when the text is no secret */
export function decrypterWith(secret: string): Decrypter {
  const decrypter = new Decrypter();
  decrypter.addIdentity(secret);
  return decrypter;
}
