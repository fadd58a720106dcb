/** All times of an agent on the bus, in milliseconds. The agent process and the fault simulator use this object. */
export const agentTimings = {
  /** An agent sends a heartbeat this often. */
  heartbeatMs: 1_000,
  /** Kept of the caller's timeout for the reply's way back, so that the caller gets a reply and not its own timeout. */
  replyWayMs: 250,
  /** After this time the caller of a pending call also watches whether the called agent is still alive. */
  watchAfterMs: 2_000,
  /** A call without an answer is sent again after this time, then after twice as long each time, up to `repeatMostMs`. */
  repeatMs: 3_000,
  repeatMostMs: 12_000,
  /** Pause before a call is sent again after a lost connection, and while its agent is not connected. */
  reconnectMs: 500,
} as const;
