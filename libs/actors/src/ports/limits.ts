/** All limits of the agent, with their defaults. Times are in milliseconds, sizes in bytes. */
export const defaultLimits = {
  /** How long `_initialize` may take. */
  deviceInitMs: 60_000,
  /** How long a device call may take if its function declares no timeout. */
  deviceCallMs: 60_000,
  /** How long `_allocated` and `_deallocated` may take. */
  deviceAllocatedMs: 60_000,
  /** How long `_report` may take. */
  deviceReportMs: 10_000,
  /** How long `_cleanup` may take before the process is ended. */
  deviceCleanupMs: 30_000,
  /** Between SIGTERM and SIGKILL of a device process that did not end after `_cleanup`. */
  deviceKillMs: 5_000,
  /**
   * Between SIGTERM, upon which the process cleans up, and SIGKILL, when a call is aborted. It is less than `deviceAnswerMs` of
   * contracts, so that a caller on another computer still gets the end of its call.
   */
  deviceAbortMs: 4_000,
  /** How long `_reconcile` may take. */
  deviceReconcileMs: 30_000,
  /** How long `_stop` may take. */
  deviceStopMs: 5_000,
  /** How long a call may take to end after `_stop`. */
  deviceStopGraceMs: 5_000,
  /** Interval of pings to a device process. */
  devicePingMs: 2_000,
  /** Age of an unanswered ping at which the process counts as not responding. */
  deviceSilentMs: 10_000,
  /** How often a query is repeated after its process died. */
  deviceQueryRetries: 2,
  /** Pause before the first restart; doubled for each further crash within the window. */
  deviceBackoffMs: 1_000,
  deviceBackoffMaxMs: 60_000,
  /** This many crashes within the window make a device faulted. */
  deviceCrashes: 5,
  deviceCrashWindowMs: 600_000,
  /** Number of queries that run at the same time. */
  deviceQueries: 4,
  /** Largest number of calls that wait for a device. */
  deviceMailbox: 64,
  /** How long the end of a failed attempt waits for the driver of its device in doubt. */
  deviceDoubtMs: 15_000,
  /** Between two requests to another agent to end the calls of an interrupted attempt. */
  peerQuietMs: 500,
  /** Between two notices that only report busy or idle. */
  deviceNoticeMs: 100,
  /** SIGTERM to a cancelled task, after the abort message. */
  cancelTermMs: 10_000,
  /** SIGKILL to a cancelled task, after the abort message. */
  cancelKillMs: 15_000,
  /** The same two limits when the agent stops. */
  stopTermMs: 3_000,
  stopKillMs: 5_000,
  /** How long a stopping agent waits until its results are acknowledged. */
  stopDeliveryMs: 3_000,
  /** Largest number of attempts at the same time, including those that wait for a process. More are refused. */
  attempts: 64,
  /** Number of warm processes kept ready. */
  poolSize: 2,
  /** Pause before a taken process is replaced, because starting a process slows down the task that took it. */
  poolRefillMs: 20,
  /** Largest number of task processes. */
  poolMax: 16,
  /** Number of tasks after which a reusable process is replaced. */
  poolUses: 500,
  /** How long a new task process may take to get warm. */
  poolStartMs: 30_000,
  /** How long a used task process may take to get warm again. */
  poolReturnMs: 2_000,
  /** Idle time after which a used process is ended. */
  poolIdleMs: 60_000,
  /** First pause between two tries to report, register or upload, and the longest pauses. */
  retryMs: 500,
  retryMaxMs: 30_000,
  registerRetryMaxMs: 5_000,
  /**
   * Longest pause of an agent whose release does not fit. An update takes longer, and a new leader ends the pause. The leader
   * forgets such an agent a minute after its last try.
   */
  misfitRetryMs: 30_000,
  /**
   * How long a new agent waits for the end of another one of its computer. It is longer than the silence after which the
   * leader takes an agent for offline, so an agent that died does not keep its successor away.
   */
  otherAgentMs: 15_000,
  /** Largest age of the heartbeat that a start names. The timeout of the sender may lower it. */
  startFreshMs: 5_000,
  /** Largest JSON of the outputs of a task, parameters and resources together. */
  outputBytes: 64 * 1024,
  /** Largest JSON of a result, limited by the broker. */
  resultBytes: 192 * 1024,
  /** Number of finished attempts that are remembered, so that a late repeat runs nothing. */
  remembered: 1_000,
};

export type AgentLimits = Record<keyof typeof defaultLimits, number>;
