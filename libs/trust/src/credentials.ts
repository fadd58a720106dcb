import { encodeToken, type ProcessRole } from '@lab/contracts/broker';
import { encodeUser, fmtCreds } from '@nats-io/jwt';
import { authorityBlock } from './authority.js';
import { codeKeyBlock, codeKeyOf } from './code-manifest.js';
import { authorityKeysOf, type Keys } from './keys.js';
import { keyPairOf, makeUserKey } from './nkeys.js';

/**
 * Makes the credentials of one process: a new private key, and the signed statement that it belongs to a process of this role
 * and name. The broker gives it the permissions of the role.
 *
 * @param name of the computer for an agent; otherwise of the process
 * @returns the text of a credentials file of NATS, for an agent with the public keys of the authority; secret
 */
export async function issueCredentials(keys: Keys, role: ProcessRole, name: string): Promise<string> {
  const user = makeUserKey();
  const statement = await encodeUser(
    encodeToken(name),
    user,
    keyPairOf(keys.roles[role]),
    { issuer_account: keyPairOf(keys.account).getPublicKey() },
    { scopedUser: true },
  );
  const credentials = Buffer.from(fmtCreds(statement, user)).toString('utf8');
  if (role !== 'agent') return credentials;
  const believed = authorityKeysOf(keys, Date.now());
  return [credentials, ...believed.map(authorityBlock), codeKeyBlock(codeKeyOf(believed[0].x))].join('');
}

/** Credentials with which the broker accepts new statements about accounts. Secret: whoever has them may change all rights. */
export async function systemCredentials(keys: Keys): Promise<string> {
  const user = makeUserKey();
  const statement = await encodeUser('svc', user, keyPairOf(keys.system));
  return Buffer.from(fmtCreds(statement, user)).toString('utf8');
}
