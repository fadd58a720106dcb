import { demandCommonProtocol, isServiceError } from '@lab/contracts';
import type { AgentDirectory } from './agent-directory.js';
import type { AgentRegistration } from './agent-messages.js';

/**
 * Refuses an agent whose release does not fit, and remembers it for the operator. The agent starts no device and tries again, so
 * that it comes back by itself after an update of either side.
 *
 * @throws ServiceError `upgrade_required`
 */
export function demandFit(agent: AgentRegistration, directory: AgentDirectory, now: number): void {
  try {
    demandCommonProtocol(agent);
  } catch (error) {
    if (isServiceError(error)) directory.misfits.add(agent, error.message, now);
    throw error;
  }
}
