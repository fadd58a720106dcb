import { ServiceError } from '@lab/contracts';
import { loginOf } from '@lab/trust/nkeys';
import { firstConnection, wayTo, type BrokerAccess } from './connect-bus.js';
import { systemBusTimers } from './timers.js';

/** Subject at which a nats-server with a full resolver accepts statements about accounts. */
const updates = '$SYS.REQ.CLAIMS.UPDATE';
const answerMs = 3_000;

/**
 * Gives the broker a new statement about an account. It cuts off whoever the statement excludes, and passes the statement on to
 * all servers of its cluster.
 *
 * @param credentials of the system account
 * @throws ServiceError `service_unavailable` when the broker does not answer or refuses the statement
 */
export async function updateAccount(
  access: BrokerAccess,
  credentials: string,
  statement: string,
): Promise<void> {
  const options = {
    name: 'revocations',
    reconnect: false,
    authenticator: (nonce?: string) => loginOf(credentials, nonce),
  };
  const connection = await firstConnection(wayTo(access).way, options, answerMs, systemBusTimers);
  try {
    const answer = await connection.request(updates, statement, { timeout: answerMs });
    const { error } = JSON.parse(answer.string()) as { error?: { description?: string } };
    if (error !== undefined)
      throw new ServiceError(
        'service_unavailable',
        `the broker refuses the statement: ${error.description ?? 'no reason'}`,
      );
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ServiceError('service_unavailable', `the broker did not take the statement: ${why}`, { cause });
  } finally {
    await connection.close();
  }
}
