/** All times of a leader on the bus, in milliseconds. The orchestrator process and the fault simulator use this object. */
export const leaderTimings = {
  /** After it confirmed a leader, the database lets no other orchestrator lead for this time. */
  leaseMs: 3_000,
  /**
   * A leader acts on a confirmation for this time, counted from before it asked. Shorter than the lease by more than
   * the time that any of its messages is under way.
   */
  actsForMs: 2_000,
  /** A leader has its lease confirmed this often. */
  renewMs: 1_000,
  /** A standby asks whether it may lead this often; so does a leader that cannot reach the database. */
  lookMs: 200,
  /** Pause after a takeover that failed. */
  failedMs: 1_000,
  /** A leader announces itself this often. */
  announceMs: 1_000,
  /** A request to an optimizer worker is sent again after this time without an answer. */
  askWorkerAgainMs: 10_000,
  /** An optimizer worker is gone when it was not heard for this time: it has missed three announcements. */
  workerGoneMs: 16_000,
  /** Every optimizer worker that exists has been heard after this time of listening. */
  workersHeardMs: 6_000,
  /** A change of laboratories waits this long for new code, so that some of its time is left for the starts of devices. */
  provideMs: 60_000,
} as const;
