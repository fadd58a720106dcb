import type { AttemptReport, DeviceStatus, Halt } from '@lab/contracts';

/** What an agent says of itself when it begins, and whenever it hears of another leader. */
export interface AgentRegistration {
  computer: string;
  session: string;
  version: string;
  attempts: readonly AttemptReport[];
  /** Earlier incarnations of which it has everything that they accepted; absent: it does not say. */
  incarnations?: readonly number[] | undefined;
  devices: readonly DeviceStatus[];
  /** The stops that it keeps to; absent: it does not say. */
  halts?: readonly Halt[] | undefined;
}

/** What an agent says of itself every second. */
export interface Heartbeat {
  inc: number;
  session: string;
  seq?: number | undefined;
  devices: readonly DeviceStatus[];
  attempts: readonly AttemptReport[];
  halts?: readonly Halt[] | undefined;
  /** The clock of its computer when it was sent, in milliseconds since 1970; absent: it does not say. */
  wall_ms?: number | undefined;
  /** What keeps it from writing its ledger, null when nothing does; absent: it does not say. */
  ledger_trouble?: string | null | undefined;
}
