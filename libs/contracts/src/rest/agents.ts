import type { AgentState, DeviceState } from '../states.js';

/**
 * The agent of one computer, as the leading orchestrator knows it at this moment. What nobody knows is null: after a start
 * of the orchestrator an agent is unknown until it registers. Times are ISO 8601 in UTC.
 */
export interface AgentRecord {
  computer: string;
  /** The loaded laboratories that have this computer, by name. */
  labs: string[];
  /** An agent that was never heard by this orchestrator is `offline`. */
  state: AgentState;
  /** Why it is not online; null when it is. */
  reason: string | null;
  /** Number of its latest process, as recorded; null: it has never registered. */
  incarnation: number | null;
  version: string | null;
  /** As the file of a loaded laboratory says; null: none has this computer. */
  address: string | null;
  last_heard_at: string | null;
  /**
   * How far its clock is ahead of that of the orchestrator, in milliseconds, less the way of one message; null: it has
   * not said.
   */
  clock_offset_ms: number | null;
  /** Whether it can write its ledger, without which it begins nothing; null: it has not said. */
  ledger: { writable: boolean; detail: string | null } | null;
  /** Devices of loaded laboratories that it is to run, by laboratory and name. */
  devices: { lab: string; name: string; state: DeviceState; detail: string | null }[];
  /** Task runs that are on it or on their way to it, as `<protocol run>/<task>` or the name of the on-demand task. */
  tasks: string[];
}
