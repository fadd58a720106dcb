import type {
  AgentUpdates,
  AttemptReport,
  AttemptResult,
  DeviceAssignment,
  DeviceStatus,
  EmergencyStop,
  ProtocolRange,
} from '@lab/contracts';
import type { FileTicket } from './files.js';

/** What a leading orchestrator says about emergency stops. */
export interface KnownEmergencyStops {
  /** The emergency stops in force; absent: not reported. */
  halts?: readonly EmergencyStop[] | undefined;
  /** Ids of the emergency stops that were released last. */
  released?: readonly string[] | undefined;
}

/** What an agent says about itself when it registers. */
export interface Hello {
  computer: string;
  session: string;
  version: string;
  /** Versions of the protocol that this agent speaks. */
  protocol: ProtocolRange;
  attempts: AttemptReport[];
  /** The incarnations that have kept the ledger of this agent. */
  incarnations: number[];
  /** The sessions of earlier processes with this ledger. Only such a process and the leader know them. */
  sessions: string[];
  devices: DeviceStatus[];
  /** The emergency stops in force on this computer. */
  halts: EmergencyStop[];
  /** How this agent can be updated; absent: it cannot be. */
  updates?: AgentUpdates;
}

/** The orchestrator's answer to {@link Hello}. */
export interface Registration extends KnownEmergencyStops {
  inc: number;
  epoch: number;
  devices: DeviceAssignment[];
}

/** The way to the leading orchestrator. Every rejection is a ServiceError. */
export interface Orchestrator {
  register(hello: Hello): Promise<Registration>;
  /** Resolves when the orchestrator has committed the result. */
  reportResult(result: AttemptResult): Promise<void>;
  uploadTicket(file: { attemptId: string; name: string; size: number; sha256: string }): Promise<FileTicket>;
  /** @throws ServiceError `not_found` when the attempt no longer runs, or has no such input file */
  downloadTicket(file: { attemptId: string; handle: string }): Promise<FileTicket>;
}
