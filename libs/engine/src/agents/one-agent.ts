import { isGone, ServiceError } from '@lab/contracts';
import type { Log } from '@lab/ports';
import type { AgentPresence, AgentRow } from '../rows/index.js';
import type { Turn } from '../turn/index.js';
import type { AgentDirectory } from './agent-directory.js';
import type { AgentRegistration } from './agent-messages.js';

/** The agent that registered last for a computer, and what its process said just now. */
export interface Holder {
  row: AgentRow;
  presence: AgentPresence;
}

/**
 * Refuses a second agent of a computer, which would initialise devices that the first one moves. The first one keeps the
 * computer while its process answers. When no process answers for it, its successor is taken at once: an agent that
 * knows the session of the first one has its ledger, and only one process can open a ledger. Any other agent waits until
 * the first one is offline.
 *
 * @param asked undefined: nobody was asked, because no agent of another session has registered before
 * @throws ServiceError `wrong_state`
 */
export function demandOneAgent(
  { state, now }: Turn,
  { computer, session, sessions = [], version }: AgentRegistration,
  asked: Holder | undefined,
  { directory, log }: { directory: AgentDirectory; log: Log },
): void {
  const holder = state.rows.agents.get(computer);
  if (holder === undefined || holder.session === session) return;
  const present = directory.get(computer);
  // An agent that registered after the question lives, and was not asked.
  const presence = asked?.row.inc === holder.inc ? asked.presence : undefined;
  if (presence === 'gone' && sessions.includes(holder.session)) return;
  const isOffline = present === undefined ? directory.hasListened(now) : isGone(present.state);
  if ((presence === 'gone' || presence === 'silent') && isOffline) return;
  if (presence === 'answers' && present?.announcedLeave !== true)
    directory.seconds.add({ computer, version }, 'another agent of the computer is connected', now);
  log.warn('second agent of a computer refused', { computer, version, presence });
  const heard =
    present === undefined ? 'not heard yet' : `heard at ${new Date(present.heardAt).toISOString()}`;
  throw new ServiceError(
    'wrong_state',
    `another agent of computer ${computer} is connected (${heard}); stop it before you start this one`,
  );
}
