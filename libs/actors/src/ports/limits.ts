/** All limits of the agent. Times are in milliseconds, sizes in bytes. */
export interface AgentLimits {
  /** How long `_initialize` may take. */
  deviceInitMs: number;
  /** How long a device call may take if its function declares no timeout. */
  deviceCallMs: number;
  /** How long `_report` may take. */
  deviceReportMs: number;
  /** How long `_cleanup` may take before the process is ended. */
  deviceCleanupMs: number;
  /** Between SIGTERM and SIGKILL of a device process that did not end after `_cleanup`. */
  deviceKillMs: number;
  /**
   * Between SIGTERM, upon which the process cleans up, and SIGKILL, when a call is aborted. It is less than `deviceAnswerMs` of
   * contracts, so that a caller on another computer still gets the end of its call.
   */
  deviceAbortMs: number;
  /** How long `_reconcile` may take. */
  deviceReconcileMs: number;
  /** How long `_stop` may take. */
  deviceStopMs: number;
  /** How long a call may take to end after `_stop`. */
  deviceStopGraceMs: number;
  /** Interval of pings to a device process. */
  devicePingMs: number;
  /** Age of an unanswered ping at which the process counts as not responding. */
  deviceSilentMs: number;
  /** How often a query is repeated after its process died. */
  deviceQueryRetries: number;
  /** Pause before the first restart; doubled for each further crash within the window. */
  deviceBackoffMs: number;
  deviceBackoffMaxMs: number;
  /** This many crashes within the window make a device faulted. */
  deviceCrashes: number;
  deviceCrashWindowMs: number;
  /** Number of queries that run at the same time. */
  deviceQueries: number;
  /** Largest number of calls that wait for a device. */
  deviceMailbox: number;
  /** How long the end of a failed attempt waits for the driver of its device in doubt. */
  deviceDoubtMs: number;
  /** Between two requests to another agent to end the calls of an interrupted attempt. */
  peerQuietMs: number;
  /** Between two notices that only report busy or idle. */
  deviceNoticeMs: number;
  /** SIGTERM to a cancelled task, after the abort message. */
  cancelTermMs: number;
  /** SIGKILL to a cancelled task, after the abort message. */
  cancelKillMs: number;
  /** The same two limits when the agent stops. */
  stopTermMs: number;
  stopKillMs: number;
  /** How long a stopping agent waits until its results are acknowledged. */
  stopDeliveryMs: number;
  /** Largest number of attempts at the same time, including those that wait for a process. More are refused. */
  attempts: number;
  /** Number of warm processes kept ready. */
  poolSize: number;
  /** Pause before a taken process is replaced, because starting a process slows down the task that took it. */
  poolRefillMs: number;
  /** Largest number of task processes. */
  poolMax: number;
  /** Number of tasks after which a reusable process is replaced. */
  poolUses: number;
  /** How long a new task process may take to get warm. */
  poolStartMs: number;
  /** How long a used task process may take to get warm again. */
  poolReturnMs: number;
  /** Idle time after which a used process is ended. */
  poolIdleMs: number;
  /** First pause between two tries to report, register or upload, and the longest pauses. */
  retryMs: number;
  retryMaxMs: number;
  registerRetryMaxMs: number;
  /** Largest age of the heartbeat that a start names. The timeout of the sender may lower it. */
  startFreshMs: number;
  /** Largest JSON of the outputs of a task, parameters and resources together. */
  outputBytes: number;
  /** Largest JSON of a result, limited by the broker. */
  resultBytes: number;
  /** Number of finished attempts that are remembered, so that a late repeat runs nothing. */
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
