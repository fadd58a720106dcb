import { ServiceError } from './errors.js';

/** The versions of the protocol between agents and orchestrator that a process speaks. */
export interface ProtocolRange {
  readonly min: number;
  readonly max: number;
}

/**
 * What this release speaks. A new field that an older process may ignore changes nothing. `max` rises with a message that an
 * older process would misunderstand. `min` follows one release later, so that agents and orchestrators one release apart work
 * together, and a laboratory can update one computer after the other.
 */
export const agentProtocol: ProtocolRange = { min: 1, max: 1 };

/** Agents that say nothing are of the time before they said it. */
const unsaid: ProtocolRange = { min: 1, max: 1 };

/**
 * Makes sure that an agent and this orchestrator have a version in common.
 *
 * @param agent its computer, the release of its program, and what it speaks; absent: version 1 alone
 * @throws ServiceError `upgrade_required`, with the side that must be updated
 */
export function demandCommonProtocol(
  {
    computer,
    version,
    protocol = unsaid,
  }: { computer: string; version: string; protocol?: ProtocolRange | undefined },
  own: ProtocolRange = agentProtocol,
): void {
  if (protocol.max >= own.min && protocol.min <= own.max) return;
  const versions = ({ min, max }: ProtocolRange): string => (min === max ? `${max}` : `${min} to ${max}`);
  const isAgentOld = protocol.max < own.min;
  throw new ServiceError(
    'upgrade_required',
    `the agent of computer ${computer} (release ${version}) speaks version ${versions(protocol)} of the protocol, and the ` +
      `service version ${versions(own)}; ${isAgentOld ? 'update this agent' : 'update the service first, then its agents'}`,
  );
}
