import { isGone, ServiceError } from '@lab/contracts';
import type { Log } from '@lab/ports';
import type { Presence } from './agent-directory.js';
import type { AgentRegistration } from './agent-messages.js';

/**
 * Refuses a second agent of a computer, which would initialise devices that the first one moves. The restarted agent is
 * no second one: it has the ledger of the present incarnation, and only one process can open a ledger.
 *
 * @param present the agent of the computer as last heard
 * @throws ServiceError `wrong_state` until the present agent is offline
 */
export function demandOneAgent(
  { computer, session, version, incarnations }: AgentRegistration,
  present: Presence | undefined,
  log: Log,
): void {
  if (present === undefined || isGone(present.state) || present.session === session) return;
  if (incarnations?.includes(present.inc) ?? true) return;
  log.warn('second agent of a computer refused', { computer, version });
  throw new ServiceError(
    'wrong_state',
    `another agent of computer ${computer} is connected (heard at ${new Date(present.heardAt).toISOString()}); stop it before you start this one`,
  );
}
