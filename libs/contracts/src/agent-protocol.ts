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

/** Agents and services that say nothing are of the time before they said it. */
const unsaid: ProtocolRange = { min: 1, max: 1 };

/** What a process speaks. @param said absent: version 1 alone */
export const spokenProtocol = (said: ProtocolRange | undefined): ProtocolRange => said ?? unsaid;

/** `3`, or `3 to 4`. */
export const protocolText = ({ min, max }: ProtocolRange): string =>
  min === max ? `${max}` : `${min} to ${max}`;

/**
 * Makes sure that an agent and this orchestrator have a version in common.
 *
 * @param agent its computer, the release of its program, and what it speaks; absent: version 1 alone
 * @throws ServiceError `upgrade_required`, with the side that must be updated, to what, and how
 */
export function demandCommonProtocol(
  {
    computer,
    version,
    protocol: said,
  }: { computer: string; version: string; protocol?: ProtocolRange | undefined },
  own: ProtocolRange = agentProtocol,
): void {
  const protocol = spokenProtocol(said);
  if (protocol.max >= own.min && protocol.min <= own.max) return;
  const [theirs, ours] = [protocolText(protocol), protocolText(own)];
  const advice =
    protocol.max < own.min
      ? `update this agent to a release that speaks version ${ours}: "svc agent packages" lists those of the service`
      : `update the service first, then its agents, to a release that speaks version ${theirs}; until then the computer can ` +
        'run the release that "svc agent packages" lists';
  throw new ServiceError(
    'upgrade_required',
    `the agent of computer ${computer} (release ${version}) speaks version ${theirs} of the protocol, and the service ` +
      `version ${ours}; ${advice}`,
  );
}
