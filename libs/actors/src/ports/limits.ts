/** Every number of the agent's behaviour. Times in milliseconds. */
export interface AgentLimits {
  /** How long `_initialize` may take. */
  deviceInitMs: number;
  /** How long a device call may take when its function declares no time. */
  deviceCallMs: number;
  /** How long `_report` may take. */
  deviceReportMs: number;
  /** How long `_cleanup` may take before the process is ended. */
  deviceCleanupMs: number;
  /** Between SIGTERM and SIGKILL of a device process that did not leave after `_cleanup`. */
  deviceKillMs: number;
  /**
   * Between SIGTERM, upon which the process cleans up, and SIGKILL when a call is aborted. Less than `deviceAnswerMs` of
   * contracts, so that a caller elsewhere still hears how its call ended.
   */
  deviceAbortMs: number;
  /** How long `_reconcile` may take. */
  deviceReconcileMs: number;
  /** How long `_stop` may take. */
  deviceStopMs: number;
  /** After `_stop`, how long the call that it stopped may take to end. */
  deviceStopGraceMs: number;
  /** How often a device process is asked whether it responds, and how long it may take before that is told. */
  devicePingMs: number;
  deviceSilentMs: number;
  /** Times that a query is asked again after the process died in the middle of it. */
  deviceQueryRetries: number;
  /** Pause before the first restart; doubled for each further crash within the window. */
  deviceBackoffMs: number;
  deviceBackoffMaxMs: number;
  /** This many crashes within the window make a device faulted. */
  deviceCrashes: number;
  deviceCrashWindowMs: number;
  /** Queries that run beside each other and beside an effect. */
  deviceQueries: number;
  /** Calls that may wait for a device. */
  deviceMailbox: number;
  /** How long an attempt that failed on a device in doubt waits for its driver to settle it. */
  deviceDoubtMs: number;
  /** Between two questions whether another agent still has calls in progress of an attempt that was cut short. */
  peerQuietMs: number;
  /** Between two notices that only say busy or idle. */
  deviceNoticeMs: number;
  /** After the abort signal. */
  cancelTermMs: number;
  /** After the abort signal. */
  cancelKillMs: number;
  /** The same two when the agent stops. */
  stopTermMs: number;
  stopKillMs: number;
  /** How long a stopping agent waits for acknowledgement of results. */
  stopDeliveryMs: number;
  /** Attempts at once, waiting for a process included; more are refused. */
  attempts: number;
  /** Warm processes kept ready. */
  poolSize: number;
  /** A process that was taken is replaced after this pause: starting one slows down the task that took it. */
  poolRefillMs: number;
  /** Task processes at most, of every kind. */
  poolMax: number;
  /** Tasks that one reusable process runs before it is replaced. */
  poolUses: number;
  /** How long a task process may take to get warm, or to be warm again. */
  poolStartMs: number;
  poolReturnMs: number;
  /** A used process that nobody wanted for so long is ended. */
  poolIdleMs: number;
  /** First and longest pause between two tries to report, register or upload. */
  retryMs: number;
  retryMaxMs: number;
  registerRetryMaxMs: number;
  /** How old the heartbeat may be that a start rests on; never longer than the sender of the start waits. */
  startFreshMs: number;
  /** Size of the outputs of a task as JSON, parameters and resources together. */
  outputBytes: number;
  /** Size of a result as JSON; the broker carries no more. */
  resultBytes: number;
  /** Ids of finished attempts remembered so that a late repeat runs nothing. */
  remembered: number;
}

export const defaultLimits: AgentLimits = {
  deviceInitMs: 60_000,
  deviceCallMs: 60_000,
  deviceReportMs: 10_000,
  deviceCleanupMs: 30_000,
  deviceKillMs: 5_000,
  deviceAbortMs: 4_000,
  deviceReconcileMs: 30_000,
  deviceStopMs: 5_000,
  deviceStopGraceMs: 5_000,
  devicePingMs: 2_000,
  deviceSilentMs: 10_000,
  deviceQueryRetries: 2,
  deviceBackoffMs: 1_000,
  deviceBackoffMaxMs: 60_000,
  deviceCrashes: 5,
  deviceCrashWindowMs: 600_000,
  deviceQueries: 4,
  deviceMailbox: 64,
  deviceDoubtMs: 15_000,
  peerQuietMs: 500,
  deviceNoticeMs: 100,
  cancelTermMs: 10_000,
  cancelKillMs: 15_000,
  stopTermMs: 3_000,
  stopKillMs: 5_000,
  stopDeliveryMs: 3_000,
  attempts: 64,
  poolSize: 2,
  poolRefillMs: 20,
  poolMax: 16,
  poolUses: 500,
  poolStartMs: 30_000,
  poolReturnMs: 2_000,
  poolIdleMs: 60_000,
  retryMs: 500,
  retryMaxMs: 30_000,
  registerRetryMaxMs: 5_000,
  startFreshMs: 5_000,
  outputBytes: 64 * 1024,
  resultBytes: 192 * 1024,
  remembered: 1_000,
};
