import type { Log } from '@lab/ports';

/** A log whose children add fields to every line. */
export interface AgentLog extends Log {
  /** The same log with fields that stand in every line. */
  child(fields: Record<string, unknown>): AgentLog;
}
