import type { Policy } from '@lab/scheduling';
import type { Clock, Ids, Log, Timers } from '@lab/ports';
import type { LongTaskLimits } from './people/index.js';
import { type Quotas, noQuotas } from './quotas/index.js';
import type { Agents, ComputersOnDisk, Definitions, Measures, Optimizers, Store } from './rows/index.js';

export interface EnginePorts {
  clock: Clock;
  timers: Timers;
  ids: Ids;
  store: Store;
  agents: Agents;
  definitions: Definitions;
  /** Absent: the agent of any computer may register. */
  computersOnDisk?: ComputersOnDisk;
  /** Absent: campaigns with an optimizer are refused, and existing ones wait. */
  optimizers?: Optimizers;
  policy: Policy;
  log: Log;
  /** Absent: nothing is measured. */
  measures?: Measures;
}

export interface EngineOptions {
  /** Silence of an agent, in milliseconds, after which nothing more is sent to it. */
  suspectAfterMs: number;
  /** Silence of an agent, in milliseconds, after which it counts as offline. */
  offlineAfterMs: number;
  /** Silence of an agent with unfinished attempts, in milliseconds, after which a person is asked to decide. */
  lostAfterMs: number;
  /** Greatest number of queued task runs. Further submissions are refused with `backlog_full`. */
  maxQueued: number;
  /** Greatest number of queued task runs of one owner. Work without an owner counts only towards {@link maxQueued}. */
  maxQueuedPerOwner: number;
  /** Limits of what owners and laboratories store. */
  quotas: Quotas;
  /** When a person is asked about a task that runs for long. */
  longTasks: LongTaskLimits;
  /** Milliseconds from the request to delete work to the beginning of the deletion. */
  undoMs: number;
  /** Another engine has become the leader; this one has stopped. */
  onDeposed?: () => void;
}

export const defaultOptions: EngineOptions = {
  suspectAfterMs: 3_000,
  offlineAfterMs: 10_000,
  lostAfterMs: 30_000,
  maxQueued: 10_000,
  maxQueuedPerOwner: 2_000,
  quotas: noQuotas,
  longTasks: { times: 5, withoutHistoryMs: 3_600_000 },
  undoMs: 86_400_000,
};
