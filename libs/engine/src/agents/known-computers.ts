import { awaitsAgent, ServiceError } from '@lab/contracts';
import { suggest } from '@lab/definitions/model';
import type { LabMap } from '../labs/index.js';
import type { Turn } from '../turn/index.js';
import type { AgentRegistration } from './agent-messages.js';

/** Longest list of known computers within an error. */
const listed = 20;

/**
 * Refuses the agent of a computer that no laboratory names, because its name is probably misspelt. An agent that is
 * registered already stays, and so does one that can tell how an attempt ended.
 *
 * @param onDisk the computers that the laboratories on disk name
 * @throws ServiceError `not_found` with the nearest name and the known ones
 */
export function demandKnownComputer(
  { state }: Turn,
  { computer, session, attempts }: AgentRegistration,
  labs: LabMap,
  onDisk: Iterable<string>,
): void {
  const known = new Set([...labs.computers, ...onDisk]);
  if (known.has(computer) || attempts.length > 0) return;
  if (state.rows.agents.get(computer)?.session === session) return;
  for (const attempt of state.rows.attempts.values())
    if (attempt.computer === computer && awaitsAgent(attempt.state)) return;
  const near = suggest(computer, known);
  const names = [...known].sort();
  const more = names.length > listed ? `, and ${names.length - listed} more` : '';
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  throw new ServiceError(
    'not_found',
    `no laboratory names a computer ${computer}${hint} (known: ${names.slice(0, listed).join(', ')}${more})`,
  );
}
