import type { AttemptReport, DeviceStatus, Halt } from '@lab/contracts';
import type { Policy } from '@lab/scheduling';
import type { Change } from './rows.js';
import type { Agents, Clock, Definitions, Ids, Log, Optimizers, Store, Timers } from './ports.js';

export interface EnginePorts {
  clock: Clock;
  timers: Timers;
  ids: Ids;
  store: Store;
  agents: Agents;
  definitions: Definitions;
  /** Absent: campaigns with an optimizer are refused, and those there are wait. */
  optimizers?: Optimizers;
  policy: Policy;
  log: Log;
  /** Absent: nothing is measured. */
  measures?: Measures;
}

/** What is measured of the engine's work, by whoever wants to. */
export interface Measures {
  /** A turn, or the commit of one, begins; the returned function is called when it is over, however it ended. */
  begin(what: 'turn' | 'commit'): () => void;
  /** Changes were committed. */
  committed(changes: readonly Change[]): void;
}

export interface EngineOptions {
  /** Silence after which nothing is sent to an agent any more, in milliseconds. */
  suspectAfterMs: number;
  /** Silence after which an agent counts as gone, in milliseconds. */
  offlineAfterMs: number;
  /** Silence of an agent that has work, in milliseconds, after which a person is asked. */
  lostAfterMs: number;
  /** Task runs that may wait before submissions are refused with `backlog_full`. */
  maxQueued: number;
  /** The same of one owner; work without an owner has no limit of its own. */
  maxQueuedPerOwner: number;
  /** Another engine leads; this one has stopped. */
  onDeposed?: () => void;
}

export const defaultOptions: EngineOptions = {
  suspectAfterMs: 3_000,
  offlineAfterMs: 10_000,
  lostAfterMs: 30_000,
  maxQueued: 10_000,
  maxQueuedPerOwner: 2_000,
};

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
