import { authorityBlock } from './authority.js';
import { codeKeyBlock } from './code-manifest.js';
import { isSignedBy, keyPairOf, makeUserKey, seedOf } from './nkeys.js';

/** The key of an agent, in the encoding of NATS. It is made on the computer of the agent and never leaves it. */
export interface AgentKey {
  readonly publicKey: string;
  /** Secret. */
  readonly seed: string;
}

export function makeAgentKey(): AgentKey {
  const user = makeUserKey();
  return { publicKey: user.getPublicKey(), seed: seedOf(user) };
}

/** Proves that somebody has the private part of a key, for one text. @returns base64url */
export function proveKey({ seed }: Pick<AgentKey, 'seed'>, text: string): string {
  return Buffer.from(keyPairOf(seed).sign(Buffer.from(text))).toString('base64url');
}

/** Whether a proof for the text was made with the private part of the key. */
export function isProven(publicKey: string, text: string, proof: string): boolean {
  return isSignedBy(publicKey, Buffer.from(text), Buffer.from(proof, 'base64url'));
}

/**
 * The text of a credentials file of NATS, with the public key of the authority.
 *
 * @param statement what the service has signed about the key
 * @param codeKey public key of the service for code; undefined: the service has said none
 */
export function agentCredentials(
  { seed }: Pick<AgentKey, 'seed'>,
  statement: string,
  authority: string,
  codeKey?: string,
): string {
  const credentials = [
    '-----BEGIN NATS USER JWT-----',
    statement,
    '------END NATS USER JWT------',
    '',
    '-----BEGIN USER NKEY SEED-----',
    seed,
    '------END USER NKEY SEED------',
    '',
    authorityBlock({ x: authority, until: null }),
  ].join('\n');
  return codeKey === undefined ? credentials : credentials + codeKeyBlock(codeKey);
}

/** What an agent signs with its key when it joins. @param id of the invitation */
export const joinText = (id: string, publicKey: string): string => `svc join ${id} ${publicKey}`;
