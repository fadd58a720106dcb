import { decodeToken } from '@lab/contracts/broker';
import { decode } from '@nats-io/jwt';
import { isSignedBy, keyPairOf, partsOf } from './nkeys.js';

/**
 * A pass proves to a gateway which agent sends a request: `Agent <statement> <time> <signature>`. The statement is that in the
 * credentials of the agent. The signature, with the key of the agent, covers what the pass is for, and the time.
 */

/** What a pass is for. A pass for one purpose is of no use for another. */
export type PassPurpose = 'broker' | 'renew' | 'check';

/** Milliseconds by which the time in a pass may differ from the clock of the gateway. */
export const passToleranceMs = 120_000;

const scheme = 'Agent';

/**
 * @param credentials text of the credentials file of an agent
 * @returns the value of an `authorization` header; secret for as long as {@link passToleranceMs}
 */
export function makePass(credentials: string, purpose: PassPurpose, now: number): string {
  const { statement, seed } = partsOf(credentials);
  const time = String(Math.round(now));
  const signature = keyPairOf(seed).sign(signedText(purpose, time));
  return `${scheme} ${statement} ${time} ${Buffer.from(signature).toString('base64url')}`;
}

/** The agent that made a pass. */
export interface PassHolder {
  readonly computer: string;
  /** Public key of the agent. */
  readonly key: string;
}

/** Why a pass is refused. `clock`: the clocks of the two computers differ too much. */
export type PassFault = 'no pass' | 'damaged' | 'of another service' | 'expired' | 'clock';

/**
 * @param issuer public keys of the service whose agents are accepted
 * @param mayBeExpired whether a statement that is no longer valid is accepted, as for its renewal
 */
export function checkPass(
  header: string | undefined,
  purpose: PassPurpose,
  issuer: { account: string; agents: readonly string[] },
  now: number,
  mayBeExpired = false,
): PassHolder | PassFault {
  const [word, statement = '', time = '', signature = ''] = header?.split(' ') ?? [];
  if (word !== scheme) return 'no pass';
  let claims;
  try {
    claims = decode<{ issuer_account?: string }>(statement);
    const signed = Buffer.from(signature, 'base64url');
    if (!isSignedBy(claims.sub, signedText(purpose, time), signed)) return 'damaged';
  } catch {
    return 'damaged';
  }
  if (!issuer.agents.includes(claims.iss) || claims.nats.issuer_account !== issuer.account)
    return 'of another service';
  // The clock comes first: an agent whose clock is wrong may also believe wrongly that its statement is still valid.
  if (!(Math.abs(Number(time) - now) <= passToleranceMs)) return 'clock';
  if (!mayBeExpired && claims.exp !== undefined && claims.exp * 1_000 <= now) return 'expired';
  return { computer: decodeToken(claims.name), key: claims.sub };
}

const signedText = (purpose: PassPurpose, time: string): Uint8Array =>
  Buffer.from(`svc agent ${purpose} ${time}`, 'ascii');
