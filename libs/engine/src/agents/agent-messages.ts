import type { AgentUpdates, AttemptReport, DeviceStatus, EmergencyStop, ProtocolRange } from '@lab/contracts';

/** What an agent reports when it starts, and whenever a new leader appears. */
export interface AgentRegistration {
  computer: string;
  session: string;
  version: string;
  /** Versions of the protocol that it speaks; absent: version 1 alone. */
  protocol?: ProtocolRange | undefined;
  attempts: readonly AttemptReport[];
  /** Incarnations whose ledger, and so every accepted attempt, the agent still has; absent: not reported. */
  incarnations?: readonly number[] | undefined;
  /** Sessions of earlier processes with the same ledger; absent: not reported. */
  sessions?: readonly string[] | undefined;
  devices: readonly DeviceStatus[];
  /** The emergency stops that the agent obeys; absent: not reported. */
  halts?: readonly EmergencyStop[] | undefined;
  /** How the agent can be updated; absent: it cannot be asked. */
  updates?: AgentUpdates | undefined;
}

/** What an agent reports every second. */
export interface Heartbeat {
  inc: number;
  seq?: number | undefined;
  devices: readonly DeviceStatus[];
  attempts: readonly AttemptReport[];
  halts?: readonly EmergencyStop[] | undefined;
  /** The clock of its computer when it sent this, in milliseconds since 1970; absent: not reported. */
  wall_ms?: number | undefined;
  /** Why the agent cannot write its ledger; null: it can; absent: not reported. */
  ledger_trouble?: string | null | undefined;
}
