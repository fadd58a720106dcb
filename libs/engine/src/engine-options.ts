import type { Policy } from '@lab/scheduling';
import type { Clock, Ids, Log, Timers } from '@lab/ports';
import type { Agents, Definitions, Measures, Optimizers, Store } from './rows/index.js';

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
